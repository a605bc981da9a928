// SPDX-License-Identifier: Apache-2.0
#include "app/cli/counters_text.h"

#include "lang/base/columns.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

// "64 of 16", and how bad the worst request is: what moved, and what would do.
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

std::string line_of(const Source& script, const Place& place) {
    if (place.file != script.name)
        return "";
    std::string_view rest = script.text;
    for (int line = 1; line < place.line; ++line)
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    return std::string(trimmed(rest.substr(0, rest.find('\n'))));
}

Cells cells_of(const LineCounters& line, const Source& script) {
    const std::string where = !line.place.known()              ? "?"
                              : line.place.file == script.name ? cat(line.place.line)
                                                               : cat(line.place.file, ":", line.place.line);
    const double lanes = static_cast<double>(line.threads) / static_cast<double>(line.instructions);
    return {{where, Align::Right},
            {cat(line.instructions), Align::Right},
            {three_digits(lanes), Align::Right},
            {count_text(line.flops), Align::Right},
            {traffic_text(line, "global"), Align::Right},
            {traffic_text(line, "shared"), Align::Right},
            {line.divergent ? cat(line.divergent, " of ", line.branches) : "", Align::Right},
            {line_of(script, line.place)}};
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
