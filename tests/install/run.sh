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

# Without a GPU the other programs are compiled for one kind only: that is done sooner.
if [ ! -e /dev/kfd ]; then export CMAKE_HIP_ARCHITECTURES=gfx90a; fi

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
cmake -S "$stage/late" -B "$stage/late/build" -DCMAKE_PREFIX_PATH="$stage/installed" -DCMAKE_HIP_ARCHITECTURES=all >/dev/null
if grep -rq 'offload-arch=all' "$stage/late/build"; then exit 1; fi

# The program that the documents show.
awk '/^```cpp/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/loops.md" >"$stage/loops.cpp"
g++ -std=c++20 -fsyntax-only -I "$stage/installed/include" "$stage/loops.cpp"

# The program that asks AMD's library: it runs, and programs know where it is, whatever prefix skua was built for.
probe="$stage/installed/libexec/skua/probe"
"$probe" 2 gpus libthat_is_not_there.so 3>"$stage/probed"
grep -qx 'skua-probe 2' "$stage/probed"
grep -qaF "$probe" "$stage/hello/hello"

# What C++ sources are given is kept, OpenMP too, and a file that is not the target's is named.
cmake -S "$source/tests/install/kept" -B "$stage/kept" -DCMAKE_PREFIX_PATH="$stage/installed" >/dev/null
cmake --build "$stage/kept"
"$stage/kept/kept"
cp -r "$source/tests/install/kept" "$stage/wrong"
echo 'skua_gpu_sources(kept nowhere.cpp)' >"$stage/wrong/sub/CMakeLists.txt"
if cmake -S "$stage/wrong" -B "$stage/wrong/build" -DCMAKE_PREFIX_PATH="$stage/installed" >"$stage/said" 2>&1; then exit 1; fi
grep -q 'nowhere.cpp is not a source' "$stage/said"

# Conditions that do not hold leave empty definitions between others.
for language in CXX HIP; do
  cat >"$stage/empty-$language.cmake" <<'END'
set(target empty)
set(host_compiler g++)
END
done
echo 'set(COMPILE_DEFINITIONS [==[;KEPT=1;]==])' >>"$stage/empty-CXX.cmake"
cmake "-DSTEM=$stage/empty" -DLANGUAGE=HIP -P "$source/cmake/SkuaHostOptions.cmake"
grep -q '"-DKEPT=1"' "$stage/empty.options"

# Launchers' header is there without a GPU's runtime, too.
[ -f "$stage/installed/include/skua/hip.hpp" ]
cat >"$stage/launcher.cpp" <<'END'
#include <skua/hip.hpp>
#include <skua/skua.hpp>
int main() {
  skua::Scheduler scheduler({.devices = "host:2"});
  const auto launcher = [](const skua::Chunk& chunk) { return static_cast<void>(skua::stream(chunk)); };
  return scheduler.launch(100, launcher).items_done == 100 ? 0 : 1;
}
END
g++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I "$stage/installed/include" "$stage/launcher.cpp"

# A program without bodies for GPUs is C++ alone, though the library it holds has kernels.
mkdir "$stage/plain"
cat >"$stage/plain/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(plain LANGUAGES CXX)
add_executable(plain ../launcher.cpp)
find_package(skua REQUIRED)
target_link_libraries(plain PRIVATE skua::skua)
set_target_properties(plain PROPERTIES RULE_LAUNCH_LINK "env LINKED_AS=<LANGUAGE>")
END
cmake -S "$stage/plain" -B "$stage/plain/build" -DCMAKE_PREFIX_PATH="$stage/installed" >/dev/null
cmake --build "$stage/plain/build" --verbose | tee "$stage/out" >/dev/null
grep -q 'LINKED_AS=CXX' "$stage/out"
"$stage/plain/build/plain"

# The one header that needs Random123.
mkdir "$stage/random"
cat >"$stage/random/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(random LANGUAGES CXX)
find_package(skua REQUIRED)
add_executable(random random.cpp)
target_link_libraries(random PRIVATE skua::skua)
END
cat >"$stage/random/random.cpp" <<'END'
#include <iostream>
#include <skua/random.hpp>
int main() { std::cout << skua::Philox(0, 0).words(0).first << '\n'; }
END
cmake -S "$stage/random" -B "$stage/random/build" -DCMAKE_PREFIX_PATH="$stage/installed" >/dev/null
cmake --build "$stage/random/build" >/dev/null
[ "$("$stage/random/build/random")" = 1713891541 ]

"$stage/installed/bin/skua" topology --format json >"$stage/topology.json"
grep -q 'skua.topology/1' "$stage/topology.json"

# Programs of skua's refuse a variable that skua does not know, but not what a site's modules set.
refuses_a_variable() {
  local code=0
  SKUA_BOGUS=1 "$@" >"$stage/out" 2>"$stage/said" || code=$?
  [ "$code" = 2 ]
  grep -q 'SKUA_BOGUS is not a variable that skua knows' "$stage/said"
}
refuses_a_variable "$stage/installed/bin/skua" topology
SKUA_ROOT=/x "$stage/installed/bin/skua" topology --format json >"$stage/of_a_site.json"
grep -q 'skua.topology/1' "$stage/of_a_site.json"
if [ -x "$build/bin/monte_carlo" ]; then refuses_a_variable "$build/bin/monte_carlo" --paths 10 --devices host:1; fi
