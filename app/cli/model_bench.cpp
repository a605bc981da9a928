// SPDX-License-Identifier: Apache-2.0
#include "app/cli/document.h"
#include "app/cli/model_options.h"
#include "app/cli/numbers.h"
#include "app/cli/output.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelBenchOptions {
    ModelOptions model;
    ModelInputOptions inputs;
};

std::string text_of(const ModelStepRow& row, double total) {
    std::string out = cat("  ", time_text(row.seconds), "  ", percent_text(row.seconds / total), "  ", row.kernel);
    if (row.flops > 0)
        out += ", " + si_text(row.flops / row.seconds, "FLOP/s");
    return out + ", " + si_text(row.bytes / row.seconds, "B/s") + "  " + join(row.nodes, ", ") + "\n";
}

int bench_model_verb(const ModelBenchOptions& options, const Cancelled& cancelled) {
    ModelRunRequest request;
    if (!fill(options.model, cancelled, request) || !fill(options.inputs, request))
        return exit_usage;
    const ModelBenchResult result = bench_model(request);
    if (options.model.json) {
        print_text(json_of(result));
        return end_of(result);
    }
    if (result.times.count > 0) {
        print_text(cat(result.facts.name.empty() ? "model" : result.facts.name, " on ", result.where, "\n  ",
                       time_text(result.times.median), " (spread ", percent_text(result.times.spread), ", ",
                       result.times.count, " runs", result.is_replayed ? ", replayed as a CUDA graph" : "", "), ",
                       si_text(result.flops / result.times.median, "FLOP/s"), "\n"));
        double total = 0;
        for (const ModelStepRow& row : result.steps)
            total += row.seconds;
        for (const ModelStepRow& row : result.steps)
            print_text(text_of(row, total));
    }
    print_diagnostics(result.diagnostics);
    return end_of(result);
}

} // namespace

void add_model_bench(Verb& model, Action& chosen) {
    Verb action = model.add_verb("bench", "measure a model and its kernels");
    ModelBenchOptions& options = options_for(action, chosen, bench_model_verb);
    add_model(action, options.model);
    add_inputs(action, options.inputs);
}

} // namespace hidet::cli
