// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/artifact/target_spec.h"

namespace hidet::perf {

// What a launch takes at least, behind another one in a graph: measured on an H200, whose second kernel may begin before the
// first has ended; the threads of a CPU's pool may still be awake. TargetSpec::launch_seconds is what it takes as a rule.
inline double least_launch_seconds(const artifact::TargetSpec& target) {
    return target.is_cuda() ? 0.8e-6 : 0.1e-6;
}

} // namespace hidet::perf
