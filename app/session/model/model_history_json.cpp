// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/model_history_json.h"

#include <nlohmann/json.hpp>

#include "app/session/kernel_bench/record_json.h"

namespace hidet::session {

using Json = nlohmann::ordered_json;

namespace {

Json as_json(const ModelStepRow& step) {
    Json out;
    out["step"] = step.step;
    out["group"] = step.group;
    out["kernel"] = step.kernel;
    out["operators"] = step.nodes;
    out["seconds"] = step.seconds;
    out["spread"] = step.spread;
    out["launches"] = step.launches;
    out["isHost"] = step.is_host;
    out["leastSeconds"] = step.least_seconds;
    out["bound"] = step.bound;
    out["flops"] = step.flops;
    out["bytes"] = step.bytes;
    return out;
}

// Throws what the library throws where a member is missing or of another type.
ModelStepRow step_of(const Json& json) {
    ModelStepRow out;
    out.step = json.at("step").get<std::size_t>();
    out.group = json.at("group").get<std::string>();
    out.kernel = json.at("kernel").get<std::string>();
    out.nodes = json.at("operators").get<std::vector<std::string>>();
    out.seconds = json.at("seconds").get<double>();
    out.spread = json.at("spread").get<double>();
    out.launches = json.at("launches").get<std::size_t>();
    out.is_host = json.at("isHost").get<bool>();
    out.least_seconds = json.at("leastSeconds").get<double>();
    out.bound = json.at("bound").get<std::string>();
    out.flops = json.at("flops").get<double>();
    out.bytes = json.at("bytes").get<double>();
    return out;
}

Json as_json(const DeviceRoofs& roofs) {
    return {{"name", roofs.name},
            {"flopsPerSecond", roofs.flops},
            {"matrixFlopsPerSecond", roofs.matrix_flops},
            {"bytesPerSecond", roofs.bytes_per_second},
            {"launchSeconds", roofs.launch_seconds},
            {"isMeasured", roofs.is_measured}};
}

DeviceRoofs roofs_of_json(const Json& json) {
    return {json.at("name").get<std::string>(),
            json.at("flopsPerSecond").get<double>(),
            json.at("matrixFlopsPerSecond").get<double>(),
            json.at("bytesPerSecond").get<double>(),
            json.at("launchSeconds").get<double>(),
            json.at("isMeasured").get<bool>()};
}

Json as_json(const ModelRecord& run) {
    Json out;
    out["when"] = run.when;
    out["number"] = run.number;
    out["model"] = run.model;
    out["graph"] = run.graph;
    out["where"] = run.where;
    out["target"] = run.target;
    out["isEmulated"] = run.is_emulated;
    out["seconds"] = json_of_times(run.times);
    out["nodes"] = run.nodes;
    out["kernels"] = run.kernels;
    out["launches"] = run.launches;
    out["flops"] = run.flops;
    out["bytes"] = run.bytes;
    out["device"] = as_json(run.roofs);
    if (!run.choices.empty())
        out["choices"] = run.choices;
    if (!run.precision.empty())
        out["precision"] = run.precision;
    for (const Dimension& dim : run.dims)
        out["dims"][dim.name] = dim.value;
    Json steps = Json::array();
    for (const ModelStepRow& step : run.steps)
        steps.push_back(as_json(step));
    out["steps"] = steps;
    if (!run.name.empty())
        out["name"] = run.name;
    return out;
}

ModelRecord model_run_of(const Json& json) {
    ModelRecord out;
    out.when = json.at("when").get<std::string>();
    out.number = json.at("number").get<int>();
    out.model = json.at("model").get<std::string>();
    out.graph = json.at("graph").get<std::string>();
    out.where = json.at("where").get<std::string>();
    out.target = json.at("target").get<std::string>();
    out.is_emulated = json.at("isEmulated").get<bool>();
    out.times = times_of_json(json.at("seconds"));
    out.nodes = json.at("nodes").get<std::size_t>();
    out.kernels = json.at("kernels").get<std::size_t>();
    out.launches = json.at("launches").get<std::size_t>();
    out.flops = json.at("flops").get<double>();
    out.bytes = json.at("bytes").get<double>();
    out.roofs = roofs_of_json(json.at("device"));
    out.choices = json.value("choices", "");
    out.precision = json.value("precision", "");
    if (json.contains("dims"))
        for (const auto& [name, value] : json.at("dims").items())
            out.dims.push_back({name, value.get<std::int64_t>()});
    for (const Json& step : json.at("steps"))
        out.steps.push_back(step_of(step));
    out.name = json.value("name", "");
    return out;
}

} // namespace

std::string model_line_of(const ModelRecord& record) {
    return record_line(Json{{"run", as_json(record)}});
}

std::string model_name_line(const std::string& when, int number, const std::string& name) {
    return line_of(RecordName{when, number, name});
}

bool apply_model_line(std::string_view line, std::vector<ModelRecord>& runs) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object())
        return false;
    try {
        if (json.contains("run")) {
            runs.push_back(model_run_of(json.at("run")));
            return true;
        }
        apply_name(record_name_of(json.at("name")), runs);
        return true;
    } catch (const Json::exception&) {
        return false;
    }
}

} // namespace hidet::session
