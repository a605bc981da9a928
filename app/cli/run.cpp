// SPDX-License-Identifier: Apache-2.0
// hidetc run and hidetc emulate, which looks closer and never uses a GPU.
#include <algorithm>
#include <string>
#include <vector>

#include "app/cli/output.h"
#include "app/cli/text/cells.h"
#include "app/cli/text/document.h"
#include "app/cli/text/numbers.h"
#include "app/cli/text/script_lines.h"
#include "app/cli/tile_choice.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"
#include "app/session/request/source.h"
#include "app/session/snapshot/snapshot.h"
#include "app/session/view/timeline_rows.h"
#include "app/session/worker/run_in_worker.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::cli {

using namespace session;

namespace {

// Counters of a run of the emulator, as a table for each kernel.

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

std::string text_unless_zero(std::uint64_t count) {
    return count ? cat(count) : "";
}

Cells cells_of(const LineCounters& line, const Source& script) {
    const double lanes = static_cast<double>(line.threads) / static_cast<double>(line.instructions);
    return cells(
        right(place_text(script, line.place)), right(cat(line.instructions)), right(three_digits(lanes)),
        right(text_unless_zero(line.flops)), right(traffic_text(line, "global")), right(traffic_text(line, "shared")),
        right(line.divergent ? cat(line.divergent, " of ", line.branches) : ""), line_text(script, line.place));
}

// `script`: the text that lines are of.
std::string counters_text(const std::vector<LineCounters>& lines, const Source& script) {
    std::string text;
    for (std::size_t first = 0; first < lines.size();) {
        const std::string& kernel = lines[first].kernel;
        std::vector<Cells> rows = {
            titles({"line>", "instructions>", "threads>", "FLOPs>", "sectors>", "wavefronts>", "divergent>", ""})};
        for (; first < lines.size() && lines[first].kernel == kernel; ++first)
            rows.push_back(cells_of(lines[first], script));
        text += cat("kernel '", kernel,
                    "': instructions of warps, and threads in one; sectors of 32 bytes of global memory, ",
                    "wavefronts of shared memory\n", columns_text(rows));
    }
    return text;
}

constexpr int most_columns = 100;
constexpr double least_share = 0.35; // of a column that an instruction that only begins something takes

char sign_of(const std::string& kind) {
    return kind == "copy" ? '>' : kind == "wait" ? '.' : kind == "compute" ? '=' : '<';
}

// What a warp does for the most part of each column.
std::string row_of(const TimelineView& timeline, int warp, int columns) {
    const double width = static_cast<double>(timeline.steps) / columns;
    std::vector<std::array<double, 4>> shares(static_cast<std::size_t>(columns));
    static constexpr std::string_view signs = "=.><";
    std::int64_t last = 0;
    for (const TimelineSpan& span : timeline.spans) {
        if (span.warp != warp)
            continue;
        last = std::max(last, span.end);
        const std::size_t sign = signs.find(sign_of(span.kind));
        const int first = std::min(static_cast<int>(static_cast<double>(span.begin) / width), columns - 1);
        for (int c = first; c < columns && c * width < static_cast<double>(std::max(span.end, span.begin + 1)); ++c) {
            double share = std::min((c + 1) * width, static_cast<double>(span.end)) -
                           std::max(c * width, static_cast<double>(span.begin));
            if (sign >= 2)
                share = std::max(share, least_share * width);
            shares[static_cast<std::size_t>(c)][sign] += share;
        }
    }
    std::string out;
    for (int c = 0; c < columns; ++c) {
        const auto& share = shares[static_cast<std::size_t>(c)];
        const auto most = std::ranges::max_element(share);
        out += *most >= 0.25 * width                   ? signs[static_cast<std::size_t>(most - share.begin())]
               : c * width < static_cast<double>(last) ? '-'
                                                       : ' ';
    }
    return out;
}

// A stage: copies under way to it, and what is there until the next ones.
std::string row_of_slot(const TimelineView& timeline, int slot, int columns) {
    const double width = static_cast<double>(timeline.steps) / columns;
    std::string out(static_cast<std::size_t>(columns), ' ');
    const auto fill = [&](std::int64_t begin, std::int64_t end, char sign) {
        for (int c = 0; c < columns; ++c)
            if ((c + 0.5) * width >= static_cast<double>(begin) && (c + 0.5) * width < static_cast<double>(end))
                out[static_cast<std::size_t>(c)] = sign;
    };
    std::vector<const TimelineSpan*> copies;
    for (const TimelineSpan& span : timeline.spans)
        if (span.slot == slot)
            copies.push_back(&span);
    std::ranges::stable_sort(copies, {}, &TimelineSpan::begin);
    for (const TimelineSpan* copy : copies)
        fill(copy->landed, timeline.steps, '#');
    for (const TimelineSpan* copy : copies)
        fill(copy->begin, copy->landed, '~');
    return out;
}

std::string warps_name(int first, int last) {
    return first == last ? cat("warp ", first) : cat("warps ", first, "-", last);
}

std::string timeline_text(const TimelineView& timeline, const Source& script) {
    const int columns = static_cast<int>(std::clamp<std::int64_t>(timeline.steps, 1, most_columns));
    std::string out =
        cat("kernel '", timeline.kernel, "', ", block_text(timeline), ": ", times_of(timeline, timeline.steps), ", ",
            timeline.source, "; a column is ", three_digits(static_cast<double>(timeline.steps) / columns), "\n  ",
            clock_text(timeline), "\n  > begins copies, = computes, < stores, . waits, - other instructions",
            timeline.stages == 0 ? ""
            : timeline.marked ? "; below: ~ from the issue of copies to the end of the first wait for them, # behind it"
                              : "; below: ~ copies are under way, # they have arrived",
            "\n");
    if (timeline.spans.empty())
        return out + "  its warps did nothing that is timed\n";
    std::vector<Cells> rows;
    for (const TimelineRole& role : timeline.roles)
        for (std::size_t i = 0; i < role.warps.size();) {
            const std::string row = row_of(timeline, role.warps[i], columns);
            std::size_t end = i + 1;
            while (end < role.warps.size() && role.warps[end] == role.warps[end - 1] + 1 &&
                   row_of(timeline, role.warps[end], columns) == row)
                ++end;
            rows.push_back({{warps_name(role.warps[i], role.warps[end - 1])}, {role.name}, {cat("|", row, "|")}});
            i = end;
        }
    for (int slot = 0; slot < timeline.stages; ++slot)
        rows.push_back({{slot_name(timeline, slot)}, {""}, {cat("|", row_of_slot(timeline, slot, columns), "|")}});
    out += columns_text(rows);
    if (timeline.dropped)
        out += cat("  there is more: ", timeline.dropped, " marks found no place\n");
    else if (timeline.is_cut_short)
        out += "  there is more, which is left out\n";
    rows = {cells(right("line"), "who waits", right("times"), right(cat(timeline.unit, "s a warp")), right("of all"),
                  "for what")};
    for (const TimelineBubble& bubble : timeline.bubbles)
        rows.push_back(
            cells(right(place_text(script, bubble.place)), cat("those that ", bubble.role), right(cat(bubble.times)),
                  right(cat(bubble.steps / bubble.warps)), right(percent_text(bubble.share)),
                  cat(bubble.reason,
                      bubble.by_copy && bubble.by_place.known() ? cat(" (line ", bubble.by_place.line, ")") : "")));
    return timeline.bubbles.empty() ? out + "  nobody waits\n" : out + columns_text(rows);
}

// Pipelines of a run of the emulator: rows of warps over time, the stages that copies fill, and what is waited for.
std::string timelines_text(const std::vector<TimelineView>& timelines, const Source& script) {
    return join(transformed(timelines, [&](const TimelineView& timeline) { return timeline_text(timeline, script); }),
                "\n");
}

// What `run` and `emulate` take to show pipelines.
struct TimelineOptions {
    bool events = false; // of the emulator
    bool marks = false;
    std::string block; // "3", "1,0,2"
    std::uint64_t launch = 1;
    std::uint64_t copy_steps = 0; // 0: as many as usual
    std::string svg;
    bool is_asked() const { return events || marks; }
};

enum class TimelineBy : std::uint8_t { EventsOrMarks, Marks }; // what the verb has

void add_timeline(Verb& verb, TimelineOptions& options, TimelineBy by) {
    if (by == TimelineBy::EventsOrMarks) {
        verb.flag("--timeline", options.events,
                  "show when the warps of a block of each kernel copy, wait, compute and store");
        verb.number("--copy-steps", options.copy_steps, "N", "steps that a copy takes in it (600)").between(1, 1e6);
    }
    verb.flag(
        "--markers", options.marks,
        by == TimelineBy::Marks
            ? "show when the warps of a block of each kernel copy, wait, compute and store, by marks in the kernel, "
              "which reads a clock; what that costs is said"
            : "likewise, by the marks in the kernel that a GPU has too");
    verb.text("--block", options.block, "N|X,Y,Z", "the block that is shown, by its number or its index (0)");
    verb.number("--launch", options.launch, "N", "the launch of each kernel that is shown (1)").between(1, 1e9);
    add_svg(verb, options.svg);
}

// False: they make no sense, which is said.
bool take_timeline(const TimelineOptions& options, session::RunRequest& request) {
    const bool is_refined = options.copy_steps || !options.svg.empty() || !options.block.empty() || options.launch != 1;
    if (!options.is_asked())
        return !is_refined ||
               wrong_usage("'--block', '--launch', '--copy-steps' and '--svg' are of '--timeline' and '--markers'");
    if (options.marks && options.copy_steps)
        return wrong_usage(
            "'--copy-steps' is of '--timeline' without '--markers': marks do not know when a copy lands");
    if (options.marks && request.target == session::Target::Cpu)
        return wrong_usage("'--markers' are in kernels on a GPU or on the emulator, and '--target cpu' has none");
    if (!options.block.empty() && !read_block(options.block, request.timed_block))
        return false;
    request.times = true;
    request.marks = options.marks;
    request.timed_launch = static_cast<std::int64_t>(options.launch);
    if (options.copy_steps)
        request.copy_steps = options.copy_steps;
    return true;
}

// Of a run that ended well: false where nothing is there to show, which is said.
bool has_timeline(const session::RunRequest& request, const session::RunSummary& summary) {
    if (!request.times || !summary.timelines.empty())
        return true;
    const auto& [x, y, z] = request.timed_block;
    const bool is_number = y < 0 || (x == 0 && y == 0 && z == 0);
    const std::string block = is_number ? cat(x) : cat("(", x, ", ", y, ", ", z, ")");
    return wrong_usage(summary.launches == 0
                           ? "there is no pipeline to show: the script launched no kernel for a GPU"
                           : cat("there is no pipeline to show: no kernel has a launch ", request.timed_launch,
                                 " with a block ", block, request.marks ? " and statements that are timed" : ""));
}

struct RunVerbOptions {
    SourceOptions source;
    RunOptions run;
    TimelineOptions timeline;
    ReplaceOptions replace;
};

struct EmulateOptions {
    SourceOptions source;
    RunOptions run;
    TimelineOptions timeline;
    OrderOptions orders;
    ReplaceOptions replace;
};

// One line: what happened, on what.
std::string describe(const RunSummary& summary, const RunRequest& request) {
    if (summary.modules == 0)
        return "the script built no module";
    if (summary.calls == 0 && summary.uncalled.empty()) // they were saved
        return "built " + count_of(summary.modules, "module");
    if (summary.calls == 0)
        return "built " + count_of(summary.modules, "module") + " (" + join(summary.uncalled, ", ") +
               ") and called nothing: call what build() returned, e.g. 'module(a, b)'";
    std::vector<std::string> parts;
    if (summary.launches > 0)
        parts.push_back((summary.emulated ? "emulated: " : "ran on " + summary.device + ": ") +
                        count_of(summary.kernels, "kernel") + ", " +
                        cat(summary.launches, summary.launches == 1 ? " launch" : " launches"));
    if (!summary.replaced.empty())
        parts.push_back("replaced: " + join(summary.replaced, ", "));
    if (summary.native_calls > 0)
        parts.push_back(count_of(summary.native_calls, "call") + " of compiled functions");
    std::vector<std::string> missed;
    if (!summary.not_checked.empty())
        missed.push_back(summary.not_checked);
    if (summary.launches > 0 && !request.all_checks)
        missed.emplace_back(not_emulated);
    if (parts.empty())
        parts.push_back(count_of(summary.calls, "call") + " of host functions");
    return join(parts, "; ") + ", " + time_text(summary.ms * 1e-3) +
           (summary.schedules.empty() ? "" : ", " + summary.schedules) +
           (missed.empty() ? "" : "; not checked: " + join(missed, ", "));
}

// " in 9 orders", where there was something to try.
std::string orders_text(const RunSummary& summary) {
    if (!summary.orders_most)
        return "";
    const std::string most = count_of(*summary.orders_most, "order");
    return summary.orders_least == summary.orders_most ? cat(" in ", most)
                                                       : cat(" in ", *summary.orders_least, " to ", most);
}

// `praise`: what a run says that found nothing wrong.
int finish(RunRequest& request, const SourceOptions& source, const std::string& praise, const std::string& svg,
           const RemoteWorker& at = {}) {
    if (const int exit = open_source(source, request.source))
        return exit;
    std::string output;
    request.print = [&](std::string_view text) { source.json ? void(output += text) : print_text(std::string(text)); };
    RunResult result = session::run_in_worker(request, at);
    std::vector<Scene> pictures =
        transformed(result.summary.timelines, [&](const TimelineView& timeline) { return picture_of(timeline); });
    if (!write_pictures(svg, pictures))
        return exit_environment;
    const bool is_shown = result.status != Status::Ok || has_timeline(request, result.summary);
    if (source.json) {
        print_text(json_of(result, output));
        return is_shown ? end_of(result) : exit_user;
    }
    print_diagnostics(result.diagnostics);
    print_text(counters_text(result.summary.counters, request.source));
    print_text(timelines_text(result.summary.timelines, request.source));
    if (const auto seed = request.order ? request.order : result.summary.found_in)
        print_note(
            cat("warps and blocks ran in a random order: --seed ", *seed, " repeats it; the next seed is another one"));
    if (result.status == Status::Ok)
        print_note(describe(result.summary, request) +
                   (result.summary.calls > 0 ? praise + orders_text(result.summary) : ""));
    return is_shown ? end_of(result) : exit_user;
}

int run_script(const RunVerbOptions& options, const Cancelled& cancelled) {
    RunRequest request = request_of(options.run, options.source, cancelled);
    request.version = HIDET_VERSION;
    if (!take_timeline(options.timeline, request))
        return exit_usage;
    RemoteWorker at;
    if (int exit = exit_fine;
        !take_remote(options.run.remote, at, exit) || !take_replacements(options.replace, request, exit))
        return exit;
    return finish(request, options.source, "", options.timeline.svg, at);
}

int emulate(const EmulateOptions& options, const Cancelled& cancelled) {
    RunRequest request = request_of(options.run, options.source, cancelled);
    if (!take_timeline(options.timeline, request))
        return exit_usage;
    request.order = options.orders.only();
    request.orders = options.orders.most;
    if (request.ranks > 1 && (request.times || request.counts)) {
        wrong_usage(
            "'--timeline', '--markers' and '--counters' are of one run of the script, and '--ranks' has several");
        return exit_usage;
    }
    if (int exit = exit_fine; !take_replacements(options.replace, request, exit))
        return exit;
    return finish(request, options.source, "; no findings", options.timeline.svg);
}

} // namespace

