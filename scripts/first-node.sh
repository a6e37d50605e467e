#!/usr/bin/env bash
# The first half hour on a node with AMD GPUs (NVIDIA's, too): builds skua, runs it, asks the GPUs what skua assumes of
# them, and writes one file of answers to send to whoever works on skua. A step that fails or hangs is written down as
# such, and the next one goes on. Changes no setting of any card, and needs no root but to install packages.
set -uo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
root=${SKUA_FIRST_NODE_ROOT:-} # of /sys, /proc and /dev, for tests

usage="first-node.sh [--output FILE] [--build-dir DIR] [--no-install] [--no-build] [--limit SECONDS] [--without-hangs]
  --output FILE      the report (skua-node-report.txt in the current folder)
  --build-dir DIR    where to build (build/first-node of the source tree)
  --no-install       install no packages; without root (sudo that asks nothing) they are listed only, anyway
  --no-build         take what was built in DIR before, on a login node, say
  --limit SECONDS    for each step at most (600); for all together half an hour
  --without-hangs    leave out the questions that may leave a kernel behind that never ends: the driver may reset the
                     GPU then, to the harm of other programs on it. Without this option the node should be yours."
report=$PWD/skua-node-report.txt
build=$source/build/first-node
installs=yes
builds=yes
step_limit=600
all_seconds=1800
facts_options=()

refuse() {
  echo "first-node.sh: $1" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case "$1" in
    --output | --build-dir | --limit) [ -n "${2:-}" ] || refuse "$1: give a value" ;;&
    --output) report=$(realpath -m -- "$2") && shift ;;
    --build-dir) build=$(realpath -m -- "$2") && shift ;;
    --limit) [[ $2 =~ ^[1-9][0-9]{0,3}$ ]] || refuse "--limit $2: give 1 to 9999 seconds"; step_limit=$2 && shift ;;
    --no-install) installs=no ;;
    --no-build) builds=no ;;
    --without-hangs) facts_options+=(--without-hangs) ;;
    --help) echo "$usage" && exit 0 ;;
    *) refuse "unknown option $1
$usage" ;;
  esac
  shift
done

# Whose GPUs, and the architectures of AMD's as the driver numbers them (90402 is gfx942).
architectures=$(cat "$root"/sys/class/kfd/kfd/topology/nodes/*/properties 2>/dev/null |
  awk '$1 == "gfx_target_version" && $2 > 0 { printf "gfx%d%d%x\n", $2 / 10000, $2 / 100 % 100, $2 % 100 }' | sort -u | paste -sd ';')
if [ -n "$architectures" ]; then
  preset=hip
elif compgen -G "$root/proc/driver/nvidia/gpus/*" >/dev/null || compgen -G "$root/dev/nvidia[0-9]*" >/dev/null; then
  preset=cuda
else
  refuse "no GPU: neither AMD's driver (/sys/class/kfd) nor NVIDIA's (/dev/nvidia0) shows one"
fi
{ : >"$report"; } 2>/dev/null || refuse "--output $report: it cannot be written"

export PATH=$PATH:${ROCM_PATH:-/opt/rocm}/bin
work=$(mktemp -d)
steps=0
. "$source/scripts/first-node/report.sh"
child=
trap '[ -z "$child" ] || kill $child; write_report; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# row QUESTION ASSUMED FOUND AGREES OTHERWISE: one answer. "|" separates them, so it may not stand in them.
row() {
  local IFS='|'
  printf '%s\n' "${*//|//}" | sed 's/|/ | /g' >>"$work/answers"
}

# step TITLE LIMIT COMMAND...: runs a command, and keeps what it printed as a section of the report. Sets `state` ("ok"
# or what went wrong), `took` and `output` (a file). What hangs in a driver and cannot be killed is left to itself.
step() {
  local title=$1 limit=$2
  shift 2
  steps=$((steps + 1))
  output=$work/$(printf '%03d' $steps)
  local left=$((all_seconds - SECONDS)) begin=$SECONDS code=0
  [ "$limit" -gt "$step_limit" ] && limit=$step_limit
  [ "$limit" -gt "$left" ] && limit=$left
  : >"$output"
  echo "$title: interrupted" >"$output.title"
  if [ "$limit" -le 0 ]; then
    state="left out: the time is up"
  elif ! (cd "$source" && command -v "$1" >/dev/null); then
    state="left out: there is no $(basename "$1")"
  else
    (cd "$source" && exec timeout --kill-after=5 "$limit" "$@") >"$output" 2>&1 </dev/null &
    child=$!
    local until=$((SECONDS + limit + 10))
    while kill -0 $child 2>/dev/null && [ $SECONDS -lt $until ]; do sleep 0.1; done
    if kill -0 $child 2>/dev/null; then
      state="timed out after $limit s, and cannot be killed"
    else
      wait $child
      code=$?
      case $code in
        0) state=ok ;;
        124 | 137) state="timed out after $limit s" ;;
        *) state="failed, exit code $code" ;;
      esac
    fi
    child=
  fi
  took=$((SECONDS - begin))
  echo "$title: $state ($took s)" >"$output.title"
  echo "first-node.sh: $title: $state ($took s)" >&2
}
agrees_if_ok() { [ "$state" = ok ] && echo yes || echo NO; }
# outcome PATTERN: of the last step, with the last of its words that match, or, where it failed, its last line.
outcome() {
  local words
  words=$(grep -oE "$1" "$output" | tail -n 3 | tr -s ' ' | paste -sd ',')
  [ "$state" = ok ] || words=${words:-$(tail -n 1 "$output")}
  echo "$state, $took s${words:+; $words}"
}

