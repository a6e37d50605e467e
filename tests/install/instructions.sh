#!/usr/bin/env bash
# Looks at the instructions of skua's kernels for AMD's GPUs: each throws old copies away once a block, at its start, and
# writes caches back once a block, at its end; a reduction does neither in between.
# instructions.sh SOURCE_FOLDER COMPILER [OPTION...]: the compiler of HIP, and what it is given.
set -euo pipefail
source=$1
shift
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

compile() {
  "${compiler[@]}" -x hip --offload-arch="$1" --cuda-device-only -std=c++20 -O2 -S -I "$source/runtime/include" \
    -I "$source/base/include" "$source/tests/support/instructions.cpp" -o "$stage/$1.s"
}

# What stands in each kernel, in order: i (invalidate), w (write back), b (barrier), a (atomic).
order_of() {
  awk '
    /^_Z.*(run_items|reduce_granules).*:/ { kernel = /run_items/ ? "run_items" : "reduce_granules"; order = "" }
    kernel == "" { next }
    /^[ \t]+(buffer_inv|buffer_invl2)([ \t]|$)/ { order = order "i" }
    /^[ \t]+buffer_wbl2/ { order = order "w" }
    /^[ \t]+s_barrier/ { order = order "b" }
    /^[ \t]+(global|flat)_atomic_add/ { order = order "a" }
    /^\.Lfunc_end/ { print kernel, order; kernel = "" }
  ' "$stage/$1.s"
}

compiler=("$@")
looked_at=0
for family in "gfx90a" "gfx942 gfx940"; do
  for arch in $family; do
    compile "$arch" 2>"$stage/errors" || { grep -q "arch\|target" "$stage/errors" && continue; cat "$stage/errors"; exit 1; }
    orders=$(order_of "$arch")
    sed "s/^/$arch: /" <<<"$orders"
    # A reduction counts the arrivals of slices between its barriers.
    if [ "$orders" != $'run_items ibbwa\nreduce_granules ibabwa' ]; then
      echo "$arch: expected ibbwa of run_items and ibabwa of reduce_granules" >&2
      exit 1
    fi
    looked_at=$((looked_at + 1))
    break
  done
done
if [ "$looked_at" -ne 2 ]; then
  echo "$1 makes code for $looked_at of the two families; its last words were:" >&2
  cat "$stage/errors" >&2
  exit 1
fi
