// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/profile.h"

#include <nlohmann/json.hpp>

#include "runtime/tool/format.h"
#include "runtime/tool/verbs.h"

namespace hidet::tool {

void Profile::print() const {
    double total = 0;
    for (const Step& step : m_steps)
        total += step.microseconds;
    tool::print(counted(m_steps.size(), "step") + ", each waited for, " + time_text(total));
    for (const Step& step : m_steps)
        tool::print("  " + pad(time_text(step.microseconds), 9) +
                    pad(digits(total > 0 ? 100 * step.microseconds / total : 0) + " %", 8) + step.name);
}

nlohmann::json Profile::json() const {
    nlohmann::json steps = nlohmann::json::array();
    for (const Step& step : m_steps)
        steps.push_back({{"name", step.name}, {"microseconds", step.microseconds}});
    return steps;
}

} // namespace hidet::tool
