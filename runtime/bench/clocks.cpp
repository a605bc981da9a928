// SPDX-License-Identifier: Apache-2.0
#include "runtime/bench/clocks.h"

#include <algorithm>

#include "lang/base/text.h"

namespace hidet::bench {

void add(Clocks& all, int mhz, const std::vector<std::string>& slowed_by) {
    if (mhz > 0) {
        all.lowest_mhz = all.lowest_mhz > 0 ? std::min(all.lowest_mhz, mhz) : mhz;
        all.highest_mhz = std::max(all.highest_mhz, mhz);
    }
    for (const std::string& each : slowed_by)
        if (std::ranges::find(all.slowed_by, each) == all.slowed_by.end())
            all.slowed_by.push_back(each);
}

std::string slowdown_text(const Clocks& clocks) {
    std::vector<std::string> by = clocks.slowed_by;
    std::erase(by, "power limit");
    return by.empty() ? "" : "it was slowed down by: " + join(by, ", ");
}

std::string change_text(const Clocks& clocks) {
    if (clocks.highest_mhz - clocks.lowest_mhz <= steady_within * clocks.highest_mhz)
        return "";
    return cat("its clock was between ", clocks.lowest_mhz, " and ", clocks.highest_mhz, " MHz");
}

} // namespace hidet::bench
