// SPDX-License-Identifier: Apache-2.0
// hidetc bench: a line for each function, times first, then what they mean.
#include <cstdio>

#include "app/cli/output.h"
#include "app/cli/target.h"
#include "app/cli/trial.h"
#include "app/cli/verbs.h"
#include "app/session/bench.h"

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

namespace {

bool is_script(const std::string& peer) {
    return peer.find('.') != std::string::npos || peer.find('/') != std::string::npos;
}

} // namespace

int bench(const Options& options, const std::atomic<bool>& cancelled) {
    if (asks_for_trial(options))
        return run_trial(options, cancelled);
    BenchRequest request;
    int exit = exit_fine;
    if (!open_source(options, request.run.source, exit))
        return exit;
    if (is_script(options.against)) {
        Options other = options;
        other.file = options.against;
        if (!open_source(other, request.other.emplace(), exit))
            return exit;
    } else {
        request.against = options.against;
    }
    std::string output;
    request.run.target = target_of(options);
    request.run.seed = options.seed;
    request.run.tools = open_tools();
    request.run.kernel_seconds = options.timeout;
    request.run.cancelled = &cancelled;
    request.run.fault = options.fault;
    request.run.print = [&](std::string_view text) { output += text; };
    BenchResult result = session::bench(request);
    if (options.json) {
        print_text(json_of(result, output));
        return end_of(result);
    }
    for (const BenchRow& row : result.rows)
        print_text(row_text(row, cat(row.function, "(", row.shapes, ") on ", row.where, "\n")));
    if (!result.rows.empty() && result.rows.front().peak_flops > 0)
        print_note(cat("limits of ", result.rows.front().where, ": ",
                       rate_text(result.rows.front().peak_flops, 1, "FLOP/s"), ", ",
                       rate_text(result.rows.front().peak_bytes_per_second, 1, "B/s"), " of memory"));
    print_diagnostics(result.diagnostics);
    return end_of(result);
}

} // namespace hidet::cli
