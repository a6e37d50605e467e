#!/usr/bin/env bash
# scripts/first-node.sh where there is no GPU, and on a made-up node with programs that answer, fail and hang.
# first_node.sh SOURCE_FOLDER
set -euo pipefail
script=$1/scripts/first-node.sh
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cd "$stage"

fail() {
  echo "first_node.sh: $1" >&2
  [ -f report.txt ] && cat report.txt >&2
  exit 1
}
# refuses TEXT ARGUMENTS...: exit code 2, and one line that holds the text.
refuses() {
  local text=$1 code=0
  shift
  SKUA_FIRST_NODE_ROOT=$stage/nothing "$script" "$@" 2>errors || code=$?
  [ $code -eq 2 ] || fail "$*: exit code $code"
  grep -qF -- "$text" errors || fail "$*: $(cat errors)"
}
holds() { grep -qE -- "$1" report.txt || fail "the report lacks: $1"; }

refuses "unknown option --fast" --fast
refuses "--output: give a value" --output
refuses "--limit soon" --limit soon
refuses "no GPU" --output report.txt
[ "$(wc -l <errors)" -eq 1 ] || fail "more than a line: $(cat errors)"
[ ! -e report.txt ] || fail "a report without a GPU"

# Two partitions of one GPU, beside a CPU.
nodes=node/sys/class/kfd/kfd/topology/nodes
mkdir -p $nodes/0 $nodes/1/io_links/0 $nodes/2 build/bin
printf 'cpu_cores_count 8\nsimd_count 0\ngfx_target_version 0\n' >$nodes/0/properties
printf 'simd_count 320\nnum_xcc 2\nlocation_id 2560\ngfx_target_version 90402\nunique_id 123456789012\n' >$nodes/1/properties
printf 'simd_count 320\nnum_xcc 2\nlocation_id 2561\ngfx_target_version 90010\n' >$nodes/2/properties
printf 'type 11\nnode_to 2\nweight 13\nmax_bandwidth 819200\n' >$nodes/1/io_links/0/properties
program() {
  printf '#!/bin/sh\n%s\n' "$2" >"build/bin/$1"
  chmod +x "build/bin/$1"
}
# shellcheck disable=SC2016
program skua 'case "$*" in *--measure*) exec sleep 60 ;; esac; echo "GPU 0 gfx942 GPU-0123456789abcdef of $(uname -n)"'
program monte_carlo 'case "$*" in *gpu:0/7*) echo "it cannot be cut"; exit 3 ;; esac; echo "efficiency 0.997, imbalance 0.1 %"'
program gpu_tests 'echo "[  FAILED  ] 1 test, listed below:"; exit 1'
program node_facts 'echo "options: $*"; echo "# a | figure | of | no | question"
  echo "F8: the clock? | as stated | 100 MHz | yes | the clock of marks"
  echo "F1: one XCD? | it never ends | ends | NO | the mask"
  echo "F3: joined? | all | died by signal 11 | - | the list"'
echo 'add_test(Gpu.Runs "/bin/true")
set_tests_properties(Gpu.Runs PROPERTIES LABELS gpu)' >build/CTestTestfile.cmake

SKUA_FIRST_NODE_ROOT=$stage/node "$script" --output report.txt --build-dir build --no-build --limit 8 --without-hangs 2>errors ||
  fail "it ends with $?: $(cat errors)"
holds 'architectures gfx90a;gfx942'
holds '^10 questions: 6 as assumed, 3 otherwise, 1 without'
holds '^  F1: one XCD\?$'
holds '^NO +F1: one XCD\?$'
holds '^ +to change: the mask$'
holds '^ +found +died by signal 11$'
holds '^ +found +timed out after 8 s, '
holds '^ +found +ok, [0-9] s; efficiency 0.997, imbalance 0.1 %$'
holds '^ +found +failed, exit code 3, [0-9] s; it cannot be cut$'
holds '^tests on GPUs: failed, exit code 1'
holds '^ +found +ok, [0-9]+ s; 100% tests passed, 0 tests failed out of 1$'
holds '^monte_carlo on gpu:0/7: failed, exit code 3'
holds '^node 1: simd_count=320 num_xcc=2 location_id=2560'
holds '^  links 2:type11,weight13,max819200$'
holds '^options: --without-hangs$'
holds 'GPU-\(left out\) of (HOST|node|gpu|host|localhost|root|skua)$'
grep -qE '0123456789abcdef|123456789012' report.txt && fail "numbers of single cards"
exit 0
