#!/usr/bin/env bash
# Installs a build into a folder of its own, then builds hello against it with find_package(skua), and runs it.
# run.sh BUILD_FOLDER SOURCE_FOLDER
set -euo pipefail
build=$1
source=$2
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

cmake --install "$build" --prefix "$stage/installed" --strip >/dev/null
cmake -S "$source/samples/hello" -B "$stage/hello" -DCMAKE_PREFIX_PATH="$stage/installed" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$stage/hello"
SKUA_DEVICES=host:2 "$stage/hello/hello" | tee "$stage/out"
grep -q 'pi = 3.14159' "$stage/out"
grep -q 'host:1' "$stage/out"

# A target that is made before skua is found.
mkdir "$stage/late"
cat >"$stage/late/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(late LANGUAGES CXX)
add_executable(late late.cpp)
find_package(skua REQUIRED)
target_link_libraries(late PRIVATE skua::skua)
skua_gpu_sources(late late.cpp)
END
cp "$source/samples/hello/hello.cpp" "$stage/late/late.cpp"
cmake -S "$stage/late" -B "$stage/late/build" -DCMAKE_PREFIX_PATH="$stage/installed" >/dev/null

# The program that the documents show.
awk '/^```cpp/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/loops.md" >"$stage/loops.cpp"
g++ -std=c++20 -fsyntax-only -I "$stage/installed/include" "$stage/loops.cpp"

"$stage/installed/bin/skua" topology --format json >"$stage/topology.json"
grep -q 'skua.topology/1' "$stage/topology.json"
