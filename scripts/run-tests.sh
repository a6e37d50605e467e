#!/usr/bin/env bash
# Installs what is missing, builds skua and runs all its tests; then those of the core under the sanitizers.
# Where there is hipcc, bodies are compiled for AMD's GPUs, too; tests that need a GPU are skipped where there is none.
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

configure() { # PRESET [OPTION...]
  cmake --preset "$@" >/dev/null
}

first=release
command -v hipcc >/dev/null && first=hip
configure "$first" -DSKUA_BUILD_TESTS=ON -DSKUA_BUILD_BENCH=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
cmake --build --preset "$first"
cmake --build --preset "$first" --target all_verify_interface_header_sets
ctest --preset "$first"
[ "$quick" = yes ] && exit 0

# The thread sanitizer watches what has threads; the rest would only cost time.
configure tsan
cmake --build --preset tsan --target scheduler_tests conformance_tests stress_tests
ctest --preset tsan --tests-regex '^(Scheduler|Stress|AllBackendsAndPolicies/Conformance)[.]'

configure asan
cmake --build --preset asan
SKUA_FUZZ_SEEDS=1000 ctest --preset asan
