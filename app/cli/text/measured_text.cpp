// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/measured_text.h"

#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

std::string spread_text(const TimesView& times) {
    return cat("10th to 90th percentile: ", time_text(times.p10), " to ", time_text(times.p90));
}

// " (faster: 0.81 to 0.83 of its time)", where enough was measured to say so.
static std::string speed_text(const BenchRow& row) {
    const std::optional<bench::Ratio> ratio = row.to_baseline();
    const std::optional<SpeedVerdict> speed = speed_of(row);
    if (!ratio || !speed)
        return "";
    return cat(" (", speed->word, ": ", number_text(ratio->low), " to ", number_text(ratio->high), " of its time",
               speed->why.empty() ? "" : ", but " + speed->why, ")");
}

// "10.2 µs each of 48 launches in a row, 1 % spread (5 copies of b, 160 MiB; a, c shared)\n  cuBLAS 13.0.2 in a row: ..."
static std::string row_in_a_row(const InARow& row, const std::string& baseline) {
    std::string out = cat(time_text(row.times.median), " each of ", row.launches, " launches in a row",
                          row.is_graph ? "" : ", not in a graph", ", ", percent_text(row.times.spread), " spread");
    std::vector<std::string> data;
    if (!row.copied.empty())
        data.push_back(cat(row.copies, row.copies == 1 ? " copy of " : " copies of ", join(row.copied, ", "), ", ",
                           bytes_text(row.bytes), row.leave_cache ? "" : ", which may stay in the cache"));
    if (!row.shared.empty())
        data.push_back(join(row.shared, ", ") + " shared");
    if (!data.empty())
        out += cat(" (", join(data, "; "), ")");
    if (row.ratio())
        out += cat("\n  ", baseline, " in a row: ", time_text(row.baseline_times->median), ", so this reaches ",
                   percent_text(*row.ratio()));
    return out;
}

std::string row_text(const BenchRow& row, const std::string& heading) {
    std::string out = heading;
    out += cat("  ", time_text(row.times.median), ", median of ", row.times.count, " calls",
               row.is_emulated ? " on " + where_measured(row.where, true) : "", ", ", spread_text(row.times), "\n  ");
    out += row.flops ? cat(row.flops_at_most ? "at most " : "", si_text(*row.flops / row.times.median, "FLOP/s"))
                     : cat("operations unknown (", row.flops_unknown, ")");
    out += ", " + si_text(row.bytes / row.times.median, "B/s") + " of its arguments";
    if (row.roofline)
        out += cat(", ", percent_text(*row.roofline), " of roofline (", row.is_memory_bound ? "memory" : "arithmetic",
                   ")");
    if (row.hot)
        out += cat("\n  ", time_text(row.hot->median), " with its data in the cache, ", percent_text(row.hot->spread),
                   " spread");
    if (row.baseline_times)
        out += cat("\n  ", row.baseline, ": ", time_text(row.baseline_times->median), ", so this reaches ",
                   percent_text(row.share_of_baseline()), speed_text(row), "; results ",
                   row.baseline_difference ? "differ by at most " + number_text(*row.baseline_difference)
                                           : "not compared");
    if (row.in_a_row)
        out += "\n  " + row_in_a_row(*row.in_a_row, row.baseline);
    for (const std::string& note : row.notes)
        out += "\n  " + note;
    return out + "\n";
}

} // namespace hidet::cli
