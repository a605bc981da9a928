// SPDX-License-Identifier: Apache-2.0
// How near the results of a call should come to what they should be, as far as its text says it.
#pragma once

#include <vector>

#include "app/session/compare/call_memory.h"
#include "app/session/compare/compare.h"
#include "app/session/execute/executor.h"
#include "compiler/perf/roofs.h"

namespace hidet::session {

// What the call does, counted off its lowered module.
void count_work(const Executable& module, const FunctionCall& call, perf::RoofedWork& out);

// What its sums are rounded to, but nothing narrower than all that it takes and gives: that would be less than was asked for.
ir::DType sum_type(const perf::RoofedWork& work, const Arguments& args);

// Without a tolerance that somebody asks for. The module is the one that the script made.
Expectation expectation_of(const perf::RoofedWork& work, const ir::ModuleRef& module, const Arguments& args,
                           const std::vector<compiler::ParameterAccess>& accesses);

} // namespace hidet::session
