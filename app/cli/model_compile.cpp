// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compile.h"

#include <algorithm>

#include "app/cli/model_options.h"
#include "app/cli/numbers.h"
#include "lang/base/columns.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelCompileOptions {
    ModelOptions model;
    PlanFileOptions plan; // without a path none is written
};

std::string tensors_text(const std::vector<ModelTensor>& tensors) {
    std::vector<std::string> parts;
    for (const ModelTensor& tensor : tensors)
        parts.push_back(cat(tensor.name, ": ", tensor.dtype, tensor.shape));
    return join(parts, ", ");
}

std::string title_text(const ModelFacts& facts) {
    std::string out = cat(title_of_model(facts), " for ", facts.target);
    if (facts.opset > 0)
        out += cat(", opset ", facts.opset, facts.producer.empty() ? "" : ", by " + facts.producer);
    return out + "\n";
}

std::string kernels_text(const ModelFacts& facts) {
    return cat(facts.launched(), " (", facts.programs, " different), ", launches_text(facts));
}

// "PermuteDims 2 (1.15 MiB), Concat": equal ones together, in the order of the run.
std::string rearrangements_text(const ModelFacts& facts) {
    struct Row {
        std::string moves;
        std::size_t count = 0;
        std::optional<double> bytes = 0;
    };
    std::vector<Row> rows;
    for (const ModelRearrangement& each : facts.rearrangements) {
        const std::string moves = join(each.moves, " + ");
        auto row = std::ranges::find(rows, moves, &Row::moves);
        if (row == rows.end())
            row = rows.insert(row, {moves});
        ++row->count;
        row->bytes =
            row->bytes && each.bytes ? std::optional(*row->bytes + static_cast<double>(*each.bytes)) : std::nullopt;
    }
    std::vector<std::string> parts;
    for (const Row& row : rows)
        parts.push_back(cat(row.count > 1 ? cat(row.count, " x ") : "", row.moves,
                            row.bytes ? cat(" (", bytes_text(*row.bytes), ")") : ""));
    const std::size_t count = facts.rearrangements.size();
    return count == 0 ? "no kernel only moves elements"
                      : cat(count_of(count, "kernel"), count == 1 ? " only moves" : " only move",
                            " elements: ", join(parts, ", "));
}

std::string memory_text(const ModelFacts& facts) {
    return facts.arena_bytes
               ? cat(bytes_text(static_cast<double>(*facts.arena_bytes)), " between kernels; no plan takes less than ",
                     bytes_text(static_cast<double>(*facts.arena_bound)))
               : "depends on " + join(facts.symbols, ", ");
}

std::string text_of(const ModelCompileResult& result) {
    const ModelFacts& facts = result.facts;
    std::vector<Cells> rows{{{"inputs"}, {tensors_text(facts.inputs)}},
                            {{"outputs"}, {tensors_text(facts.outputs)}},
                            {{"operators"}, {cat(facts.nodes, " of ", facts.imported_nodes, " imported")}},
                            {{"kernels"}, {kernels_text(facts)}},
                            {{"moves"}, {rearrangements_text(facts)}},
                            {{"weights"}, {bytes_text(facts.weight_bytes)}},
                            {{"memory"}, {memory_text(facts)}}};
    for (const StageTime& stage : result.stages)
        rows.push_back({{stage.stage}, {time_text(stage.ms * 1e-3)}});
    return title_text(facts) + columns_text(rows);
}

int compile_to_plan(const ModelCompileOptions& options, const Cancelled& cancelled) {
    ModelRequest request;
    if (!fill(options.model, cancelled, request))
        return exit_usage;
    const ModelCompileResult result = compile_model_to_file(request, options.plan);
    return report(options.model, result, [&] {
        if (result.status == Status::Fine)
            print_text(text_of(result));
    });
}

} // namespace

void add_model_compile(Verb& model, Action& chosen) {
    auto [action, options] =
        add_action(model, "compile", "compile a model, and say how long each stage took", chosen, compile_to_plan);
    action.text("-o,--output", options.plan.path, "PLAN.json",
                "write the launch plan to this file, weights and compiled functions beside it");
    action.texts(
        "--arch", options.plan.architectures, "ARCH",
        "with --target cuda and -o: the GPUs to compile for (the one that is here, else sm_90a); it needs none");
}

} // namespace hidet::cli
