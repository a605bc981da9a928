// SPDX-License-Identifier: Apache-2.0
// hidetc bench: a line for each function, times first, then what they mean.
#include "app/session/bench/bench.h"

#include <CLI/CLI.hpp>

#include "app/cli/execution.h"
#include "app/cli/measured_text.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"

namespace hidet::cli {

using namespace session;

namespace {

struct BenchOptions {
    SourceOptions source;
    RunOptions run;
    TargetOptions target;
    std::string against;
};

bool is_script(const std::string& peer) {
    return peer.find('.') != std::string::npos || peer.find('/') != std::string::npos;
}

int bench(const BenchOptions& options, const Cancelled& cancelled) {
    BenchRequest request;
    int exit = exit_fine;
    if (!open_source(options.source, request.run.source, exit))
        return exit;
    if (is_script(options.against)) {
        SourceOptions other = options.source;
        other.file = options.against;
        if (!open_source(other, request.other.emplace(), exit))
            return exit;
    } else {
        request.against = options.against;
    }
    std::string output;
    prepare_run(request.run, options.source, options.run, options.target, cancelled);
    request.run.print = [&](std::string_view text) { output += text; };
    BenchResult result = session::bench(request);
    if (options.source.json) {
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

} // namespace

void add_bench(CLI::App& app, Action& chosen) {
    CLI::App& verb = *app.add_subcommand("bench", "run a script, then measure what it calls");
    BenchOptions& options = options_for(verb, chosen, bench);
    add_source(verb, options.source);
    add_run(verb, options.run);
    add_target(verb, options.target);
    verb.add_option("--against", options.against, "measure in turns with this: cublas, openblas, or another script")
        ->type_name("PEER");
}

} // namespace hidet::cli
