// SPDX-License-Identifier: Apache-2.0
// hidetc bench: a line for each function, times first, then what they mean.
#include "app/session/bench/bench.h"

#include "app/cli/output.h"
#include "app/cli/text/document.h"
#include "app/cli/text/measured_text.h"
#include "app/cli/verbs.h"
#include "app/session/worker/run_in_worker.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct BenchOptions {
    SourceOptions source;
    RunOptions run;
    BenchRequest request;
    std::string against;
};

bool is_script(const std::string& baseline) {
    return baseline.find('.') != std::string::npos || baseline.find('/') != std::string::npos;
}

int bench(const BenchOptions& options, const Cancelled& cancelled) {
    BenchRequest request = options.request;
    request.run = request_of(options.run, options.source, cancelled);
    RemoteWorker at;
    if (int exit = exit_fine; !take_remote(options.run.remote, at, exit))
        return exit;
    if (const int exit = open_source(options.source, request.run.source))
        return exit;
    if (is_script(options.against)) {
        SourceOptions other = options.source;
        other.file = options.against;
        if (const int exit = open_source(other, request.other.emplace()))
            return exit;
    } else {
        request.against = options.against;
    }
    std::string output;
    request.run.print = [&](std::string_view text) { output += text; };
    BenchResult result = bench_apart(request, at);
    if (options.source.json) {
        print_text(json_of(result, output));
        return end_of(result);
    }
    for (const BenchRow& row : result.rows)
        print_text(row_text(row, cat(row.function, "(", row.shapes, ") on ", row.where, "\n",
                                     row.verdict ? cat("  ", row.verdict->sentence, "\n") : std::string())));
    if (!result.rows.empty() && result.rows.front().peak_flops > 0)
        print_note(cat("limits of ", result.rows.front().where, ": ", si_text(result.rows.front().peak_flops, "FLOP/s"),
                       ", ", si_text(result.rows.front().peak_bytes_per_second, "B/s"), " of memory"));
    print_diagnostics(result.diagnostics);
    return end_of(result);
}

} // namespace

void add_bench(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("bench", "run a script, then measure what it calls");
    BenchOptions& options = options_for(verb, chosen, bench);
    add_source(verb, options.source);
    add_run(verb, options.run);
    add_target(verb, options.run);
    verb.text("--against", options.against, "BASELINE",
              "measure in turns with this: cublas, openblas, or another script");
    verb.number(
            "--in-a-row", options.request.in_a_row, "N",
            "time one of N launches that follow each other as in a model, on a GPU: large tensors copied so that they "
            "are not in the cache, all in one CUDA graph; with --against the other's as well, replayed in turns")
        .between(1, 10000);
}

} // namespace hidet::cli
