#!/usr/bin/env bash
# Installs what is missing, builds skua and runs all its tests; then those of the core under the sanitizers.
# Where there is hipcc, bodies are compiled for AMD's GPUs, too; tests that need a GPU are skipped where there is none.
# --quick: without the sanitizers. --all-architectures: bodies for every AMD GPU that the compiler knows, not one only.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

quick=no
architectures=one
for argument in "$@"; do
  case "$argument" in
    --quick) quick=yes ;;
    --all-architectures) architectures=all ;;
    *) echo "run-tests.sh: unknown option $argument; there are --quick and --all-architectures" >&2; exit 2 ;;
  esac
done

# shellcheck disable=SC2086
install_packages $packages_to_test
scripts/check-format.sh

first=release
options=(-DSKUA_BUILD_TESTS=ON -DSKUA_BUILD_TOOLS=ON -DSKUA_BUILD_BENCH=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
if command -v hipcc >/dev/null; then
  first=hip
  # Without a GPU one architecture shows as much as all: the bodies are compiled, and none is run. With one, it is found.
  if [ "$architectures" = all ]; then
    options+=(-DCMAKE_HIP_ARCHITECTURES=all)
  elif [ ! -e /dev/kfd ]; then
    options+=(-DCMAKE_HIP_ARCHITECTURES=gfx90a)
  else
    options+=(-UCMAKE_HIP_ARCHITECTURES)
  fi
fi
# What reads input or holds memory is compiled and run once, where the address sanitizer watches.
left_out="base_tests;topology_tests;gpu_backend_tests;gpu_jobs_tests"
if [ "$quick" = yes ]; then left_out=; fi
options+=("-DSKUA_TESTS_LEFT_OUT=$left_out")
cmake --preset "$first" "${options[@]}" >/dev/null
cmake --build --preset "$first"
cmake --build --preset "$first" --target all_verify_interface_header_sets
ctest --preset "$first"
scripts/check-tidy.sh "build/$first"
[ "$quick" = yes ] && exit 0

# The thread sanitizer watches what has threads, the address sanitizer what has threads, reads input or holds memory; the
# rest would only cost time.
cmake --workflow --preset tsan
cmake --workflow --preset asan
