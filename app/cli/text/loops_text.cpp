// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/loops_text.h"

#include "lang/base/columns.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

std::string at_text(const Place& place, const std::string& script) {
    return place.file == script ? cat("line ", place.line) : cat(place.file, ":", place.line);
}

std::string flops_text(const LoopView& loop) {
    if (!loop.flops_unknown.empty())
        return cat("operations not known: ", loop.flops_unknown);
    std::vector<std::string> parts;
    if (loop.flops > 0 || loop.matrix_flops == 0)
        parts.push_back(si_text(loop.flops, "FLOP"));
    if (loop.matrix_flops > 0)
        parts.push_back(cat(si_text(loop.matrix_flops, "FLOP"), " by matrix units"));
    return cat(loop.flops_at_most ? "at most " : "", join(parts, " and "));
}

std::string loop_text(const LoopView& loop, const std::string& script) {
    std::string out =
        cat(loop.is_inner ? "inner loop" : "loop", " over '", loop.variable, "', ", at_text(loop.place, script), ": ",
            loop.trips > 0 ? cat(loop.trips, loop.trips == 1 ? " turn" : " turns") : "turns not known", "\n");
    if (!loop.unknown.empty())
        return cat(out, "  nothing more is known: ", loop.unknown, "\n");
    out += cat("  a block in a turn: ", flops_text(loop), "; ", bytes_text(loop.global_bytes), " of global memory, ",
               bytes_text(loop.sector_bytes), " in sectors; ", bytes_text(loop.shared_bytes), " of shared memory\n");
    std::vector<std::string> pipes;
    for (const Pipe& pipe : loop.pipes)
        pipes.push_back(cat(pipe.name, " ", three_digits(pipe.cycles)));
    if (pipes.empty())
        return out;
    out += cat("  lower bound, SM cycles per iteration: ", join(pipes, ", "), "\n");
    if (loop.advice.empty())
        return cat(out, "  ", loop.limiter, " limits it, and no rule knows better\n");
    out += cat("  ", loop.limiter, " limits it\n");
    for (const LoopAdvice& advice : loop.advice) {
        std::vector<std::string> lines;
        for (const Place& place : advice.evidence)
            lines.push_back(at_text(place, script));
        out += cat("  ", three_digits(advice.gain), " times as high a limit, then of ", advice.limit, ": ", advice.edit,
                   " (", join(lines, ", "), ")\n");
    }
    return out;
}

} // namespace

std::string loops_text(const KernelExplained& kernel, const std::string& script) {
    std::string out;
    for (const LoopView& loop : kernel.loops)
        out += loop_text(loop, script);
    return out;
}

} // namespace hidet::cli
