#!/usr/bin/env bash
# Lets skua's CMake ask compilers that make code for what those of ROCm 6.2, ROCm 7.0 and Debian 12 do, and look for HIP
# among trees of several versions.
# run.sh SOURCE_FOLDER
set -euo pipefail
source=$1
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
unset ROCM_PATH HIP_PATH CMAKE_HIP_ARCHITECTURES

fail() {
  echo "run.sh: $1" >&2
  cat "$stage/said" >&2
  exit 1
}
# What CMake said must have this in it, wherever it broke its lines.
said() { tr -s ' \n' ' ' <"$stage/said" | grep -qF -e "$1" || fail "not said: $1"; }
asked() { grep -c . "$stage/asked" || true; }

# compiler NAME ARCHITECTURE...: a compiler that makes code for these, and notes each question. That must be about code
# for the device, with its library.
compiler() {
  local name=$1
  shift
  cat >"$stage/$name" <<END
#!/bin/sh
for word in "\$@"; do
  case "\$word" in --offload-arch=*) wanted=\${word#--offload-arch=} ;; --cuda-device-only) device=yes ;; -nogpulib) exit 1 ;; esac
done
echo "\$wanted" >>"$stage/asked"
for known in $*; do [ "\$device \${wanted%%:*}" = "yes \$known" ] && exit 0; done
echo "clang: error: unsupported HIP gpu architecture: \$wanted" >&2
exit 1
END
  chmod +x "$stage/$name"
}
compiler rocm6.2 gfx900 gfx906 gfx908 gfx90a gfx940 gfx941 gfx942 gfx1030 gfx1100 gfx1101 gfx1200 gfx1201
compiler rocm7.0 gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1101 gfx1200 gfx1201
compiler debian gfx900 gfx906 gfx908 gfx90a gfx940 gfx1030 gfx1100 gfx1101
compiler knows_nothing

# choose COMPILER OPTION...: configures a folder that is named for the compiler, anew unless KEEP is set.
choose() {
  local name=$1
  shift
  if [ -z "${KEEP:-}" ]; then rm -rf "$stage/of_$name"; fi
  : >"$stage/asked"
  cmake -S "$source/tests/hip" -B "$stage/of_$name" -DSKUA_CMAKE="$source/cmake" -DCOMPILER="$stage/$name" "$@" \
    >"$stage/said" 2>&1
}
chooses() { choose "$@" || fail "cmake has failed: $*"; }
refuses() { if choose "$@"; then fail "cmake did not fail: $*"; fi; }

chooses rocm6.2
said "chosen: gfx906;gfx908;gfx90a;gfx942;gfx1100;gfx1201"
said "code for AMD GPUs: gfx906 gfx908 gfx90a gfx942 gfx1100 gfx1201; $stage/rocm6.2 makes none for gfx950"
chooses rocm7.0
said "chosen: gfx906;gfx908;gfx90a;gfx942;gfx950;gfx1100;gfx1201"
if grep -q 'makes none' "$stage/said"; then fail "nothing was refused"; fi
chooses debian
said "chosen: gfx906;gfx908;gfx90a;gfx940;gfx1100"
said "$stage/debian makes none for gfx942 gfx950 gfx1201"
[ "$(asked)" = 8 ] || fail "each is asked for once"

# A second look asks nothing; another compiler under the same name is asked again.
KEEP=yes chooses debian
said "chosen: gfx906;gfx908;gfx90a;gfx940;gfx1100"
said "makes none for gfx942 gfx950 gfx1201"
[ "$(asked)" = 0 ] || fail "the answers were not kept"
KEEP=yes chooses debian -DCMAKE_HIP_FLAGS=--rocm-path=/elsewhere
[ "$(asked)" = 8 ] || fail "other options may have other answers"
cp "$stage/rocm7.0" "$stage/debian.new"
touch -d '1 hour' "$stage/debian.new"
mv "$stage/debian.new" "$stage/debian"
KEEP=yes chooses debian
said "chosen: gfx906;gfx908;gfx90a;gfx942;gfx950;gfx1100;gfx1201"

refuses knows_nothing
said "$stage/knows_nothing makes no code for any AMD GPU"
said "unsupported HIP gpu architecture: gfx1201"
KEEP=yes refuses knows_nothing
said "unsupported HIP gpu architecture: gfx1201"

# What the user names is taken as it is, or refused with what there is.
chooses rocm7.0 "-DCMAKE_HIP_ARCHITECTURES=gfx1030;gfx90a:xnack+"
said "chosen: gfx1030;gfx90a:xnack+"
said "code for AMD GPUs: gfx1030 gfx90a:xnack+ (CMAKE_HIP_ARCHITECTURES)"
refuses rocm7.0 "-DCMAKE_HIP_ARCHITECTURES=gfx90a;gfx940"
said "CMAKE_HIP_ARCHITECTURES: $stage/rocm7.0 makes no code for gfx940; it does for gfx906 gfx908 gfx90a gfx942"
chooses rocm7.0 -DCMAKE_HIP_ARCHITECTURES=native
said "chosen: native"
chooses rocm7.0 -DCMAKE_HIP_ARCHITECTURES=all
said "chosen: gfx906;gfx908;gfx90a;gfx942;gfx950;gfx1100;gfx1201"
CMAKE_HIP_ARCHITECTURES=gfx908 chooses rocm7.0
said "chosen: gfx908"
KEEP=yes chooses rocm7.0
said "chosen: gfx908"

