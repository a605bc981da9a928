// SPDX-License-Identifier: Apache-2.0
// hidetc reduce: the smallest script that still shows what is wrong with one.
#include "app/session/reduce/reduce.h"

#include <filesystem>

#include <unistd.h>

#include "app/cli/output.h"
#include "app/cli/text/document.h"
#include "app/cli/text/numbers.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"
#include "lang/base/transformed.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ReduceOptions {
    SourceOptions source;
    ReduceRequest request;
    RunOptions run;
    OrderOptions orders;
    std::string out;
    bool in_place = false;
};

bool is_for_reduce(const std::string& file) {
    for (const char* other : {".onnx", ".json", ".hidet", ".npy", ".ir", ".cu", ".ptx"})
        if (file.ends_with(other))
            return refuse_option("reduce", "a script", file);
    return true;
}

bool is_same_file(const std::string& one, const std::string& other) {
    std::error_code none;
    return one == other || std::filesystem::equivalent(one, other, none);
}

// One line of a terminal that is written again and again; of a file nothing.
void show_reduction(const ReduceProgress& progress) {
    if (isatty(STDERR_FILENO))
        std::fprintf(stderr, "\r%zu tries, %d lines ", progress.tries, progress.lines);
}

bool write_result(const ReduceOptions& options, const std::string& text) {
    const std::string& file = options.in_place ? options.source.file : options.out;
    if (!file.empty())
        return write_file(file, text);
    print_text(text);
    return true;
}

int reduce_script(const ReduceOptions& options, const Cancelled& cancelled) {
    const std::string& file = options.source.file;
    if (!is_for_reduce(file))
        return exit_usage;
    if (!options.out.empty() && is_same_file(file, options.out))
        return refuse_usage(cat("'-o ", options.out, "' would write over the script; '--in-place' does"));
    ReduceRequest request = options.request;
    if (const int exit = open_source(options.source, request.source))
        return exit;
    request.order = options.orders.only();
    request.orders = options.orders.most;
    request.max_steps = options.run.request.max_steps;
    request.max_bytes = static_cast<std::uint64_t>(options.run.max_memory * (1 << 30));
    request.version = HIDET_VERSION;
    request.fault = options.source.fault;
    request.cancelled = &cancelled;
    request.progress = show_reduction;
    const ReduceResult result = reduce(request);
    if (isatty(STDERR_FILENO))
        std::fprintf(stderr, "\r\x1b[K");
    print_diagnostics(result.diagnostics);
    if (result.text.empty())
        return exit_code(result.status);
    if (!write_result(options, result.text))
        return exit_environment;
    print_note(cat(file, ": ", count_of(result.lines_before, "line"), ", ", result.lines_after, " of which show '",
                   result.finding.id, "' by '", info(result.way).command, "'",
                   result.is_smallest ? "" : "; it was stopped, and could be smaller"));
    return exit_code(result.status);
}

} // namespace

void add_reduce(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("reduce", "make a script smaller that shows a finding, as long as it still does");
    ReduceOptions& options = options_for(verb, chosen, reduce_script);
    verb.file("FILE", options.source.file, "the script, or '-' for standard input");
    verb.text("--fault", options.source.fault, "STAGE", "raise an internal error in this stage").hidden();
    verb.text("--keep", options.request.keep, "TEXT",
              "the finding whose message has these words, instead of the first one");
    verb.text("--code", options.request.code, "CODE", "the finding with this id, such as 'race'");
    std::vector<std::string> ways = transformed<std::string>(all_trial_ways(), &TrialWayInfo::name);
    verb.choice(
        "--by", ways, [&options](std::size_t which) { options.request.way = all_trial_ways()[which].way; }, "WAY",
        "what finds it (the first of check, emulate and difference that finds something)");
    verb.texts("--studio", options.request.calls, "CALL", "with --by check: call this kernel factory");
    add_orders(verb, options.orders);
    add_limits(verb, options.run);
    verb.number("--timeout", options.request.trial_seconds, "SECONDS", "seconds that one try may take")
        .between(0.1, 1e6);
    verb.number("--deadline", options.request.deadline, "SECONDS", "end after as many, with the smallest script so far")
        .between(0.1, 1e6);
    Argument out = verb.text("-o,--output", options.out, "OUT", "write to this file instead of standard output");
    verb.flag("--in-place", options.in_place, "write over the script").excludes(out);
}

} // namespace hidet::cli
