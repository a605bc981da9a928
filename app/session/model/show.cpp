// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "app/session/model/measured.h"
#include "app/session/model/predictor.h"
#include "app/session/model/stages.h"
#include "app/session/model/view/graph_index.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/document/constants.h"
#include "compiler/graph/document/costs.h"
#include "compiler/graph/document/document.h"
#include "compiler/graph/document/write_parts.h"
#include "compiler/graph/text/contents.h"
#include "compiler/graph/text/draw_graph.h"
#include "compiler/graph/text/print_graph.h"
#include "compiler/ir/func.h"
#include "lang/base/quantity.h"
#include "lang/base/ranges.h"

namespace hidet::session {

using namespace graph;

namespace {

// What the document says beyond the graph: programs, steps, memory, and what each step costs.

using Json = nlohmann::ordered_json;

Json json_of(const Dim& dim) {
    if (!dim)
        return nullptr;
    const auto number = constant_of(dim);
    return number ? Json(*number) : Json(text_of(dim));
}

Json json_of(const artifact::ExprValue& value) {
    return value ? Json(*value) : Json(nullptr);
}

// Four digits: what is predicted and measured is no more exact.
Json figure(double value) {
    return std::strtod(digits_text(value, 4).c_str(), nullptr);
}

std::string line_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class PlanWriter {
public:
    explicit PlanWriter(ModelStages& stages)
        : m_stages(stages), m_graph(stages.compiled().graph), m_plan(stages.compiled().plan),
          m_symbols(assumed_symbols(m_graph)), m_roofs(perf::roofs_of(stages.target())) {
        m_ids.assign(m_launch.values.size(), UINT32_MAX);
        for (std::uint32_t id = 0; id < m_plan.rows.size(); ++id)
            if (m_plan.rows[id] != artifact::no_row)
                m_ids[m_plan.rows[id]] = id;
    }

    std::string text() {
        const std::string steps = steps_text();
        const artifact::ArenaSizes sizes = arena_sizes(m_launch);
        return cat("{\n\"target\": \"", target_kind_name(m_plan.target.kind),
                   "\",\n\"arena_bytes\": ", line_of(json_of(sizes.bytes)),
                   ",\n\"liveness_bound\": ", line_of(json_of(sizes.bound)),
                   ",\n\"predicted\": ", line_of(prediction()), ",\n\"programs\": ", programs_text(),
                   ",\n\"steps\": ", steps, ",\n\"memory\": ", memory_text(),
                   ",\n\"blockers\": ", json_of_blockers(m_plan.blockers, NodeKeys(m_graph)), "\n}");
    }

private:
    Json extent_json(artifact::Row row) const {
        const auto number = artifact::constant_of(m_launch.expressions[row]);
        return number ? Json(*number) : Json(artifact::text_of(m_launch.expressions, row, symbol_names(m_launch)));
    }
    std::string programs_text() const {
        std::vector<std::string> lines;
        for (const PlannedProgram& program : m_plan.programs) {
            Json functions = Json::array();
            for (const ir::FunctionRef& function : program.module->functions)
                functions.push_back({{"name", function->name}, {"kind", ir::func_kind_name(function->func_kind)}});
            lines.push_back(
                line_of({{"key", program.key}, {"nodes", indices_of(program.nodes)}, {"functions", functions}}));
        }
        return json_list(lines);
    }

    std::string steps_text() {
        std::vector<std::string> lines;
        for (std::size_t i = 0; i < m_launch.steps.size(); ++i)
            lines.push_back(line_of(step_json(i)));
        return json_list(lines);
    }
    Json step_json(std::size_t number) {
        const artifact::PlanStep& step = m_launch.steps[number];
        const StepSource& source = m_plan.sources[number];
        const bool is_host = m_plan.is_host(number);
        Json out = {{"step", number},
                    {"kind", is_host ? "host" : "launch"},
                    {"node", source.node.index},
                    {"group", source.group},
                    {"section", step.section}};
        if (!is_host) {
            Json kernels = Json::array();
            for (const GroupProgram::Kernel& kernel : source.kernels)
                kernels.push_back({{"name", kernel.name}, {"nodes", indices_of(kernel.nodes)}});
            out["program"] = m_plan.programs[m_plan.program_of(number)].key;
            out["nodes"] = indices_of(source.nodes);
            out["kernels"] = kernels;
        }
        Json arguments = Json::array();
        for (const std::vector<artifact::Row>* values : {&step.reads, &step.writes})
            for (const artifact::Row value : *values)
                arguments.push_back(m_ids[value] == UINT32_MAX ? Json() : Json(m_ids[value])); // null: a packed weight
        out["arguments"] = arguments;
        out["outputs"] = step.writes.size();
        for (const artifact::PlanArgument& argument : step.arguments)
            if (const artifact::PlanValue& value = m_launch.values[argument.value];
                m_ids[argument.value] == UINT32_MAX && value.place != artifact::Place::Constant) {
                out["workspace_bytes"] = extent_json(value.bytes);
                out["workspace_offset"] = json_of(artifact::constant_of(m_launch.expressions[value.offset]));
            }
        const Group& group = m_stages.compiled().partition.groups[source.group];
        const NodeCost cost = cost_of(m_graph, group);
        out["flops"] = json_of(cost.flops);
        out["bytes"] = json_of(cost.bytes);
        if (!is_host) {
            const perf::Need need{number_of(cost.flops, m_symbols), number_of(cost.bytes, m_symbols),
                                  source.kernels.size(), factors_of(m_graph, group.nodes)};
            const double seconds = least_time(m_roofs, need).seconds;
            m_seconds += seconds;
            out["seconds"] = figure(seconds);
        }
        return out;
    }

    Json prediction() const {
        Json out = {{"device", m_roofs.name},
                    {"flops_per_second", m_roofs.flops},
                    {"bytes_per_second", m_roofs.bytes_per_second},
                    {"launch_seconds", m_roofs.launch_seconds},
                    {"seconds", figure(m_seconds)}};
        if (!m_symbols.empty())
            out["assumes"] = m_symbols;
        return out;
    }

    std::string memory_text() const {
        std::vector<std::string> lines;
        for (std::uint32_t i = 0; i < m_plan.rows.size(); ++i) {
            if (m_plan.rows[i] == artifact::no_row)
                continue;
            const artifact::PlanValue& value = m_launch.values[m_plan.rows[i]];
            Json row = {{"value", i}, {"place", enum_name(value.place)}, {"bytes", extent_json(value.bytes)}};
            if (value.place == artifact::Place::Arena)
                row["offset"] = json_of(artifact::constant_of(m_launch.expressions[value.offset]));
            if (lies_in_another(value.place))
                row["of"] = m_ids[value.of];
            if (value.last_step >= 0)
                row["steps"] = {std::max(value.first_step, 0), value.last_step};
            lines.push_back(line_of(row));
        }
        return json_list(lines);
    }

    const ModelStages& m_stages;
    const Graph& m_graph;
    const Plan& m_plan;
    const artifact::LaunchPlan& m_launch = m_plan.launch;
    std::vector<std::uint32_t> m_ids; // of the graph, by value; none: a workspace or a packed weight
    const SymbolValues m_symbols;
    const DeviceRoofs m_roofs;
    double m_seconds = 0;
};

std::string plan_json(ModelStages& stages) {
    return PlanWriter(stages).text();
}

// Of a run that was measured: where, how long, and each step.
std::string times_json(const ModelBenchResult& measured) {
    const std::vector<std::string> lines = transformed(measured.steps, [&](const ModelStepRow& row) {
        return line_of({{"step", row.step}, {"seconds", figure(row.seconds)}});
    });
    return cat("{\n\"where\": ", line_of(measured.where), ",\n\"seconds\": ", line_of(figure(measured.times.median)),
               ",\n\"spread\": ", line_of(figure(measured.times.spread)), ",\n\"runs\": ", measured.times.count,
               ",\n\"steps\": ", json_list(lines), "\n}");
}

// Prints the graph after passes.
class Printer : public GraphInstrument {
public:
    Printer(const ModelShowRequest& request, ContentHashes& hashes) : m_request(request), m_hashes(hashes) {}

