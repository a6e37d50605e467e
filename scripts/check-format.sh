#!/usr/bin/env bash
# Whether every source in the repository is laid out as .clang-format says. Names those that are not, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang-format >/dev/null; then
  echo "check-format.sh: left out: there is no clang-format" >&2
  exit 0
fi
git ls-files -z -- '*.cpp' '*.hpp' | xargs -0 -n 20 -P 2 clang-format --dry-run --Werror
echo "check-format.sh: all sources are laid out as .clang-format says"
