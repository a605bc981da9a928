// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/plan_json.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/session/model/roofs.h"
#include "compiler/graph/document/costs.h"
#include "compiler/graph/document/write_parts.h"
#include "compiler/ir/func.h"
#include "lang/base/quantity.h"

namespace hidet::session {

using namespace graph;

namespace {

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

template <class T>
Json ids_of(const std::vector<T>& ids) {
    Json out = Json::array();
    for (const T id : ids)
        out.push_back(id.index);
    return out;
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
          m_symbols(assumed_symbols(m_graph)), m_roofs(roofs_of(stages.target())) {
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
                line_of({{"key", program.key}, {"nodes", ids_of(program.nodes)}, {"functions", functions}}));
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
                kernels.push_back({{"name", kernel.name}, {"nodes", ids_of(kernel.nodes)}});
            out["program"] = m_plan.programs[m_plan.program_of(number)].key;
            out["nodes"] = ids_of(source.nodes);
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
            const Need need{number_of(cost.flops, m_symbols), number_of(cost.bytes, m_symbols), source.kernels.size(),
                            is_half_product(m_graph, group.nodes)};
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
            if (value.place == artifact::Place::Alias)
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

} // namespace

std::string plan_json(ModelStages& stages) {
    return PlanWriter(stages).text();
}

std::string times_json(const ModelBenchResult& measured) {
    std::vector<std::string> lines;
    for (const ModelStepRow& row : measured.steps)
        lines.push_back(line_of({{"step", row.step}, {"seconds", figure(row.seconds)}}));
    return cat("{\n\"where\": ", line_of(measured.where), ",\n\"seconds\": ", line_of(figure(measured.times.median)),
               ",\n\"spread\": ", line_of(figure(measured.times.spread)), ",\n\"runs\": ", measured.times.count,
               ",\n\"steps\": ", json_list(lines), "\n}");
}

} // namespace hidet::session
