// SPDX-License-Identifier: Apache-2.0
#include "app/cli/measured_text.h"
#include "app/cli/model_options.h"
#include "app/cli/numbers.h"
#include "app/session/worker/apart.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelBenchOptions {
    ModelOptions model;
    ModelInputOptions inputs;
};

// Nothing where the limits are not known, or what a launch takes at least is more than this one took.
std::string roofline_text(double least, double seconds, const std::string& bound) {
    return least > 0 && least <= seconds ? cat(", ", percent_text(least / seconds), " of roofline (", bound, ")") : "";
}

std::string text_of(const ModelStepRow& row, double total) {
    std::string out = cat("  ", time_text(row.seconds), "  ", percent_text(row.seconds / total), "  ", row.kernel);
    if (row.flops > 0)
        out += ", " + si_text(row.flops / row.seconds, "FLOP/s");
    return out + ", " + si_text(row.bytes / row.seconds, "B/s") +
           roofline_text(row.least_seconds, row.seconds, row.bound) + "  " + join(row.nodes, ", ") + "\n";
}

std::string text_of(const ModelBenchResult& result) {
    std::string out = cat(
        title_of_model(result.facts), " on ", result.where, "\n  ", time_text(result.times.median), ", median of ",
        result.times.count, " runs", result.is_emulated ? " on " + where_measured(result.where, true) : "",
        result.is_replayed ? cat(", replayed as a CUDA graph, ", time_text(result.host_us * 1e-6), " of the host") : "",
        ", ", spread_text(result.times), "\n  ", si_text(result.flops / result.times.median, "FLOP/s"));
    if (const auto share = roofline_share(result))
        out += cat(", ", percent_text(share->reached), " of roofline (", share->bound, ")");
    out += "\n";
    double total = 0;
    for (const ModelStepRow& row : result.steps)
        total += row.seconds;
    for (const ModelStepRow& row : result.steps)
        out += text_of(row, total);
    return out;
}

int bench_model_verb(const ModelBenchOptions& options, const Cancelled& cancelled) {
    ModelRunRequest request;
    if (!fill(options.model, cancelled, request) || !fill(options.inputs, request))
        return exit_usage;
    const ModelBenchResult result = bench_model_apart(request);
    return report(options.model, result, [&] {
        if (result.times.count > 0)
            print_text(text_of(result));
    });
}

} // namespace

void add_model_bench(Verb& model, Action& chosen) {
    auto [action, options] = add_action(model, "bench", "measure a model and its kernels", chosen, bench_model_verb);
    add_inputs(action, options.inputs);
}

} // namespace hidet::cli
