// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_options.h"
#include "app/cli/model_processes.h"
#include "app/cli/text/measured_text.h"
#include "app/cli/text/numbers.h"
#include "app/session/model/model_history.h"
#include "app/session/model/recorded_times.h"
#include "app/session/request/source.h"
#include "app/session/worker/run_in_worker.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelBenchOptions {
    ModelOptions model;
    ModelInputOptions inputs;
    bool specialise = false;
    std::string against;
    std::string keep; // a file of kept runs
    std::string name; // of the run in it
};

std::string ratio_text(double recorded, double seconds) {
    return fixed_text(recorded / seconds, 2) + " times the time of this run";
}

// Nothing where the limits are not known, or what a launch takes at least is more than this one took.
std::string roofline_text(double least, double seconds, const std::string& bound) {
    return least > 0 && least <= seconds ? cat(", ", percent_text(least / seconds), " of roofline (", bound, ")") : "";
}

std::string text_of(const ModelStepRow& row, double total) {
    std::string out = cat("  ", time_text(row.seconds), "  ", percent_text(row.seconds / total), "  ", row.kernel);
    if (row.recorded_seconds)
        out +=
            cat(", recorded: ", time_text(*row.recorded_seconds), ", ", ratio_text(*row.recorded_seconds, row.seconds));
    if (row.flops > 0)
        out += ", " + si_text(row.flops / row.seconds, "FLOP/s");
    return out + ", " + si_text(row.bytes / row.seconds, "B/s") +
           roofline_text(row.least_seconds, row.seconds, row.bound) + "  " + join(row.nodes, ", ") + "\n";
}

std::string text_of(const ModelBenchResult& result, int processes) {
    std::string out = cat(
        title_of_model(result.facts), " on ", result.where, "\n  ", time_text(result.times.median), ", median of ",
        result.times.count, " runs", processes > 1 ? cat(" of the slowest of ", processes, " processes") : "",
        result.is_emulated ? " on " + where_measured(result.where, true) : "",
        result.is_replayed ? cat(", replayed as a CUDA graph, ", time_text(result.host_us * 1e-6), " of the host") : "",
        ", ", spread_text(result.times), "\n  ", si_text(result.flops / result.times.median, "FLOP/s"));
    if (const auto share = roofline_share(result))
        out += cat(", ", percent_text(share->reached), " of roofline (", share->bound, ")");
    out += "\n";
    for (const RecordedRun& run : result.against)
        out +=
            cat("  ", run.name, ": ", time_text(run.seconds), ", ", ratio_text(run.seconds, result.times.median), "\n");
    double total = 0;
    for (const ModelStepRow& row : result.steps)
        total += row.seconds;
    for (const ModelStepRow& row : result.steps)
        out += text_of(row, total);
    return out;
}

bool read(const std::string& path, RecordedTimes& recorded) {
    Source source;
    if (!open_file(path, source))
        return false;
    Result<RecordedTimes> read = recorded_times(path, source.text);
    if (read)
        recorded = std::move(read).value();
    else
        print_diagnostic(Diagnostic::make(DiagId::FileUnreadable, {}, path, read.error().message));
    return read.ok();
}

// Beside the times goes the graph that was measured, as it was imported.
Result<void> keep(const ModelBenchOptions& options, const ModelRunRequest& request, const ModelBenchResult& result) {
    ModelViewRequest view;
    static_cast<ModelRequest&>(view) = request;
    view.plans = false;
    view.progress = {};
    const SnapshotPtr snapshot = view_model(view);
    if (snapshot->graphs.empty())
        return Error{"history-unwritable", "the graph of the model could not be kept"};
    ModelRecord record = record_of(request, result, utc_now());
    record.choices = snapshot->choices;
    record.name = options.name;
    return ModelHistory(options.keep).append(record, document_of(*snapshot->graphs.front()));
}

int bench_model_verb(const ModelBenchOptions& options, const Cancelled& cancelled) {
    ModelRunRequest request;
    RemoteWorker at;
    if (!fill(options.model, cancelled, request) || !fill(options.inputs, request) ||
        !take_remote(options.inputs.remote, request, at))
        return exit_usage;
    if (!options.name.empty() && options.keep.empty())
        return refuse_usage("--name is the name of a run that --keep keeps");
    request.specialise = options.specialise;
    RecordedTimes recorded;
    if (!options.against.empty() && !read(options.against, recorded))
        return exit_usage;
    if (request.stages > 1)
        return refuse_usage(
            "stages of a pipeline have different steps, which are not measured: 'pipe' of '--mesh' is of "
            "'hidetc model run'");
    std::unique_ptr<ModelProcesses> others;
    if (const int refused = share(request, others); refused != 0)
        return refused;
    ModelBenchResult result = bench_model_apart(request, at);
    if (!is_first(others))
        return end_of(result);
    if (others)
        wait_for(*others, result);
    put_beside(recorded, result);
    if (result.status == Status::Ok && !options.keep.empty())
        if (const Result<void> kept = keep(options, request, result); !kept)
            return refuse_environment(kept.error());
    return report(options.model, result, [&] {
        if (result.times.count > 0)
            print_text(text_of(result, request.processes));
    });
}

} // namespace

void add_model_bench(Verb& model, Action& chosen) {
    auto [action, options] = add_action(model, "bench", "measure a model and its kernels", chosen, bench_model_verb);
    add_inputs(action, options.inputs);
    add_processes(action, options.model);
    action.flag("--specialise", options.specialise,
                "compile for the dimensions that are given, which a package for any does not");
    action.text("--against", options.against, "FILE",
                "times of before: what this action printed as JSON, or {\"name\": seconds}");
    action.text("--keep", options.keep, "FILE",
                "add the times and the graph to this file, for 'model compare' and 'model kept'");
    action.text("--name", options.name, "NAME", "of the run that is kept");
}

} // namespace hidet::cli
