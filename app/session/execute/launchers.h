// SPDX-License-Identifier: Apache-2.0
// Kernels that no host function of theirs launches, but a step of a launch plan: each way in which steps launch one gets a
// host function that takes what the kernel takes, and then the extents of the launch. In place of a tensor map it takes the
// tensor and the numbers that describe it: grid, block and cluster in x, y and z and the bytes of dynamic shared memory follow
// the kernel's parameters, all i64. Drivers launch kernels themselves; what has only host functions calls these by name.
#pragma once

#include <string>
#include <vector>

#include "compiler/artifact/launch_plan.h"
#include "compiler/artifact/source.h"
#include "compiler/ir/intrinsics/intrinsic_attr.h"

namespace hidet::session {

struct Launcher {
    std::string kernel;
    bool overlaps = false;               // the kernel may begin before the one before it has ended
    std::vector<ir::IntrinsicAttr> maps; // of its parameters that are tensor maps, one after the other
    friend bool operator==(const Launcher&, const Launcher&) = default;
};

// Its name. No function of a script has such a one.
std::string name_of(const Launcher& launcher);

Launcher launcher_of(const artifact::LaunchPlan& plan, const artifact::PlanBody& body,
                     const artifact::PlanStep& launch);

// The numbers that a launcher takes for a tensor map, as far as they are no extents and strides, which come before them.
std::vector<std::int64_t> numbers_of(const package::PlanTensorMap<package::Flat>& map);

} // namespace hidet::session
