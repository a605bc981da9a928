// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compile.h"

#include "app/cli/document.h"
#include "app/cli/model_options.h"
#include "app/cli/numbers.h"
#include "app/cli/output.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelCompileOptions {
    ModelOptions model;
    std::string out; // of the plan; "": none is written
};

std::string tensors_text(const std::vector<ModelTensor>& tensors) {
    std::vector<std::string> parts;
    for (const ModelTensor& tensor : tensors)
        parts.push_back(cat(tensor.name, ": ", tensor.dtype, tensor.shape));
    return join(parts, ", ");
}

std::string text_of(const ModelFacts& facts) {
    std::string out = cat(facts.name.empty() ? "model" : facts.name, " for ", facts.target);
    if (facts.opset > 0)
        out += cat(", opset ", facts.opset, facts.producer.empty() ? "" : ", by " + facts.producer);
    out += cat("\n  inputs     ", tensors_text(facts.inputs), "\n  outputs    ", tensors_text(facts.outputs),
               "\n  operators  ", facts.nodes, " of ", facts.imported_nodes, " imported\n  kernels    ", facts.kernels,
               " in ", count_of(facts.programs, "program"), ", ", count_of(facts.steps, "step"));
    if (facts.host_steps > 0)
        out += cat(", ", facts.host_steps, " of them on the host");
    out += cat("\n  weights    ", bytes_text(facts.weight_bytes), "\n  memory     ");
    out += facts.arena_bytes ? cat(bytes_text(static_cast<double>(*facts.arena_bytes)), ", at least ",
                                   bytes_text(static_cast<double>(*facts.arena_bound)), " are needed at once")
                             : "depends on " + join(facts.symbols, ", ");
    return out + "\n";
}

std::string stages_text(const std::vector<StageTime>& stages) {
    std::string out;
    for (const StageTime& stage : stages)
        out += cat("  ", stage.stage, std::string(stage.stage.size() < 10 ? 11 - stage.stage.size() : 1, ' '),
                   time_text(stage.ms * 1e-3), "\n");
    return out;
}

int compile_to_plan(const ModelCompileOptions& options, const Cancelled& cancelled) {
    ModelRequest request;
    if (!fill(options.model, cancelled, request))
        return exit_usage;
    const ModelCompileResult result = compile_model_to_file(request, options.out);
    if (options.model.json) {
        print_text(json_of(result));
        return end_of(result);
    }
    if (result.status == Status::Fine)
        print_text(text_of(result.facts) + stages_text(result.stages));
    print_diagnostics(result.diagnostics);
    return end_of(result);
}

} // namespace

void add_model_compile(Verb& model, Action& chosen) {
    Verb action = model.add_verb("compile", "compile a model, and say how long each stage took");
    ModelCompileOptions& options = options_for(action, chosen, compile_to_plan);
    add_model(action, options.model);
    action.text("-o,--output", options.out, "PLAN.json",
                "write the launch plan to this file, weights and compiled functions beside it");
}

} // namespace hidet::cli
