// SPDX-License-Identifier: Apache-2.0
// A kernel that fills a workspace makes no result, so all launches of a call say that they make what the call makes: none of
// them is launched when all of that is empty.
#include "compiler/graph/plan/launch_steps.h"

#include <map>

#include "compiler/graph/plan/chunk.h"
#include "compiler/graph/plan/expressions.h"
#include "compiler/graph/plan/host_code.h"
#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

using artifact::PlanStep;
using artifact::Row;
using artifact::StepKind;

// The functions of the plan: its kernels.
class Kernels {
public:
    explicit Kernels(std::vector<artifact::PlanFunction>& rows) : m_rows(rows) {}
    Row row_of(Row module, const std::string& kernel) {
        const auto [found, is_new] = m_found.emplace(kernel, m_rows.size());
        if (is_new)
            m_rows.push_back({module, kernel, {}, {}});
        return found->second;
    }

private:
    std::vector<artifact::PlanFunction>& m_rows;
    std::map<std::string, Row> m_found;
};

// Of one body.
class LaunchPlanner {
public:
    LaunchPlanner(const Graph& graph, const Plan& plan, const artifact::PlanBody& body,
                  const std::vector<StepSource>& sources, const std::vector<ir::ModuleRef>& lowered, Kernels& kernels)
        : m_graph(graph), m_plan(plan), m_body(body), m_sources(sources), m_lowered(lowered), m_kernels(kernels),
          m_out(body), m_expressions(m_out) {
        m_out.steps.clear();
    }

    Result<artifact::PlanBody> run() {
        for (std::size_t i = 0; i < m_body.steps.size(); ++i) {
            m_starts.push_back(m_out.steps.size());
            try {
                add(i);
            } catch (const NotLaunching&) {
                return Error{"host-code", cat("the host code of '", join(m_body.steps[i].operators, ", "),
                                              "' does more than launching kernels")};
            }
        }
        m_starts.push_back(m_out.steps.size());
        renumber();
        return std::move(m_out);
    }

private:
    void add(std::size_t number) {
        m_call = &m_body.steps[number];
        if (m_call->kind != StepKind::Call) {
            m_out.steps.push_back(*m_call);
            return;
        }
        m_source = &m_sources[number];
        m_module = m_plan.launch.functions[m_call->function].module;
        const std::string name = merged_name("launch", m_module);
        const ir::Function* host = ir::find_function(*m_lowered[m_module], name);
        HIDET_CHECK(host && host->params.size() == m_call->arguments.size(), name);
        HostCode code(*m_lowered[m_module], m_out, m_expressions,
                      [this](PlanStep& step, const ir::LaunchStmt& launch) { describe(step, launch); });
        for (std::size_t i = 0; i < host->params.size(); ++i)
            code.bind(*host->params[i], m_call->arguments[i]);
        code.run(host->body);
        if (m_out.steps.size() == m_starts.back())
            make_empty();
    }
    // Nothing is launched, but what reads the results has to find them.
    void make_empty() {
        for (const Row result : m_call->writes) {
            PlanStep step;
            step.kind = StepKind::Fill;
            step.section = m_call->section;
            step.writes = {result};
            step.bytes = m_expressions.constant(0);
            m_out.steps.push_back(std::move(step));
        }
    }

    void describe(PlanStep& step, const ir::LaunchStmt& launch) {
        step.section = m_call->section;
        step.reads = m_call->reads;
        step.writes = m_call->writes;
        step.function = m_kernels.row_of(m_module, launch.kernel);
        for (const GroupProgram::Kernel& each : m_source->kernels)
            if (merged_name(each.name, m_module) == launch.kernel) {
                step.kernels = {each.name};
                step.operators = names_of(m_graph, each.nodes);
            }
    }
    // What names steps by their number.
    void renumber() {
        for (artifact::PlanSection& section : m_out.sections) {
            section.first_step = start_of(section.first_step);
            section.end_step = start_of(section.end_step);
        }
        for (artifact::PlanValue& value : m_out.values) {
            const bool outlives = value.last_step == static_cast<std::int32_t>(m_body.steps.size());
            if (value.last_step >= 0)
                value.last_step =
                    static_cast<std::int32_t>(start_of(static_cast<std::uint32_t>(value.last_step) + !outlives)) -
                    !outlives;
            if (value.first_step >= 0)
                value.first_step = static_cast<std::int32_t>(start_of(static_cast<std::uint32_t>(value.first_step)));
        }
        for (PlanStep& step : m_out.steps)
            for (artifact::PlanRange& range : step.ranges)
                range = {start_of(range.first), start_of(range.end)};
    }
    std::uint32_t start_of(std::uint32_t step) const { return static_cast<std::uint32_t>(m_starts[step]); }

    const Graph& m_graph;
    const Plan& m_plan;
    const artifact::PlanBody& m_body;
    const std::vector<StepSource>& m_sources;
    const std::vector<ir::ModuleRef>& m_lowered;
    Kernels& m_kernels;
    artifact::PlanBody m_out;
    Expressions m_expressions;
    std::vector<std::size_t> m_starts; // by step of the plan with calls
    // Of the call at hand.
    const PlanStep* m_call = nullptr;
    const StepSource* m_source = nullptr;
    Row m_module = 0;
};

} // namespace

Result<artifact::LaunchPlan> with_launches(const Graph& graph, const Plan& plan,
                                           const std::vector<ir::ModuleRef>& lowered) {
    artifact::LaunchPlan out = plan.launch;
    out.functions.clear();
    Kernels kernels(out.functions);
    Result<artifact::PlanBody> own = LaunchPlanner(graph, plan, plan.launch, plan.sources, lowered, kernels).run();
    if (!own)
        return own.error();
    static_cast<artifact::PlanBody&>(out) = std::move(own).value();
    for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
        const PlannedBody& planned = plan.bodies[i];
        if (!planned.graph)
            continue;
        Result<artifact::PlanBody> body =
            LaunchPlanner(*planned.graph, plan, plan.launch.bodies[i], planned.sources, lowered, kernels).run();
        if (!body)
            return body.error();
        out.bodies[i] = std::move(body).value();
    }
    return out;
}

} // namespace hidet::graph
