#!/usr/bin/env bash
# Installs what is missing, builds skua, and runs its main job: light through a turbid slab, on four devices made of the
# host's cores. Options are passed on to monte_carlo.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

# shellcheck disable=SC2086
install_packages $packages_to_build
cmake --preset release >/dev/null
cmake --build --preset release
exec build/release/bin/monte_carlo --problem slab --case vandehulst --cases samples/data/slab.csv --paths 2e7 \
  --devices host:4 "$@"
