// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/memory_text.h"

#include "lang/base/columns.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

std::string memory_text(const MemoryChart& chart) {
    std::vector<Cells> rows = {
        {{"from"}, {"to"}, {"read", Align::Right}, {"written", Align::Right}, {"bytes", Align::Right}, {""}}};
    const auto bytes = [](double count) { return count > 0 ? bytes_text(count) : std::string(); };
    for (const MemoryFlow& flow : chart.flows)
        rows.push_back({{memory_level_name(flow.from)},
                        {memory_level_name(flow.to)},
                        {bytes(flow.read), Align::Right},
                        {bytes(flow.written), Align::Right},
                        {cat(flow.is_least ? ">= " : "", bytes_text(flow.bytes)), Align::Right},
                        {flow.says}});
    if (rows.size() == 1)
        return "memory: nothing moves\n";
    const std::string unknown = chart.unknown.empty() ? "" : cat("; ", chart.unknown);
    return cat("memory: what a launch moves between its levels", unknown, "\n", columns_text(rows));
}

} // namespace hidet::cli
