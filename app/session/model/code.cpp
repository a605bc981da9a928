// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/code.h"

#include <algorithm>
#include <filesystem>

#include "app/session/model/stages.h"
#include "app/session/model/view/graph_index.h"
#include "app/session/model/view/statement_origins.h"
#include "app/session/preview/lowering.h"
#include "app/session/work/named_gpus.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/names/keys.h"
#include "compiler/graph/text/print_graph.h"
#include "compiler/ir/structure.h"

namespace hidet::session {

using namespace graph;

namespace {

class CodeMaker {
public:
    CodeMaker(Work& work, const ModelCodeRequest& request, ModelCodeResult& result)
        : m_work(work), m_request(request), m_result(result), m_stages(work, request) {
        m_preview.forms = request.forms;
        m_preview.texts = request.texts;
        m_preview.arch = request.arch;
        m_preview.tools = request.tools;
        m_preview.cancelled = request.cancelled;
        m_preview.lower = std::ranges::any_of(request.forms, [](Form form) { return form != Form::Ir; }) ||
                          request.texts == Keep::Everything;
    }

    void run() {
        if (!can_be_asked(m_work, m_preview) || !choose_gpu() || !m_stages.import() || !m_stages.optimise() ||
            !m_stages.tune())
            return;
        mark_operators();
        if (!m_stages.plan())
            return;
        const std::optional<std::vector<bool>> wanted = wanted_steps();
        if (wanted)
            make_programs(*wanted);
    }

private:
    // Code for a GPU is planned for the one that was named, which need not be here; emulated kernels are for one that is usual.
    bool choose_gpu() {
        const bool is_for_gpu =
            std::ranges::any_of(m_request.forms, [](Form form) { return info(form).of == Shown::Kernels; });
        if (!is_for_gpu || m_request.target == Target::Emulate)
            return true;
        if (m_request.target == Target::Cpu)
            return report_wrong_usage(m_work, "programs for the CPU have no code for a GPU: '--kind cpp' writes them");
        const std::optional<std::vector<artifact::TargetSpec>> named = named_gpus(m_work, {m_request.arch});
        if (named)
            m_stages.settings.target = named->front();
        return named.has_value();
    }

    const Graph& graph() const { return m_stages.compiled().graph; }
    const Plan& plan() const { return m_stages.compiled().plan; }

    // Prints the graph, and lets each expression of a compute definition come from its operator's line. What is scheduled
    // and fused from it keeps that origin.
    void mark_operators() {
        std::vector<PrintedNode> places;
        PrintOptions options;
        options.places = &places;
        m_result.graph_text = print_graph(graph(), options);
        m_result.graph_name = std::filesystem::path(m_request.path).stem().string() + ".graph";
        const FileId file = m_work.sources.add(m_result.graph_name, m_result.graph_text);
        const NodeKeys keys(graph());
        for (const PrintedNode& place : places) {
            m_result.operators.push_back({place.node.index, keys.of(place.node), m_stages.name_of(place.node),
                                          m_work.sources.file(file).position(place.begin).line});
            if (const auto& task = graph().node(place.node).task)
                for (const Stage& stage : task->stages)
                    ir::set_origin(stage.value, {{file, place.begin, place.end}, 0});
        }
    }

    // By step; nothing: there is no such operator.
    std::optional<std::vector<bool>> wanted_steps() {
        std::vector<bool> wanted(plan().sources.size(), m_request.node.empty());
        if (m_request.node.empty())
            return wanted;
        std::vector<std::string> names;
        std::vector<bool> is_meant(graph().node_slots());
        for (const ModelOperatorLine& each : m_result.operators) {
            is_meant[each.node] = each.key == m_request.node || each.name == m_request.node;
            names.insert(names.end(), {each.key, each.name});
        }
        for (std::size_t i = 0; i < wanted.size(); ++i)
            for (const NodeId node : plan().sources[i].nodes)
                wanted[i] = wanted[i] || is_meant[node.index];
        if (std::ranges::find(wanted, true) != wanted.end())
            return wanted;
        const bool has_no_code = std::ranges::find(is_meant, true) != is_meant.end();
        const std::string near = has_no_code ? "" : closest(m_request.node, names);
        report_wrong_usage(m_work, has_no_code ? cat("operator '", m_request.node,
                                                     "' has no code: it runs on the host, or moves nothing")
                                               : cat("the model has no operator '", m_request.node, "'",
                                                     near.empty() ? "" : "; did you mean '" + near + "'?"));
        return std::nullopt;
    }

    void make_programs(const std::vector<bool>& wanted) {
        std::vector<std::size_t> rows(plan().programs.size(), SIZE_MAX);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (!wanted[i] || plan().is_host(i))
                continue;
            std::size_t& row = rows[plan().program_of(i)];
            if (row == SIZE_MAX) {
                row = m_result.programs.size();
                const PlannedProgram& program = plan().programs[plan().program_of(i)];
                m_result.programs.push_back({program.key, indices_of(program.nodes), {}, {}});
            }
            m_result.programs[row].uses.push_back({i, indices_of(plan().sources[i].nodes)});
        }
        for (std::size_t program = 0; program < rows.size(); ++program)
            if (rows[program] != SIZE_MAX && !m_work.stopped())
                make_module(plan().programs[program], rows[program]);
    }

    void make_module(const PlannedProgram& program, std::size_t row) {
        give_origins_to_statements(*program.module);
        const RecordedSite recorded{program.module, {}};
        ModuleSnapshot module = describe(m_work, recorded, static_cast<int>(row) + 1);
        lower_to_snapshot(m_work, m_preview, recorded, module);
        m_result.programs[row].module = std::move(module);
    }

    Work& m_work;
    const ModelCodeRequest& m_request;
    ModelCodeResult& m_result;
    ModelStages m_stages;
    PreviewRequest m_preview;
};

} // namespace

ModelCodeResult code_of_model(const ModelCodeRequest& request) {
    return answer<ModelCodeResult>(
        request, "emit", [&](Work& work, ModelCodeResult& result) { CodeMaker(work, request, result).run(); });
}

} // namespace hidet::session
