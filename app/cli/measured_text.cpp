// SPDX-License-Identifier: Apache-2.0
#include "app/cli/measured_text.h"

#include <cstdio>

#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

std::string formatted(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

} // namespace

std::string seconds_text(double seconds) {
    if (seconds < 1e-3)
        return formatted("%.2f us", seconds * 1e6);
    return seconds < 1 ? formatted("%.3f ms", seconds * 1e3) : formatted("%.3f s", seconds);
}

std::string rate_text(double amount, double seconds, const char* unit) {
    double rate = amount / seconds;
    return rate >= 1e12 ? formatted("%.2f T", rate * 1e-12) + unit : formatted("%.2f G", rate * 1e-9) + unit;
}

std::string row_text(const BenchRow& row, const std::string& heading) {
    std::string out = heading;
    out += cat("  ", seconds_text(row.times.median), " median of ", row.times.count, ", ",
               formatted("%.1f %%", row.times.spread * 100), " from the tenth to the ninetieth percentile\n  ");
    out += row.flops ? cat(row.flops_at_most ? "at most " : "", rate_text(*row.flops, row.times.median, "FLOP/s"))
                     : cat("operations unknown (", row.flops_unknown, ")");
    out += ", " + rate_text(row.bytes, row.times.median, "B/s") + " of its arguments";
    if (row.roofline)
        out += cat(", ", formatted("%.0f %%", *row.roofline * 100), " of the roofline (",
                   row.is_memory_bound ? "memory" : "arithmetic", ")");
    if (row.hot)
        out += cat("\n  ", seconds_text(row.hot->median), " with its data in the cache, ",
                   formatted("%.1f %%", row.hot->spread * 100), " spread");
    if (row.peer_times)
        out += cat("\n  ", row.peer, ": ", seconds_text(row.peer_times->median), ", so this reaches ",
                   formatted("%.0f %%", row.peer_times->median / row.times.median * 100),
                   "; results differ by at most ", formatted("%.2g", row.peer_difference));
    for (const std::string& note : row.notes)
        out += "\n  " + note;
    return out + "\n";
}

} // namespace hidet::cli
