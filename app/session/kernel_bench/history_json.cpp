// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/history_json.h"

#include <nlohmann/json.hpp>

#include "app/session/kernel_bench/record_json.h"

namespace hidet::session {

using Json = nlohmann::ordered_json;

namespace {

constexpr VerdictKind verdicts[] = {VerdictKind::Correct, VerdictKind::Wrong, VerdictKind::Unchecked,
                                    VerdictKind::Failed};

Json json_of(const KernelRecord& kernel) {
    Json out;
    out["name"] = kernel.name;
    out["registers"] = kernel.registers;
    out["spillBytes"] = kernel.spill_bytes;
    out["sharedBytes"] = kernel.shared_bytes;
    out["occupancy"] = kernel.occupancy ? Json(*kernel.occupancy) : Json();
    return out;
}

Json json_of(const RunRecord& run) {
    Json out;
    out["when"] = run.when;
    out["number"] = run.number;
    out["script"] = run.script;
    out["hash"] = run.hash;
    out["module"] = run.module;
    out["function"] = run.function;
    out["shapes"] = run.shapes;
    out["target"] = run.target;
    out["where"] = run.where;
    out["verdict"] = verdict_name(run.verdict);
    out["sentence"] = run.sentence;
    if (run.max_absolute)
        out["maxAbsolute"] = *run.max_absolute;
    if (run.times)
        out["seconds"] = json_of_times(*run.times);
    if (run.flops)
        out["flops"] = *run.flops;
    out["bytes"] = run.bytes;
    if (run.roofline)
        out["roofline"] = *run.roofline;
    Json kernels = Json::array();
    for (const KernelRecord& kernel : run.kernels)
        kernels.push_back(json_of(kernel));
    out["kernels"] = kernels;
    if (run.predicted)
        out["predicted"] = *run.predicted;
    if (!run.name.empty())
        out["name"] = run.name;
    return out;
}

// Throws what the library throws where a field is missing or of another type.
KernelRecord kernel_of(const Json& json) {
    const Json& occupancy = json.at("occupancy");
    return {json.at("name").get<std::string>(), json.at("registers").get<int>(), json.at("spillBytes").get<int>(),
            json.at("sharedBytes").get<std::int64_t>(),
            occupancy.is_null() ? std::nullopt : std::optional(occupancy.get<double>())};
}

RunRecord run_of(const Json& json) {
    RunRecord run;
    run.when = json.at("when").get<std::string>();
    run.number = json.at("number").get<int>();
    run.script = json.at("script").get<std::string>();
    run.hash = json.at("hash").get<std::string>();
    run.module = json.at("module").get<int>();
    run.function = json.at("function").get<std::string>();
    run.shapes = json.at("shapes").get<std::string>();
    run.target = json.at("target").get<std::string>();
    run.where = json.at("where").get<std::string>();
    for (VerdictKind kind : verdicts)
        if (json.at("verdict").get<std::string>() == verdict_name(kind))
            run.verdict = kind;
    run.sentence = json.at("sentence").get<std::string>();
    if (json.contains("maxAbsolute"))
        run.max_absolute = json.at("maxAbsolute").get<double>();
    if (json.contains("seconds"))
        run.times = times_of_json(json.at("seconds"));
    if (json.contains("flops"))
        run.flops = json.at("flops").get<double>();
    run.bytes = json.at("bytes").get<double>();
    if (json.contains("roofline"))
        run.roofline = json.at("roofline").get<double>();
    for (const Json& kernel : json.at("kernels"))
        run.kernels.push_back(kernel_of(kernel));
    if (json.contains("predicted"))
        run.predicted = json.at("predicted").get<double>();
    run.name = json.value("name", "");
    return run;
}

void pin(const std::string& when, int number, std::vector<RunRecord>& runs) {
    const RunRecord* chosen = nullptr;
    for (const RunRecord& run : runs)
        if (run.when == when && run.number == number)
            chosen = &run;
    if (!chosen)
        return; // it was trimmed
    std::string key = chosen->key();
    for (RunRecord& run : runs)
        if (run.key() == key)
            run.is_baseline = &run == chosen;
}

} // namespace

std::string line_of(const RunRecord& record) {
    return record_line(Json{{"run", json_of(record)}});
}

std::string pin_line(const std::string& when, int number) {
    Json out;
    out["pin"] = {{"when", when}, {"number", number}};
    return record_line(out);
}

std::string name_line(const std::string& when, int number, const std::string& name) {
    return line_of(RecordName{when, number, name});
}

std::string unpin_line(const std::string& key) {
    Json out;
    out["unpin"] = key;
    return record_line(out);
}

bool apply_line(std::string_view line, std::vector<RunRecord>& runs) {
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object())
        return false;
    try {
        if (json.contains("run")) {
            runs.push_back(run_of(json.at("run")));
            return true;
        }
        if (json.contains("pin")) {
            pin(json.at("pin").at("when").get<std::string>(), json.at("pin").at("number").get<int>(), runs);
            return true;
        }
        if (json.contains("name")) {
            apply_name(record_name_of(json.at("name")), runs);
            return true;
        }
        std::string key = json.at("unpin").get<std::string>();
        for (RunRecord& run : runs)
            run.is_baseline = run.is_baseline && run.key() != key;
        return true;
    } catch (const Json::exception&) {
        return false;
    }
}

} // namespace hidet::session
