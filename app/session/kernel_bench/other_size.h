// SPDX-License-Identifier: Apache-2.0
// Other sizes of a call, for functions to be found that are right at one alone.
#pragma once

#include <string>
#include <vector>

#include "app/session/kernel_bench/arguments.h"

namespace hidet::session {

struct OtherSize {
    std::vector<Dimension> sizes; // of the call: its dynamic dimensions, and the numbers that extents are made of
    double work = 1;              // times that of the call, about
};
std::string size_text(const OtherSize& size); // "m = 32, n = 64"

// All sizes twice as large, as multiples of whatever a kernel wants, then one after the other. Large ones are tried at less where the
// work would be more than `most` times the call's. None: the function takes one size, or a larger one would be too much.
std::vector<OtherSize> other_sizes(const ArgumentPlan& plan, const Arguments& args, double most);

// What such a call is made of; the script's own tensors are drawn from. `specs` are those of the plan that is returned.
ArgumentPlan plan_at(const OtherSize& size, const ArgumentPlan& plan, const Arguments& args,
                     std::vector<ArgumentSpec>& specs);

} // namespace hidet::session