    void print(const std::string& pass, const Graph& graph, const Partition* partition = nullptr) {
        PrintOptions options;
        options.partition = partition;
        options.tasks = m_request.verbose;
        options.known = &m_hashes;
        text += (m_request.every ? "# " + pass + "\n" : "") + print_graph(graph, options);
    }
    void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) override {
        const bool is_wanted = m_request.every ? !record.matches.empty() : m_request.after == pass.name;
        if (!is_wanted)
            return;
        if (!m_request.every)
            text.clear(); // a pass may run twice: the last time counts
        print(pass.name, graph);
    }
    std::string text;

private:
    const ModelShowRequest& m_request;
    ContentHashes& m_hashes;
};

std::string size_text(const artifact::ExprValue& size) {
    return size ? cat(*size) : "dynamic";
}

std::string step_text(const Plan& plan, const Graph& graph, const artifact::PlanBody& body, const StepSource& source,
                      const artifact::PlanStep& step) {
    const bool is_host = is_on_host(step.kind);
    std::string text = is_host ? " host " + name_of(graph, source.node)
                               : " launch " + plan.programs[plan.launch.functions[step.function].module].key;
    for (const artifact::Row made : step.bodies)
        text += cat(made == step.bodies[0] ? ": body " : ", or body ", made);
    for (const GroupProgram::Kernel& kernel : source.kernels)
        text += cat("\n    ", kernel.name, ": ", join(names_of(graph, kernel.nodes), ", "));
    for (const artifact::Row output : step.writes) {
        const artifact::PlanValue& value = body.values[output];
        text += cat("\n    -> ", value.dtype, extents_text(body, value.shape), " ", enum_name(value.place));
        if (value.place == artifact::Place::Arena)
            text += cat(" at ", size_text(artifact::constant_of(body.expressions[value.offset])), ", steps ",
                        value.first_step, " to ", value.last_step);
    }
    return text + "\n";
}

// Programs, steps and memory: what runs, in order, and where its results lie.
std::string plan_text(const ModelStages& stages) {
    const Plan& plan = stages.compiled().plan;
    const artifact::LaunchPlan& launch = plan.launch;
    const artifact::ArenaSizes sizes = arena_sizes(launch);
    std::string text = cat(plan.programs.size(), " programs, ", launch.steps.size(), " steps, arena of ",
                           size_text(sizes.bytes), " bytes (at least ", size_text(sizes.bound), ")\n");
    for (std::size_t i = 0; i < launch.steps.size(); ++i)
        text += cat(i, step_text(plan, stages.compiled().graph, launch, plan.sources[i], launch.steps[i]));
    for (std::size_t row = 0; row < plan.bodies.size(); ++row) {
        const PlannedBody& planned = plan.bodies[row];
        const artifact::PlanBody& body = launch.bodies[row];
        text += cat("body ", row, planned.graph ? "" : ": " + body.requirements[0].message, "\n");
        for (std::size_t i = 0; i < body.steps.size(); ++i)
            text += cat("  ", i, step_text(plan, *planned.graph, body, planned.sources[i], body.steps[i]));
    }
    return text;
}

// What the document says of times: those of random inputs.
bool add_times(Work& work, ModelStages& stages, const ModelShowRequest& request, DocumentParts& parts) {
    ModelRunRequest run;
    static_cast<ModelRequest&>(run) = request;
    ModelBenchResult measured;
    if (!stages.build() || !measure_built(work, run, stages, measured))
        return false;
    parts.sections.emplace_back("times", times_json(measured));
    return true;
}

bool write_document_into(Work& work, ModelStages& stages, const ModelShowRequest& request,
                         const GraphRecorder& recorder, std::string& text) {
    DocumentParts parts{stages.compiled().graph, &recorder, &stages.optimised(), {}, false, &work.sources};
    parts.sections.emplace_back("constants", json_of_constants(parts.graph));
    parts.sections.emplace_back("plan", plan_json(stages));
    if (request.measure && !add_times(work, stages, request, parts))
        return false;
    text = write_document(parts);
    return true;
}

bool show_into(Work& work, ModelStages& stages, const ModelShowRequest& request, std::string& text) {
    if (!stages.import())
        return false;
    if (request.form == ModelForm::Document && request.after == "import") {
        text = write_document({.graph = stages.imported(), .sources = &work.sources});
        return true;
    }
    ContentHashes hashes;
    Printer printer(request, hashes);
    GraphRecorder recorder(stages.imported(), &work.sources);
    if (request.every || request.after == "import")
        printer.print("import", stages.imported());
    std::vector<GraphInstrument*> instruments = {&printer};
    if (request.form == ModelForm::Document)
        instruments.push_back(&recorder);
    if (!stages.optimise(instruments))
        return false;
    const bool plans = request.kernels || request.form == ModelForm::Document;
    if (plans && !stages.plan())
        return false;
    const Graph& graph = stages.compiled().graph;
    const Partition* partition = request.fused || request.kernels ? &stages.compiled().partition : nullptr;
    switch (request.form) {
    case ModelForm::Dot: text = dot_text(graph, partition); return true;
    case ModelForm::Netron: text = netron_json(graph, partition); return true;
    case ModelForm::Document: return write_document_into(work, stages, request, recorder, text);
    case ModelForm::Text: break;
    }
    if (request.after.empty() && !request.every)
        printer.print("", graph, partition);
    text = printer.text + (request.kernels ? plan_text(stages) : "");
    return true;
}

bool knows_pass(const std::string& name) {
    if (name.empty() || name == "import")
        return true;
    return std::ranges::any_of(graph_passes(), [&](const GraphPassInfo& pass) { return name == pass.name; });
}

} // namespace

ModelShowResult show_model(const ModelShowRequest& request) {
    return answer<ModelShowResult>(request, "show", [&](Work& work, ModelShowResult& result) {
        if (!knows_pass(request.after)) {
            const std::vector<std::string> names = transformed<std::string>(graph_passes(), &GraphPassInfo::name);
            report_wrong_usage(
                work, Diagnostic::make(DiagId::NoSuchPass, {}, request.after).suggest({}, request.after, names));
            return;
        }
        ModelStages stages(work, request);
        stages.settings.is_built = request.measure;
        show_into(work, stages, request, result.text);
    });
}

ModelCompileResult compile_model(const ModelRequest& request, std::string* graph) {
    return answer<ModelCompileResult>(request, "compile", [&](Work& work, ModelCompileResult& result) {
        ModelStages stages(work, request);
        stages.settings.is_built = true;
        if (!stages.import() || !stages.optimise() || !stages.tune() || !stages.plan() || !stages.build())
            return;
        result.facts = stages.facts();
        result.kernels = stages.kernels();
        if (graph)
            *graph = print_graph(stages.compiled().graph, {.partition = &stages.compiled().partition});
    });
}

} // namespace hidet::session
