// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/export_model.h"

#include <algorithm>

#include "app/cli/model_options.h"
#include "app/cli/model_scale.h"
#include "app/cli/text/numbers.h"
#include "app/cli/version.h"
#include "lang/base/columns.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelCompileOptions {
    ModelOptions model;
    ModelExportRequest request; // `output`: a package; empty: none is written
    std::string scale;          // "1024"
};

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

// One row for each matrix that was to have few bits, and what they are together.
std::string quantized_text(const ModelFacts& facts) {
    double before = 0, after = 0;
    std::size_t count = 0;
    std::vector<Cells> rows;
    for (const ModelWeight& each : facts.quantized) {
        const bool is_done = each.left.empty();
        count += is_done ? 1 : 0;
        before += each.before;
        after += is_done ? each.after : each.before;
        rows.push_back({{each.node},
                        {is_done ? cat(bytes_text(each.before), " to ", bytes_text(each.after), ", error ",
                                       number_text(each.error))
                                 : cat(bytes_text(each.before), " stay: ", each.left)}});
    }
    return rows.empty() ? ""
                        : cat("weights in few bits: ", count, " of ", facts.quantized.size(), ", ", bytes_text(before),
                              " to ", bytes_text(after), "\n", columns_text(rows));
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
    return title_text(facts) + columns_text(rows) + quantized_text(facts) + placements_text(facts);
}

bool are_right(const ModelCompileOptions& options) {
    if (options.request.output.empty())
        return options.request.architectures.empty() ||
               wrong_usage("--arch says what GPUs a package is for: it needs '-o x.hidet', or '--scale'");
    return options.request.output.ends_with(".hidet") ||
           wrong_usage(cat("'", options.request.output, "' is not the name of a package, such as 'model.hidet'"));
}

// What has no effect on a prediction; empty: all has.
std::string option_beside_scale(const ModelCompileOptions& options) {
    const ModelRequest& request = options.model.request;
    return first_given({{!options.request.output.empty(), "-o"},
                        {request.processes != 1, "--tensor-parallel"},
                        {!options.model.mesh.empty(), "--mesh"},
                        {!options.model.places.empty(), "--place"},
                        {request.space != 0, "--space"}});
}

int predict_scale(const ModelCompileOptions& options, const Cancelled& cancelled) {
    if (const std::string misused = option_beside_scale(options); !misused.empty())
        return refuse_usage(cat("'", misused, "' is of one way to compile a model, and '--scale' compiles none"));
    if (options.model.request.target == Target::Cpu || options.model.request.target == Target::Emulate)
        return refuse_usage("'--scale' is of GPUs, which '--arch' names: it goes without '--target'");
    if (options.request.architectures.size() > 1)
        return refuse_usage("'--scale' is of one kind of GPU: one '--arch' names it");
    ModelScaleRequest request;
    if (!read_gpu_counts(options.scale, request.gpus) || !fill(options.model, cancelled, request))
        return exit_usage;
    if (!options.request.architectures.empty())
        request.arch = options.request.architectures.front();
    const ModelScaleResult result = scale_model(request);
    return report(options.model, result, [&] {
        if (result.status == Status::Ok)
            print_text(scale_text(result));
    });
}

int compile(const ModelCompileOptions& options, const Cancelled& cancelled) {
    if (!options.scale.empty())
        return predict_scale(options, cancelled);
    ModelExportRequest request = options.request;
    if (!are_right(options) || !fill(options.model, cancelled, request))
        return exit_usage;
    request.version = HIDET_VERSION;
    const ModelCompileResult result =
        options.request.output.empty() ? compile_model(request) : compile_to_package(request);
    return report(options.model, result, [&] {
        if (result.status == Status::Ok)
            print_text(text_of(result));
    });
}

} // namespace

void add_model_compile(Verb& model, Action& chosen) {
    auto [action, options] =
        add_action(model, "compile", "compile a model, and say how long each stage took", chosen, compile);
    add_processes(action, options.model);
    action.text("-o,--output", options.request.output, "OUT.hidet",
                "write a package with machine code for this target, as 'hidetc export' does for all targets");
    action.texts("--arch", options.request.architectures, "ARCH",
                 "with -o or --scale: a GPU to compile for (the one that is here, else sm_90a); it needs none");
    action.text(
        "--scale", options.scale, "GPUS",
        "compile nothing, but predict what a run takes on more and more GPUs, up to a number (1024) or on each of "
        "a list (1,8,64), and where that stops to pay");
}

} // namespace hidet::cli