void add_run(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("run", "run a script as a program");
    RunVerbOptions& options = options_for(verb, chosen, run_script);
    add_source(verb, options.source);
    add_run(verb, options.run);
    add_target(verb, options.run);
    add_unchecked(verb, options.run);
    options.run.request.output = "."; // where packages go
    verb.text("--output", options.run.request.output, "FOLDER",
              "where packages that the script saves go (the folder that you are in)");
    verb.flag(
        "--trust", options.run.request.trusts,
        "machine code for the CPU of packages that the script loads may run, and the script itself, not confined, "
        "as one of several processes");
    add_timeline(verb, options.timeline, TimelineBy::Marks);
    add_replace(verb, options.replace);
}

void add_emulate(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("emulate", "run a script on the emulator and report what its kernels do wrong");
    EmulateOptions& options = options_for(verb, chosen, emulate);
    options.run.request.target = Target::Emulate;
    options.run.request.all_checks = true; // else of bounds alone
    add_source(verb, options.source);
    add_limits(verb, options.run);
    verb.choice(
        "--checks", {"bounds", "all"}, [&options](std::size_t which) { options.run.request.all_checks = which == 1; },
        "CHECKS", "what is checked: bounds and barriers, or the order of accesses too (the default)");
    add_orders(verb, options.orders);
    verb.number("--ranks", options.run.request.ranks, "N",
                "run the script once for each of so many GPUs, whose kernels reach each other's memory (1)")
        .between(1, most_ranks);
    verb.flag("--counters", options.run.request.counts,
              "count what each line of a kernel does: instructions, sectors, wavefronts, divergent branches");
    add_timeline(verb, options.timeline, TimelineBy::EventsOrMarks);
    add_replace(verb, options.replace);
}

} // namespace hidet::cli
