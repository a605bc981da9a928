// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/instruments.h"

#include <map>

#include "lang/base/columns.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::graph {

static std::string rules_text(const PassRecord& record) {
    std::map<std::string, std::size_t> counts;
    for (const Match& match : record.matches)
        if (match.rule != record.pass)
            ++counts[match.rule];
    std::vector<std::string> parts;
    for (const auto& [rule, count] : counts)
        parts.push_back(cat(rule, " ", count));
    return join(parts, ", ");
}

std::string profile_text(const std::vector<PassRecord>& records) {
    std::vector<Cells> rows;
    for (const PassRecord& record : records)
        rows.push_back({{record.pass},
                        {time_text(record.milliseconds * 1e-3), Align::Right},
                        {std::to_string(record.matches.size()), Align::Right},
                        {record.is_on ? rules_text(record) : "off"}});
    return columns_text(rows);
}

} // namespace hidet::graph
