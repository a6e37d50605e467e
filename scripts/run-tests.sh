#!/usr/bin/env bash
# Installs what is missing, builds skua and runs all its tests; then those of the core under the sanitizers.
# --quick: without the sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

quick=no
for argument in "$@"; do
  case "$argument" in
    --quick) quick=yes ;;
    *) echo "run-tests.sh: unknown option $argument; there is --quick" >&2; exit 2 ;;
  esac
done

# shellcheck disable=SC2086
install_packages $packages_to_test

build() { # PRESET [OPTION...]
  cmake --preset "$@" >/dev/null
  cmake --build --preset "$1"
}

build release -DSKUA_BUILD_TESTS=ON -DSKUA_BUILD_BENCH=ON
cmake --build --preset release --target all_verify_interface_header_sets
ctest --preset release
[ "$quick" = yes ] && exit 0

build asan
ctest --preset asan --label-exclude 'install|recorded|tidy'
# Simulated time has one thread: nothing for the thread sanitizer to see.
build tsan
ctest --preset tsan --label-exclude 'install|recorded|tidy|simulation'
