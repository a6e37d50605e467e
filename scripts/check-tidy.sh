#!/usr/bin/env bash
# clang-tidy over the sources that a change touches, as .clang-tidy says. Bodies for GPUs are left to their own compiler.
# check-tidy.sh BUILD_FOLDER [BASE_REVISION]: the base is, where none is given, what the change has in common with
# origin/main, or else the commit before.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?check-tidy.sh: give a build folder that holds compile_commands.json}
files_max=12

leave_out() {
  echo "check-tidy.sh: left out: $1" >&2
  exit 0
}

command -v clang-tidy >/dev/null || leave_out "there is no clang-tidy"
[ -f "$build/compile_commands.json" ] || leave_out "$build/compile_commands.json is not there"
base=${2:-$(git merge-base HEAD origin/main 2>/dev/null || true)}
if [ -z "${2:-}" ] && { [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; }; then
  base=$(git rev-parse --verify --quiet HEAD~1) || leave_out "there is no commit before this one"
fi

# The library first, then what uses it, then tests.
changed=()
for folders in "base topology runtime scheduler simulation" "cluster bindings tools samples bench" tests; do
  for folder in $folders; do
    while IFS= read -r file; do
      if grep -F "\"file\": \"$PWD/$file\"" --before-context=1 "$build/compile_commands.json" | grep -F '"command"' |
        grep -qv -e ' -x hip ' -e ' -x cu '; then
        changed+=("$file")
      fi
    done < <(git diff --name-only --diff-filter=d "$base" -- "$folder/*.cpp")
  done
done
[ ${#changed[@]} -eq 0 ] && leave_out "no source that is compiled has changed since ${base:0:12}"
if [ ${#changed[@]} -gt $files_max ]; then
  echo "check-tidy.sh: $files_max files at most; not looked at: ${changed[*]:files_max}" >&2
  changed=("${changed[@]:0:files_max}")
fi
# Another compiler's precompiled headers are none of clang's.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed -E 's/ -Winvalid-pch//g; s/ -include [^ ]*cmake_pch[^ ]*//g' "$build/compile_commands.json" >"$commands/compile_commands.json"
# What stood in headers before the change is not its fault.
headers=$(git diff --name-only --diff-filter=d "$base" -- '*.hpp' | sed 's/[.]/[.]/g' | paste -sd '|')
printf '%s\0' "${changed[@]}" | xargs -0 -n 1 -P 2 clang-tidy --quiet -p "$commands" "--header-filter=/(${headers:-none})\$" \
  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-invalid-pch
echo "check-tidy.sh: ${#changed[@]} changed sources looked at"