step "machine, driver, versions" 30 scripts/first-node/machine.sh versions "$root"
if [ $preset = hip ]; then
  step "what AMD's driver shows" 30 scripts/first-node/machine.sh driver "$root"
  step "rocminfo" 60 scripts/first-node/machine.sh rocminfo "$root"
  step "rocm-smi --showtopo" 60 rocm-smi --showtopo
  step "amd-smi version" 30 amd-smi version
  step "amd-smi topology" 60 amd-smi topology
else
  step "nvidia-smi" 60 nvidia-smi --format=csv \
    --query-gpu=index,name,pci.bus_id,driver_version,memory.total,clocks.max.sm,mig.mode.current
  step "nvidia-smi topo -m" 60 nvidia-smi topo -m
fi

if [ $builds = yes ]; then
  if [ $installs = yes ] && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }; then
    step "install packages" 300 scripts/first-node/machine.sh install "$root"
  fi
  step "packages that are missing" 30 scripts/first-node/machine.sh missing "$root"
  options=(--preset "$preset" -B "$build" -DSKUA_BUILD_TOOLS=ON -DSKUA_BUILD_SAMPLES=ON -DSKUA_BUILD_BENCH=ON)
  # For the GPUs that are here, or those that the build finds or the compiler knows; without tests where GoogleTest is missing.
  code_for=(-UCMAKE_HIP_ARCHITECTURES)
  [ $preset = hip ] && code_for=("-DCMAKE_HIP_ARCHITECTURES=$architectures" "${code_for[@]}")
  for tests in ON OFF; do
    for code in "${code_for[@]}"; do
      step "configure with tests $tests, $code" 300 cmake "${options[@]}" -DSKUA_BUILD_TESTS=$tests "$code"
      [ "$state" = ok ] && break 2
    done
  done
  # All at once is fastest; one by one tells which fails. Ten minutes stay for what is to be run.
  targets=(node_facts skua_program monte_carlo gpu_tests)
  step "build" $((all_seconds - 600 - SECONDS)) cmake --build "$build" --target "${targets[@]}" -- -k 0
  built=
  for target in "${targets[@]}"; do
    step "build $target" $((all_seconds - 600 - SECONDS)) cmake --build "$build" --target "$target"
    built+="$target $state; "
  done
  row "F2: does skua build here, for ${architectures:-these GPUs}?" "yes, with what scripts/packages.sh lists" "${built%; }" \
    "$([[ $built =~ failed|timed|left ]] && echo NO || echo yes)" "cmake/SkuaHipArchitectures.cmake, scripts/packages.sh"
fi

bin=$build/bin
step "skua topology" 60 "$bin/skua" topology
shows_gpus=$(grep -qE '(gfx|sm_)[0-9]' "$output" && agrees_if_ok || echo NO)
row "does skua topology end, and show the GPUs?" "yes" "$(outcome '^.*(gfx|sm_)[0-9].*$')" "$shows_gpus" "topology/probe/"
step "skua topology --json" 60 "$bin/skua" topology --json
step "skua topology --measure" 180 "$bin/skua" topology --measure
row "F12: does skua topology --measure end by itself?" "yes: a copy that hangs holds nothing up" "$(outcome '^nothing$')" \
  "$(agrees_if_ok)" "runtime/gpu/measure.cpp, runtime/gpu/exit_fence.cpp"
# In one process, which is fast; in one for each of them where that fails or hangs.
step "tests on GPUs" 150 "$bin/gpu_tests" --gtest_brief=1
[[ $state =~ failed|timed ]] && step "tests on GPUs, one by one" 400 ctest --test-dir "$build" -L gpu --timeout 60 --output-on-failure
pass=$(agrees_if_ok)
grep -qE 'PASSED +\] [01] test' "$output" && pass=- # those that need no GPU
row "do the tests on GPUs pass?" "yes" "$(outcome '(PASSED|SKIPPED) +\] [0-9]+ tests?|^.*tests passed.*$')" "$pass" \
  "tests/gpu/: the test that fails says what"
for devices in gpu gpu:0 gpu:0/2 gpu:0/7; do
  step "monte_carlo on $devices" 60 "$bin/monte_carlo" --problem option --paths 1e10 --repeat 3 --devices $devices
  row "does a loop run on $devices?" "yes, with an efficiency near 1" \
    "$(outcome 'efficiency [0-9.]+, imbalance [0-9.]+ %')" "$(agrees_if_ok)" "runtime/gpu/ (parts: runtime/gpu/amd_parts.cpp)"
done
# Last, since what it asks may leave a kernel behind.
step "node_facts" 600 "$bin/node_facts" "${facts_options[@]}"
grep -E '^[^#|]+( \| [^|]+){4}$' "$output" >>"$work/answers"
[ "$state" = ok ] || row "does node_facts come to its end?" "yes" "$state" NO "bench/node_facts/"
exit 0
