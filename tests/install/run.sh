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
"$stage/installed/bin/skua" topology --format json | grep -q 'skua.topology/1'
