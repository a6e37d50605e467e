#!/usr/bin/env bash
# What first-node.sh wants to know of a machine. machine.sh WHAT [ROOT]: /sys and /proc stand in ROOT.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
. scripts/packages.sh
what=${1:?machine.sh: give versions, driver, rocminfo, install or missing}
root=${2:-}

versions() {
  local file tool variable
  uname -sr
  grep -hs PRETTY_NAME /etc/os-release
  grep -m 1 'model name' /proc/cpuinfo
  echo "$(nproc) CPUs allowed; $(grep MemTotal /proc/meminfo)"
  [ -e /.dockerenv ] && echo "in a container"
  for file in "$root"/sys/module/amdgpu/version "$root"/sys/module/nvidia/version /opt/rocm*/.info/version; do
    [ -r "$file" ] && echo "$file: $(cat "$file")"
  done
  for tool in "hipconfig --version" "hipcc --version" "nvcc --version" "cmake --version" "g++ --version"; do
    # shellcheck disable=SC2086
    command -v "${tool%% *}" >/dev/null && echo "$tool: $(timeout 10 $tool 2>&1 | paste -sd ' ' | cut -c 1-200)"
  done
  for variable in ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES GPU_DEVICE_ORDINAL HSA_CU_MASK \
    ROC_GLOBAL_CU_MASK GPU_MAX_HW_QUEUES HSA_XNACK AMD_OPT_FLUSH HIP_FORCE_DEV_KERNARG HSA_ENABLE_SDMA \
    DEBUG_HIP_DYNAMIC_QUEUES CUDA_DEVICE_MAX_CONNECTIONS; do
    [ -n "${!variable+set}" ] && echo "$variable=${!variable}"
  done
  stat --format='%A %n' /dev/kfd /dev/dri/render* /dev/nvidia[0-9]* 2>/dev/null
  return 0
}

# Each node of the driver's graph on a line, and one for all links from it.
driver() {
  local nodes=$root/sys/class/kfd/kfd/topology/nodes node file
  local wanted="simd_count simd_per_cu array_count simd_arrays_per_engine cu_per_simd_array num_xcc num_cp_queues
    max_waves_per_simd domain location_id gfx_target_version num_sdma_engines num_sdma_xgmi_engines cpu_cores_count"
  for node in $(find "$nodes" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n); do
    awk -v node="$node" -v wanted=" ${wanted//$'\n'/ } " '
      index(wanted, " " $1 " ") && $2 != 0 { line = line " " $1 "=" $2 }
      END { print "node " node ":" line }' "$nodes/$node/properties"
    cat "$nodes/$node"/{io_links,p2p_links}/*/properties 2>/dev/null | awk '
      $1 == "type" { type = $2 }
      $1 == "node_to" { to = $2 }
      $1 == "weight" { weight = $2 }
      $1 == "max_bandwidth" { line = line " " to ":type" type ",weight" weight ",max" $2 }
      END { if (line) print "  links" line }'
  done
  for file in "$root"/sys/class/drm/card*/device/{current,available}_{compute,memory}_partition; do
    [ -r "$file" ] && echo "${file#"$root"}: $(cat "$file")"
  done
  return 0
}

of_rocminfo() {
  local names="Name|Marketing Name|Compute Unit|SIMDs per CU|Shader Engines|Shader Arrs. per Eng.|Queue Type"
  names+="|Max Waves Per CU|Wavefront Size|Max Clock Freq. .MHz.|Chip ID|BDFID|Internal Node ID"
  rocminfo | grep -E "^Agent |  ($names):"
}

# shellcheck disable=SC2154,SC2206
packages=($packages_to_build libgtest-dev libgmock-dev)
case $what in
  versions) versions ;;
  driver) driver ;;
  rocminfo) of_rocminfo ;;
  install) install_packages "${packages[@]}" ;;
  missing) missing_packages "${packages[@]}" ;;
  *) echo "machine.sh: nothing to say of $what" >&2 && exit 2 ;;
esac
