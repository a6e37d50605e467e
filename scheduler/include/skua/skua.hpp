// All of skua that a program needs.
#pragma once

#include <skua/discovery.hpp>
#include <skua/input.hpp>
#include <skua/policy.hpp>
#include <skua/progress.hpp>
#include <skua/report.hpp>
#include <skua/scheduler.hpp>
#include <skua/topology.hpp>
