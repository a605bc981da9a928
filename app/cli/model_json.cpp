// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/cli/json_parts.h"
#include "app/cli/model.h"

namespace hidet::cli {

using namespace session;

static Json json_part(const ModelTensor& tensor) {
    return {{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}};
}

static Json json_part(const std::vector<ModelTensor>& tensors) {
    Json out = Json::array();
    for (const ModelTensor& tensor : tensors)
        out.push_back(json_part(tensor));
    return out;
}

static Json json_part(const ModelFacts& facts) {
    Json out;
    out["name"] = facts.name;
    out["producer"] = facts.producer;
    out["opset"] = facts.opset;
    out["target"] = facts.target;
    out["inputs"] = json_part(facts.inputs);
    out["outputs"] = json_part(facts.outputs);
    out["symbols"] = facts.symbols;
    out["importedNodes"] = facts.imported_nodes;
    out["nodes"] = facts.nodes;
    out["groups"] = facts.groups;
    out["steps"] = facts.steps;
    out["hostSteps"] = facts.host_steps;
    out["programs"] = facts.programs;
    out["kernels"] = facts.kernels;
    out["weightBytes"] = facts.weight_bytes;
    out["arenaBytes"] = facts.arena_bytes ? Json(*facts.arena_bytes) : Json(nullptr);
    out["arenaBound"] = facts.arena_bound ? Json(*facts.arena_bound) : Json(nullptr);
    out["refused"] = facts.refused;
    return out;
}

static Json difference_part(const Comparison& comparison) {
    Json out;
    out["isRight"] = comparison.refusal.empty() && comparison.bad == 0;
    out["refusal"] = comparison.refusal.empty() ? Json(nullptr) : Json(comparison.refusal);
    out["bad"] = comparison.bad;
    out["count"] = comparison.count;
    out["maxAbsolute"] = comparison.max_absolute;
    out["maxRelative"] = comparison.max_relative;
    out["absolute"] = comparison.absolute;
    out["relative"] = comparison.relative;
    out["firstBad"] = comparison.first_bad;
    return out;
}

static Json begin_of(const Outcome& outcome, const ModelFacts& facts) {
    Json out;
    out["diagnostics"] = json_part(outcome.diagnostics);
    out["model"] = json_part(facts);
    return out;
}

std::string json_of(const ModelCompileResult& result) {
    Json out = begin_of(result, result.facts);
    Json kernels = Json::array();
    for (const ModelKernel& kernel : result.kernels)
        kernels.push_back({{"name", kernel.name},
                           {"operators", kernel.nodes},
                           {"program", kernel.program},
                           {"launches", kernel.launches}});
    out["kernels"] = kernels;
    out["stages"] = json_part(result.stages);
    return text_of(out);
}

std::string json_of(const ModelCodeResult& result) {
    Json out;
    out["diagnostics"] = json_part(result.diagnostics);
    out["graph"] = {{"name", result.graph_name}, {"text", result.graph_text}};
    Json operators = Json::array();
    for (const ModelOperatorLine& each : result.operators)
        operators.push_back({{"id", each.node}, {"key", each.key}, {"name", each.name}, {"line", each.line}});
    out["operators"] = operators;
    Json programs = Json::array();
    for (const ModelProgram& program : result.programs) {
        Json uses = Json::array();
        for (const ModelProgram::Use& use : program.uses)
            uses.push_back({{"step", use.step}, {"operators", use.nodes}});
        programs.push_back({{"key", program.key},
                            {"operators", program.nodes},
                            {"uses", uses},
                            {"module", json_part(program.module)}});
    }
    out["programs"] = programs;
    out["stages"] = json_part(result.stages);
    return text_of(out);
}

std::string json_of(const ModelRunResult& result) {
    Json out = begin_of(result, result.facts);
    out["where"] = result.where;
    Json outputs = Json::array();
    for (const ModelOutput& output : result.outputs) {
        Json row = json_part(output.tensor);
        row["summary"] = output.summary;
        row["file"] = output.file.empty() ? Json(nullptr) : Json(output.file);
        row["comparison"] = output.comparison ? difference_part(*output.comparison) : Json(nullptr);
        outputs.push_back(std::move(row));
    }
    out["outputs"] = outputs;
    Json nodes = Json::array();
    for (const ModelNodeError& node : result.nodes)
        nodes.push_back({{"node", node.node},
                         {"op", node.op},
                         {"kernel", node.kernel},
                         {"maxAbsolute", node.max_absolute},
                         {"relative", node.relative},
                         {"isRight", !node.is_bad}});
    out["nodes"] = nodes;
    out["nodesNotCompared"] = result.nodes_not_compared;
    out["milliseconds"] = result.run_ms;
    out["stages"] = json_part(result.stages);
    return text_of(out);
}

std::string json_of(const ModelBenchResult& result) {
    Json out = begin_of(result, result.facts);
    out["where"] = result.where;
    out["seconds"] = json_part(result.times);
    out["isReplayed"] = result.is_replayed;
    out["flops"] = result.flops;
    out["bytes"] = result.bytes;
    if (result.roofs.flops > 0)
        out["device"] = {{"name", result.roofs.name},
                         {"flopsPerSecond", result.roofs.flops},
                         {"bytesPerSecond", result.roofs.bytes_per_second},
                         {"isMeasured", result.roofs.is_measured}};
    Json steps = Json::array();
    for (const ModelStepRow& row : result.steps)
        steps.push_back({{"step", row.step},
                         {"group", row.group},
                         {"ids", row.node_ids},
                         {"kernel", row.kernel},
                         {"operators", row.nodes},
                         {"seconds", row.seconds},
                         {"leastSeconds", row.least_seconds > 0 ? Json(row.least_seconds) : Json(nullptr)},
                         {"flops", row.flops},
                         {"bytes", row.bytes}});
    out["steps"] = steps;
    out["stages"] = json_part(result.stages);
    return text_of(out);
}

} // namespace hidet::cli
