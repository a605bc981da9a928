// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/counters_text.h"

#include "app/cli/text/script_lines.h"
#include "lang/base/columns.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

// "64 of 16", and how bad the worst request is: what moved, and the ideal.
std::string traffic_text(const LineCounters& line, const char* memory) {
    std::uint64_t count = 0, least = 0, worst = 0;
    for (const AccessCounters& access : line.accesses)
        if (access.memory == memory)
            count += access.count, least += access.least, worst = std::max(worst, access.worst);
    if (!count)
        return "";
    return count == least ? cat(count) : cat(count, " for ", least, ", up to ", worst, " times");
}

std::string count_text(std::uint64_t count) {
    return count ? cat(count) : "";
}

Cells cells_of(const LineCounters& line, const Source& script) {
    const double lanes = static_cast<double>(line.threads) / static_cast<double>(line.instructions);
    return {{place_text(script, line.place), Align::Right},
            {cat(line.instructions), Align::Right},
            {three_digits(lanes), Align::Right},
            {count_text(line.flops), Align::Right},
            {traffic_text(line, "global"), Align::Right},
            {traffic_text(line, "shared"), Align::Right},
            {line.divergent ? cat(line.divergent, " of ", line.branches) : "", Align::Right},
            {line_text(script, line.place)}};
}

} // namespace

std::string counters_text(const std::vector<LineCounters>& lines, const Source& script) {
    std::string text;
    for (std::size_t first = 0; first < lines.size();) {
        const std::string& kernel = lines[first].kernel;
        std::vector<Cells> rows = {{{"line", Align::Right},
                                    {"instructions", Align::Right},
                                    {"threads", Align::Right},
                                    {"FLOPs", Align::Right},
                                    {"sectors", Align::Right},
                                    {"wavefronts", Align::Right},
                                    {"divergent", Align::Right},
                                    {""}}};
        for (; first < lines.size() && lines[first].kernel == kernel; ++first)
            rows.push_back(cells_of(lines[first], script));
        text += cat("kernel '", kernel,
                    "': instructions of warps, and threads in one; sectors of 32 bytes of global memory, ",
                    "wavefronts of shared memory\n", columns_text(rows));
    }
    return text;
}

} // namespace hidet::cli
