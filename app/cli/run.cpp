// SPDX-License-Identifier: Apache-2.0
// hidetc run and hidetc emulate, which looks closer and never uses a GPU.

#include "app/cli/execution.h"
#include "app/cli/output.h"
#include "app/cli/replace_options.h"
#include "app/cli/text/counters_text.h"
#include "app/cli/text/document.h"
#include "app/cli/text/numbers.h"
#include "app/cli/text/picture_file.h"
#include "app/cli/text/timeline_text.h"
#include "app/cli/timeline_options.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"
#include "app/session/worker/run_in_worker.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct RunVerbOptions {
    SourceOptions source;
    RunOptions run;
    TargetOptions target;
    std::string out = "."; // a folder
    bool trust = false;
    TimelineOptions timeline;
    ReplaceOptions replace;
};

struct EmulateOptions {
    SourceOptions source;
    RunOptions run;
    bool all_checks = true; // else of bounds alone
    bool counts = false;
    TimelineOptions timeline;
    OrderOptions orders;
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
int finish(RunRequest& request, const SourceOptions& source, const std::string& praise, const std::string& svg = {}) {
    int exit = exit_fine;
    if (!open_source(source, request.source, exit))
        return exit;
    std::string output;
    request.print = [&](std::string_view text) { source.json ? void(output += text) : print_text(std::string(text)); };
    RunResult result = session::run_in_worker(request);
    std::vector<Scene> pictures;
    for (const TimelineView& timeline : result.summary.timelines)
        pictures.push_back(picture_of(timeline));
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
    RunRequest request;
    prepare_run(request, options.source, options.run, options.target, cancelled);
    request.output = options.out;
    request.trusts = options.trust;
    request.version = HIDET_VERSION;
    if (!take_timeline(options.timeline, request))
        return exit_usage;
    if (int exit = exit_fine; !take_replacements(options.replace, request, exit))
        return exit;
    return finish(request, options.source, "", options.timeline.svg);
}

int emulate(const EmulateOptions& options, const Cancelled& cancelled) {
    RunRequest request;
    prepare_run(request, options.source, options.run, {.target = Target::Emulate}, cancelled);
    request.all_checks = options.all_checks;
    request.counts = options.counts;
    if (!take_timeline(options.timeline, request))
        return exit_usage;
    request.order = options.orders.only();
    request.orders = options.orders.most;
    return finish(request, options.source, "; no findings", options.timeline.svg);
}

} // namespace

void add_run_verb(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("run", "run a script as a program");
    RunVerbOptions& options = options_for(verb, chosen, run_script);
    add_source(verb, options.source);
    add_run(verb, options.run);
    add_target(verb, options.target);
    add_unchecked(verb, options.target);
    verb.text("--output", options.out, "FOLDER",
              "where packages that the script saves go (the folder that you are in)");
    verb.flag("--trust", options.trust, "machine code for the CPU of packages that the script loads may run");
    add_timeline(verb, options.timeline, TimelineBy::Marks);
    add_replace(verb, options.replace);
}

void add_emulate(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("emulate", "run a script on the emulator and report what its kernels do wrong");
    EmulateOptions& options = options_for(verb, chosen, emulate);
    add_source(verb, options.source);
    add_limits(verb, options.run);
    verb.choice(
        "--checks", {"bounds", "all"}, [&options](std::size_t which) { options.all_checks = which == 1; }, "CHECKS",
        "what is checked: bounds and barriers, or the order of accesses too (the default)");
    add_orders(verb, options.orders);
    verb.flag("--counters", options.counts,
              "count what each line of a kernel does: instructions, sectors, wavefronts, divergent branches");
    add_timeline(verb, options.timeline, TimelineBy::EventsOrMarks);
}

} // namespace hidet::cli
