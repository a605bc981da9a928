// SPDX-License-Identifier: Apache-2.0
// hidetc profile: what a GPU counted while it ran a script's kernels, by the lines of the script.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/cells.h"
#include "app/cli/text/document.h"
#include "app/cli/text/script_lines.h"
#include "app/cli/verbs.h"
#include "app/session/profile/profile.h"
#include "app/session/worker/compile_pool.h"
#include "app/session/worker/run_in_worker.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::cli {

using namespace session;

namespace {

// What hidetc profile prints for people.
constexpr std::size_t usual_profile_rows = 12;

std::string moved_text(const TrafficView& traffic) {
    if (!traffic.count)
        return "";
    return traffic.count == traffic.least ? cat(traffic.count) : cat(traffic.count, " for ", traffic.least);
}

std::string foreseen_text(const std::optional<ForeseenView>& foreseen) {
    if (!foreseen)
        return "";
    return cat(foreseen->is_exact ? "" : "about ", static_cast<std::int64_t>(std::llround(foreseen->count)));
}

// "41 % waits for global or local memory, 12 % ...": the three that count most.
std::string stalls_text(const std::vector<StallView>& stalls, std::uint64_t samples) {
    std::vector<std::string> parts;
    for (const StallView& stall : stalls)
        if (parts.size() < 3 && samples)
            parts.push_back(cat(percent_text(static_cast<double>(stall.samples) / static_cast<double>(samples)), " ",
                                stall.reason));
    return join(parts, ", ");
}

std::string why_it_stands(const ProfiledLine& line) {
    const auto stands = std::ranges::find_if(line.stalls, [](const StallView& s) { return s.name != "selected"; });
    return stands == line.stalls.end() ? "" : stands->reason;
}

std::string totals_text(const ProfiledKernel& kernel) {
    std::vector<Cells> rows;
    const auto row = [&](const char* what, const std::string& value) { rows.push_back({{what}, {value}}); };
    row("took", cat(time_text(kernel.seconds), " with its counters"));
    row("memory", cat(bytes_text(kernel.dram_bytes), " of DRAM, ", bytes_text(kernel.l2_bytes), " of L2"));
    row("of roof", cat(percent_text(kernel.compute_roof), " of what it can compute, ", percent_text(kernel.memory_roof),
                       " of what its memory can move"));
    row("occupancy", cat(percent_text(kernel.occupancy), " reached, ", kernel.registers, " registers a thread"));
    row("executed", cat(kernel.executed, " instructions of warps, ", kernel.samples, " samples"));
    if (kernel.sectors.count)
        row("sectors", moved_text(kernel.sectors));
    if (kernel.wavefronts.count)
        row("wavefronts", moved_text(kernel.wavefronts));
    if (!kernel.stalls.empty())
        row("warps", stalls_text(kernel.stalls, kernel.samples));
    if (!kernel.lines_unknown.empty())
        row("lines", cat("not known: ", kernel.lines_unknown));
    return columns_text(rows);
}

// The lines that cost most, in the order of the script.
std::vector<const ProfiledLine*> hottest(const ProfiledKernel& kernel, std::size_t rows) {
    std::vector<const ProfiledLine*> lines = transformed(kernel.lines, [&](const ProfiledLine& line) { return &line; });
    std::ranges::stable_sort(lines, [](const ProfiledLine* a, const ProfiledLine* b) {
        return std::pair(a->samples, a->executed) > std::pair(b->samples, b->executed);
    });
    if (rows && lines.size() > rows)
        lines.resize(rows);
    std::ranges::sort(lines, {},
                      [](const ProfiledLine* line) { return std::pair(line->place.file, line->place.line); });
    return lines;
}

std::string lines_text(const ProfiledKernel& kernel, const Source& script, std::size_t most) {
    std::vector<Cells> rows = {titles(
        {"line>", "samples>", "executed>", "sectors>", "foretold>", "wavefronts>", "foretold>", "stands, most", ""})};
    const std::vector<const ProfiledLine*> lines = hottest(kernel, most);
    for (const ProfiledLine* line : lines)
        rows.push_back(cells(right(place_text(script, line->place)),
                             right(kernel.samples ? percent_text(line->share) : ""), right(cat(line->executed)),
                             right(moved_text(line->sectors)), right(foreseen_text(line->foreseen_sectors)),
                             right(moved_text(line->wavefronts)), right(foreseen_text(line->foreseen_wavefronts)),
                             why_it_stands(*line), line_text(script, line->place)));
    if (rows.size() == 1)
        return "";
    std::string out = columns_text(rows);
    for (const ProfiledLine* line : lines)
        if (!line->remark.empty())
            out += cat("line ", place_text(script, line->place), ": ", line->remark, "\n");
    if (lines.size() < kernel.lines.size())
        out += cat("  and ", kernel.lines.size() - lines.size(), " more: --all\n");
    return out;
}

// `rows`: of each table at most; 0: all.
std::string profile_text(const ProfileResult& result, const Source& script, std::size_t rows) {
    std::string out;
    for (const ProfiledKernel& kernel : result.kernels)
        out += cat(out.empty() ? "" : "\n", "kernel '", kernel.name, "' for ", kernel.arch, ", its first launch\n",
                   totals_text(kernel), lines_text(kernel, script, rows));
    return out;
}

struct ProfileOptions {
    SourceOptions source;
    ProfileRequest request;
    bool command = false;
    bool all = false;
    std::string remote;
};

int print_command(const ProfileOptions& options, const ProfileRequest& request) {
    ProfileResult result = profile_command(request);
    require_modules(options.source.file, "profile", result.modules_built, result);
    return print_result(
        options.source.json, result, [&] { return json_of(result); },
        [&] { return result.command.empty() ? "" : shell_text(result.command) + "\n"; });
}

int profile_script(const ProfileOptions& options, const Cancelled& cancelled) {
    ProfileRequest request = options.request;
    RemoteWorker at;
    if (int exit = exit_fine; !take_remote(options.remote, at, exit))
        return exit;
    if (!options.remote.empty())
        request.count_elsewhere = [&](const CountRequest& counted) { return count_apart(counted, at, &cancelled); };
    if (const int exit = open_preview(options.source, cancelled, request.preview))
        return exit;
    request.preview.tools = open_confined_tools();
    run_source(request, running_program(), options.source.file == "-" ? "" : options.source.file);
    if (options.command)
        return print_command(options, request);
    ProfileResult result = profile(request);
    require_modules(options.source.file, "profile", result.modules_built, result);
    return print_result(
        options.source.json, result, [&] { return json_of(result); },
        [&] { return profile_text(result, request.preview.source, options.all ? 0 : usual_profile_rows); });
}

} // namespace

void add_profile(Verb& program, Action& chosen) {
    Verb verb =
        program.add_verb("profile", "count on a GPU what each line does, by Nsight Compute, beside what maps foretell");
    ProfileOptions& options = options_for(verb, chosen, profile_script);
    add_source(verb, options.source);
    add_preview(verb, options.request.preview);
    verb.text("--function", options.request.preview.function, "F", "this kernel only");
    verb.text("-o,--report", options.request.report, "FILE",
              "keep the report of Nsight Compute, which its window opens");
    const Argument timeout =
        verb.number("--timeout", options.request.seconds, "SECONDS", "seconds after which Nsight Compute is ended")
            .between(1, 1e6);
    const Argument remote = add_remote(verb, options.remote);
    const Argument all = verb.flag("--all", options.all, "all rows of each table");
    verb.flag("--command", options.command, "print the command that counts, to be run elsewhere; needs no GPU")
        .excludes(timeout)
        .excludes(remote)
        .excludes(all);
}

} // namespace hidet::cli
