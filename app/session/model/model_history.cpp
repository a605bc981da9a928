// SPDX-License-Identifier: Apache-2.0
// A line is {"run": {...}} or {"name": {...}}.
#include "app/session/model/model_history.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <set>

#include "app/session/kernel_bench/line_file.h"
#include "app/session/model/model_history_json.h"
#include "app/session/model/view/graph_index.h"
#include "compiler/graph/document/constants.h"
#include "compiler/graph/document/document.h"
#include "lang/base/files.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

Error no_way_to_write(const std::string& path) {
    return {"file-not-written", cat("cannot write '", path, "'")};
}

} // namespace

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

ModelHistory::ModelHistory(std::string path, HistoryLimits limits)
    : m_path(path), m_graphs(path + ".graphs", ".json"), m_limits(limits) {}

Result<void> ModelHistory::load() {
    HIDET_TRY(const NewestLines lines, read_line_file(m_path, m_limits.most_bytes()));
    m_runs.clear();
    m_note = for_each_line(m_path, lines, [&](std::string_view line) { return apply_model_line(line, m_runs); });
    return {};
}

Result<void> ModelHistory::load_existing() {
    if (Result<void> there = is_line_file(m_path); !there)
        return there;
    return load();
}

Result<void> ModelHistory::append(ModelRecord& record, std::string_view graph) {
    if (Result<void> done = m_graphs.keep(graph); !done)
        return done;
    record.graph = hash_text(graph);
    {
        LineFileLock file(m_path, O_RDWR | O_CREAT | O_APPEND);
        if (!file.is_open())
            return no_way_to_write(m_path);
        if (Result<void> loaded = load(); !loaded) // others may have added to it
            return loaded;
        record.number = 0;
        for (const ModelRecord& run : m_runs)
            if (run.when == record.when)
                record.number = std::max(record.number, run.number + 1);
        if (!file.append(model_line_of(record)))
            return no_way_to_write(m_path);
        m_runs.push_back(record);
    }
    return size_of_line_file(m_path) > m_limits.bytes ? trim() : Result<void>{};
}

// The newer runs up to half of the limit, and all that have a name.
Result<void> ModelHistory::trim() {
    LineFileLock lock(m_path, O_RDWR);
    if (!lock.is_open())
        return no_way_to_write(m_path);
    if (Result<void> loaded = load(); !loaded)
        return loaded;
    std::int64_t bytes = 0;
    std::vector<ModelRecord> kept;
    for (auto run = m_runs.rbegin(); run != m_runs.rend(); ++run) {
        bytes += static_cast<std::int64_t>(model_line_of(*run).size());
        if (!run->name.empty() || bytes <= m_limits.bytes / 2)
            kept.push_back(*run);
    }
    std::ranges::reverse(kept);
    std::string text;
    std::set<std::string> graphs;
    for (const ModelRecord& run : kept) {
        text += model_line_of(run);
        graphs.insert(run.graph);
    }
    if (Result<void> done = replace_file(m_path, text); !done)
        return done;
    m_runs = std::move(kept);
    m_graphs.keep_only(graphs);
    return {};
}

Result<bool> ModelHistory::rename(const std::string& when, int number, const std::string& name) {
    LineFileLock lock(m_path, O_RDWR | O_CREAT | O_APPEND);
    if (!lock.is_open())
        return no_way_to_write(m_path);
    if (Result<void> done = load(); !done)
        return done.error();
    const auto is_it = [&](const ModelRecord& run) { return run.when == when && run.number == number; };
    if (std::ranges::none_of(m_runs, is_it))
        return false;
    const std::string line = model_name_line(when, number, name);
    if (!lock.append(line))
        return no_way_to_write(m_path);
    apply_model_line(std::string_view(line).substr(0, line.size() - 1), m_runs);
    return true;
}

Result<std::string> ModelHistory::graph_file(const ModelRecord& run) const {
    if (!m_graphs.text(run.graph))
        return Error{"history-text-missing", "the graph of this run was not kept, or its file was changed"};
    return m_graphs.file_of(run.graph);
}

} // namespace hidet::session
