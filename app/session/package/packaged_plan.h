// SPDX-License-Identifier: Apache-2.0
// A planned graph as packages hold it, whoever planned it: a model or a script. Needs no GPU.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/package/package_writer.h"
#include "app/session/work/work.h"
#include "compiler/graph/plan/plan.h"

namespace hidet::session {

struct PackagedEntry {
    std::string name;
    bool looks_at_inputs = false; // the plan itself says what its inputs may index, as no step of it looks
    bool is_shared = false;       // by several processes, which exchange tensors
};
// Machine code of the plan's programs: for its GPU with PTX behind it, or for all levels of x86-64. Nothing: the work says
// why.
std::optional<PackagedPlan> packaged_plan(Work& work, const ImageRequest& request, const graph::CompiledGraph& compiled,
                                          const PackagedEntry& entry);

// The compilers that made code for these kinds of machine, for people.
void add_compilers(Tools& tools, bool has_gpu_code, bool has_cpu_code, PackageContents& contents);

} // namespace hidet::session
