// Partitions of GPUs, by the addresses that tools give them.
#pragma once

#include <vector>

#include <skua/topology.hpp>

namespace skua {

/// GPUs at several functions of one device are partitions of one GPU, which is at function 0; the function that each of
/// them claims is its number. GPUs that have a number keep it.
void number_partitions(std::vector<Gpu>& gpus);

/// Whether both are partitions of one GPU, and not the same.
bool are_in_one_package(const Gpu& a, const Gpu& b);

}  // namespace skua
