# What skua is built from: Debian's names. To be sourced; install_packages NAME... installs those that are missing, and
# missing_packages NAME... prints them, or all where nobody knows.

packages_to_build="g++ cmake ninja-build libhwloc-dev libnuma-dev libtbb-dev librandom123-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libxml2-dev"
packages_to_test="$packages_to_build libsimgrid-dev libgtest-dev libgmock-dev libbenchmark-dev relacy-dev librocm-smi-dev graphviz xz-utils git
  hipcc libamdhip64-dev ccache clang-format clang-tidy"

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

install_packages() {
  local missing
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "Not Debian or Ubuntu: going on with what is here. Needed, by Debian's names: $*" >&2
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Missing, and there is neither root nor sudo to install it: ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  "${as_root[@]}" apt-get update --quiet=2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends \
    "${missing[@]}" >/dev/null
}
