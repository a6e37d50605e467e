// For tests that run over every engine of simulated machines.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include <skua/simulated.hpp>

namespace skua {

void PrintTo(SimulationEngine engine, std::ostream* stream);

namespace test {

/// A test whose parameter is the engine.
class OverEachEngine : public testing::TestWithParam<SimulationEngine> {};

std::string engine_name(const testing::TestParamInfo<SimulationEngine>& info);

}  // namespace test
}  // namespace skua