# A machine's own GPUs, where it has any that the compiler knows.
enumerator() {
  printf '#!/bin/sh\n[ "$*" = "-t GPU" ] && printf "%%s\\n" %s\n' "$*" >"$stage/enumerator"
  chmod +x "$stage/enumerator"
}
enumerator gfx000 gfx90a:sramecc+:xnack- gfx90a gfx1030
chooses rocm6.2 -DENUMERATOR="$stage/enumerator"
said "chosen: gfx90a;gfx1030"
said "code for AMD GPUs: gfx90a gfx1030 (this machine's)"
chooses rocm6.2 -DENUMERATOR="$stage/enumerator" -DCMAKE_HIP_ARCHITECTURES=gfx942
said "chosen: gfx942"
enumerator gfx942 gfx950
chooses rocm6.2 -DENUMERATOR="$stage/enumerator"
said "chosen: gfx942"
said "$stage/rocm6.2 makes no code for gfx950, which this machine has"
for nothing in gfx000 gfx1036; do
  enumerator $nothing
  chooses rocm6.2 -DENUMERATOR="$stage/enumerator"
  said "chosen: gfx906;gfx908;gfx90a;gfx942;gfx1100;gfx1201"
done

# rocm FOLDER HEADER LIBRARY PROGRAM: a tree of HIP whose parts tell these versions; "-" tells none.
rocm() {
  local root=$stage/$1
  mkdir -p "$root/include/hip" "$root/lib/llvm/bin" "$root/bin"
  touch "$root/include/hip/hip_runtime_api.h"
  if [ "$2" != - ]; then printf '#define HIP_VERSION_MAJOR %s\n#define HIP_VERSION_MINOR 2\n' "$2" >"$root/include/hip/hip_version.h"; fi
  if [ "$3" != - ]; then
    touch "$root/lib/libamdhip64.so.$3"
    ln -s "libamdhip64.so.$3" "$root/lib/libamdhip64.so"
  else
    touch "$root/lib/libamdhip64.so"
  fi
  cat >"$root/bin/hipconfig" <<END
#!/bin/sh
case "\$1" in
  --version) [ "$4" = - ] || printf %s "$4" ;;
  --rocmpath) printf %s "$root" ;;
  --hipclangpath) printf %s "$root/lib/llvm/bin" ;;
esac
END
  printf '#!/bin/sh\necho "HIP version: %s"\necho "AMD clang version 18.0.0git"\n' "$4" >"$root/bin/hipcc"
  printf '#!/bin/sh\n' >"$root/lib/llvm/bin/clang++"
  chmod +x "$root/bin/hipconfig" "$root/bin/hipcc" "$root/lib/llvm/bin/clang++"
}
find_hip() {
  rm -rf "$stage/found"
  cmake -S "$source/tests/hip" -B "$stage/found" -DSKUA_CMAKE="$source/cmake" >"$stage/said" 2>&1
}
finds_in() {
  find_hip || fail "HIP in $1 was not taken"
  said "found: $1/include $1/lib/libamdhip64.so $1/bin/hipconfig $1/lib/llvm/bin/clang++"
}

# The user's ROCm comes before the one on the PATH, as Debian's is.
rocm named 6 6.2.41134 6.2.41134-65d174c3e
rocm system 5 5.2.21153 5.2.21153-0
rocm silent - - -
system=$stage/system/bin:$PATH
ROCM_PATH=$stage/named PATH=$system finds_in "$stage/named"
HIP_PATH=$stage/named PATH=$system finds_in "$stage/named"
ROCM_PATH=$stage/silent HIP_PATH=$stage/named PATH=$system finds_in "$stage/silent"
if [ ! -e /opt/rocm/bin/hipconfig ]; then PATH=$system finds_in "$stage/system"; fi

# Parts of two versions are named, each with its own.
rocm mixed 5 6.2.41134 6.2.41134-65d174c3e
if ROCM_PATH=$stage/mixed find_hip; then fail "a header of HIP 5 beside a library of HIP 6"; fi
said "HIP's header, library and hipconfig are of different versions: 5: $stage/mixed/include/hip/hip_version.h 6.2.41134:"
said "6.2.41134: $stage/mixed/lib/libamdhip64.so.6.2.41134 6.2.41134: $stage/mixed/bin/hipconfig"
said "name one ROCm by the variable ROCM_PATH"
rocm older 7 7.0.51831 6.4.0
if ROCM_PATH=$stage/older find_hip; then fail "a hipconfig of HIP 6 beside a library of HIP 7"; fi
said "6.4.0: $stage/older/bin/hipconfig"
