// One Report for Jobs that ran one after another over the same devices.
#pragma once

#include <skua/report.hpp>

namespace monte_carlo {

/// Adds a Job to those before it: its items come after theirs, its makespan follows on theirs.
/// An empty total takes the Job's Report as it is.
void add_report(skua::Report& total, const skua::Report& part);

}  // namespace monte_carlo
