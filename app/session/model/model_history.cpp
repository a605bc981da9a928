// SPDX-License-Identifier: Apache-2.0
// A line is {"run": {...}} or {"name": {...}}.
#include "app/session/model/model_history.h"

#include <algorithm>
#include <filesystem>

#include "app/session/kernel_bench/record_json.h"
#include "app/session/model/view/graph_index.h"
#include "compiler/graph/document/constants.h"
#include "compiler/graph/document/document.h"
#include "lang/base/text.h"

namespace hidet::session {

static void list_members(DeviceRoofs& roofs, RecordMembers& members) {
    members.need("name", roofs.name, "flopsPerSecond", roofs.flops, "matrixFlopsPerSecond", roofs.matrix_flops,
                 "bytesPerSecond", roofs.bytes_per_second, "launchSeconds", roofs.launch_seconds, "isMeasured",
                 roofs.is_measured);
}

static void list_members(ModelStepRow& step, RecordMembers& members) {
    members.need("step", step.step, "group", step.group, "kernel", step.kernel, "operators", step.nodes, "seconds",
                 step.seconds, "spread", step.spread, "launches", step.launches, "isHost", step.is_host, "leastSeconds",
                 step.least_seconds, "bound", step.bound, "flops", step.flops, "bytes", step.bytes);
}

static void list_members(ModelRecord& run, RecordMembers& members) {
    members.need("when", run.when, "number", run.number, "model", run.model, "graph", run.graph, "where", run.where,
                 "target", run.target, "isEmulated", run.is_emulated, "seconds", run.times, "nodes", run.nodes,
                 "kernels", run.kernels, "launches", run.launches, "flops", run.flops, "bytes", run.bytes, "device",
                 run.roofs);
    members.if_any("choices", run.choices, "precision", run.precision, "quantize", run.quantize, "quantizeLimit",
                   run.quantize_limit);
    std::vector<std::pair<std::string, std::int64_t>> dims;
    for (const Dimension& dim : run.dims)
        dims.emplace_back(dim.name, dim.value);
    members.if_any("dims", dims);
    run.dims.clear();
    for (const auto& [name, value] : dims)
        run.dims.push_back({name, value});
    members.need("steps", run.steps);
    members.if_any("name", run.name);
}

ModelRecord record_of(const ModelRequest& request, const ModelBenchResult& result, std::string when) {
    ModelRecord out;
    out.when = std::move(when);
    out.model = request.path;
    out.where = result.where;
    out.target = result.facts.target;
    out.is_emulated = result.is_emulated;
    out.times = result.times;
    out.times.samples.clear();
    out.nodes = result.facts.nodes;
    out.kernels = result.facts.groups;
    out.launches = result.facts.launches;
    out.flops = result.flops;
    out.bytes = result.bytes;
    out.roofs = result.roofs;
    out.steps = result.steps;
    out.choices = request.choices_text;
    out.precision = request.precision;
    out.quantize = request.quantize;
    if (request.quantize_limit > 0)
        out.quantize_limit = request.quantize_limit;
    // Those that the graph as it is kept still has.
    for (const Dimension& dim : request.dims)
        if (std::ranges::find(result.facts.symbols, dim.name) != result.facts.symbols.end())
            out.dims.push_back(dim);
    return out;
}

std::shared_ptr<const ModelBenchResult> bench_of(const ModelRecord& record) {
    const auto out = std::make_shared<ModelBenchResult>();
    out->where = record.where;
    out->is_emulated = record.is_emulated;
    out->times = record.times;
    out->flops = record.flops;
    out->bytes = record.bytes;
    out->roofs = record.roofs;
    out->steps = record.steps;
    out->facts.target = record.target;
    out->facts.nodes = record.nodes;
    out->facts.groups = record.kernels;
    out->facts.launches = record.launches;
    return out;
}

std::string title_of(const ModelRecord& record) {
    const std::string file = std::filesystem::path(record.model).filename().string();
    return cat(file, ", ", record.name.empty() ? record.when : record.name);
}

std::string document_of(const ModelGraph& imported) {
    const graph::Graph& graph = *imported.index->graph;
    graph::DocumentParts parts{graph};
    parts.sections.emplace_back("constants", graph::json_of_constants(graph));
    return graph::write_document(parts);
}

ModelHistory::ModelHistory(const std::string& path, HistoryLimits limits)
    : KeptRuns(path, RunTexts(path + ".graphs", ".json"), limits) {}

bool ModelHistory::apply(std::string_view line) {
    return read_line(line, [&](const RecordMembers& members) {
        if (members.has("run"))
            m_runs.push_back(members.get<ModelRecord>("run"));
        else
            apply_name(members.get<RecordName>("name"), m_runs);
    });
}

std::string ModelHistory::line(const ModelRecord& run) const {
    return line_of("run", run);
}

Result<void> ModelHistory::append(ModelRecord& record, std::string_view graph) {
    record.graph = hash_text(graph);
    return KeptRuns::append(record, graph);
}

Result<std::string> ModelHistory::graph_file(const ModelRecord& run) const {
    if (!texts().text(run.graph))
        return Error{"history-text-missing", "the graph of this run was not kept, or its file was changed"};
    return texts().file_of(run.graph);
}

} // namespace hidet::session
