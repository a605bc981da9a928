// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_options.h"
#include "app/cli/model_processes.h"
#include "app/cli/text/cells.h"
#include "app/cli/text/numbers.h"
#include "app/session/worker/run_in_worker.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelRunOptions {
    ModelOptions model;
    ModelInputOptions inputs;
    ModelRunRequest request;
    std::string tolerance;
};

bool read_tolerance(const std::string& tolerance, ModelRunRequest& request) {
    if (tolerance.empty())
        return true;
    double absolute = 0, relative = 0;
    if (!read_bounds(tolerance, absolute, relative))
        return wrong_usage(cat("'", tolerance, "' is not a tolerance (absolute, relative), such as '1e-5,1e-3'"));
    request.absolute = absolute;
    request.relative = relative;
    return true;
}

bool can_keep_results(const ModelRunOptions& options) {
    if (!options.request.results || (options.request.compare && !options.request.output.empty()))
        return true;
    return wrong_usage("--results is with --compare, and with --output, which says where");
}

std::string text_of(const ModelOutput& output) {
    std::string out =
        cat(output.tensor.name, ": ", output.tensor.dtype, output.tensor.shape, " ", output.summary, "\n");
    if (!output.file.empty())
        out += cat("  written to ", output.file, "\n");
    if (output.comparison && output.comparison->bad == 0 && output.comparison->refusal.empty())
        out += output.comparison->max_absolute
                   ? cat("  as recorded: differs by at most ", number_text(*output.comparison->max_absolute), "\n")
                   : "  as recorded, without a finite number in it\n";
    return out;
}

// What a package says of itself; false: reported as wrong usage.
bool count_processes(ModelRunRequest& request) {
    const int count = processes_of_package(request.path, request.entry);
    if (count == 0)
        return true;
    if (request.processes > 1)
        return wrong_usage(
            "a package says how many processes share it: '--tensor-parallel' and '--mesh' are of models");
    if (!request.compare) // which no package takes
        request.processes = count;
    return true;
}

// Where errors grow: the table of operators, worst last known beside each.
std::string text_of_comparison(const ModelRunResult& result) {
    std::string out;
    for (const ModelNodeError& node : result.nodes)
        out += cat(node.is_bad ? "  wrong " : "  fine  ", number_text(node.relative), " (",
                   number_text(node.max_absolute), ") ", node.node, " [", node.op, "]\n");
    out += cat("  ", comparison_text(result), "\n");
    std::vector<Cells> rows;
    for (const ModelFewBits& each : result.few_bits)
        rows.push_back({{each.node}, {each.shape}, {number_text(each.result_error)}, {number_text(each.weight_error)}});
    return rows.empty()
               ? out
               : cat(out, "what few bits alone change of each product, and of its matrix:\n", columns_text(rows));
}

int run_model_verb(const ModelRunOptions& options, const Cancelled& cancelled) {
    ModelRunRequest request = options.request;
    RemoteWorker at;
    if (!fill(options.model, cancelled, request) || !fill(options.inputs, request) || !count_processes(request) ||
        !take_remote(options.inputs.remote, request, at) || !read_tolerance(options.tolerance, request) ||
        !can_keep_results(options))
        return exit_usage;
    if (options.request.trusts && !request.path.ends_with(".hidet"))
        return refuse_option("--trust", "a package", request.path), exit_usage;
    if (!options.tolerance.empty() && options.inputs.data.empty())
        return refuse_usage("'--tolerance' is of recorded results: give '--data', too");
    std::unique_ptr<ModelProcesses> others;
    if (const int refused = share(request, others); refused != 0)
        return refused;
    const ModelRunResult result = run_model_apart(request, at);
    if (!is_first(others))
        return end_of(result);
    if (others)
        wait_for(*others, result);
    return report(options.model, result, [&] {
        for (const ModelOutput& output : result.outputs)
            print_text(text_of(output));
        if (options.request.compare && (result.status == Status::Ok || !result.nodes.empty()))
            print_text(text_of_comparison(result));
        if (!result.where.empty())
            print_note(cat("ran on ", result.where, ": ", count_of(result.facts.launched(), "kernel"), ", ",
                           launches_text(result.facts), ", ", time_text(result.run_ms * 1e-3),
                           result.is_replayed ? ", as one CUDA graph" : "",
                           result.facts.schedules.empty() ? "" : ", " + result.facts.schedules));
    });
}

} // namespace

void add_model_run(Verb& model, Action& chosen) {
    auto [action, options] = add_action(model, "run", "run a model", chosen, run_model_verb);
    add_inputs(action, options.inputs);
    add_processes(action, options.model);
    action.text("--output", options.request.output, "DIR", "write output_0.npy, ... to this folder");
    action.text("--trace", options.request.trace, "FILE", "write a Chrome trace of one run to this file");
    action.text("--entry", options.request.entry, "NAME", "which of a package; the first otherwise");
    action.flag("--trust", options.request.trusts, "the machine code for the CPU of a package may run in this process");
    action.text("--tolerance", options.tolerance, "ABS,REL", "of recorded results, absolute and relative: 1e-5,1e-3");
    action.flag("--compare", options.request.compare, "each operator with an unfused run in float64");
    action.flag("--results", options.request.results,
                "with --compare, write what each operator made and should make there too, up to 512 MiB");
}

} // namespace hidet::cli
