// SPDX-License-Identifier: Apache-2.0
// Host code of a program that was lowered is lets, conditions and launches. It is gone through once for each call, with
// the call's arguments for its parameters: pointers become places (a value and an offset in it), numbers become expressions
// of the plan. A launch under a condition has no blocks where the condition does not hold, and an assertion becomes a
// requirement of the plan. What a variable holds that describes a tensor to the copy unit becomes a tensor map of the plan.
//
// A kernel that fills a workspace makes no result, so all launches of a call say that they make what the call makes: none of
// them is launched when all of that is empty.
#include "compiler/graph/plan/launch_steps.h"

#include <algorithm>
#include <map>

#include "compiler/artifact/scalars.h"
#include "compiler/graph/plan/chunk.h"
#include "compiler/graph/plan/expressions.h"
#include "compiler/graph/plan/requirements.h"
#include "compiler/ir/grid_wait.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

using artifact::ExprOp;
using artifact::no_row;
using artifact::PlanArgument;
using artifact::PlanStep;
using artifact::Row;
using artifact::StepKind;

struct NotPlain {};

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
            } catch (const NotPlain&) {
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
        m_places.clear();
        m_maps.clear();
        const std::string name = merged_name("launch", m_module);
        const ir::Function* host = ir::find_function(*m_lowered[m_module], name);
        HIDET_CHECK(host && host->params.size() == m_call->arguments.size(), name);
        for (std::size_t i = 0; i < host->params.size(); ++i)
            bind(*host->params[i], m_call->arguments[i]);
        run(host->body, m_expressions.constant(1));
        if (m_out.steps.size() == m_starts.back())
            make_empty();
    }
    void bind(const ir::Var& parameter, const PlanArgument& argument) {
        if (argument.kind == artifact::ArgumentKind::Scalar)
            m_expressions.bind(parameter, argument.expression);
        else
            m_places[&parameter] = argument;
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

    void run(const ir::StmtRef& stmt, Row condition) {
        if (!stmt)
            return;
        if (const auto* seq = ir::as<ir::SeqStmt>(stmt))
            for (const ir::StmtRef& each : seq->stmts)
                run(each, condition);
        else if (const auto* let = ir::as<ir::DeclareStmt>(stmt); let && let->is_let)
            declare(*let);
        else if (const auto* variable = ir::as<ir::DeclareStmt>(stmt);
                 variable && ir::is_tensor_map(variable->var->type))
            m_maps.erase(variable->var.get());
        else if (const auto* call = ir::as<ir::EvaluateStmt>(stmt))
            make_map(call->value);
        else if (const auto* branch = ir::as<ir::IfStmt>(stmt))
            choose(*branch, condition);
        else if (const auto* launch = ir::as<ir::LaunchStmt>(stmt))
            add_launch(*launch, condition);
        else if (const auto* assertion = ir::as<ir::AssertStmt>(stmt))
            m_out.requirements.push_back(
                {m_expressions.chosen(condition, row_of(assertion->condition), m_expressions.constant(1)),
                 braces_escaped(assertion->message),
                 {}});
        else
            throw NotPlain();
    }
    void declare(const ir::DeclareStmt& let) {
        if (ir::is_pointer(let.var->type))
            m_places[let.var.get()] = place_of(let.init);
        else
            m_expressions.bind(*let.var, row_of(let.init));
    }
    void choose(const ir::IfStmt& branch, Row condition) {
        const Row holds = row_of(branch.condition);
        const Row never = m_expressions.constant(0);
        run_inside(branch.then_body, m_expressions.chosen(condition, holds, never));
        if (branch.else_body)
            run_inside(branch.else_body,
                       m_expressions.chosen(condition, m_expressions.combined(ExprOp::Eq, holds, never), never));
    }
    // What a variable describes behind a branch that changed it depends on the condition.
    void run_inside(const ir::StmtRef& body, Row condition) {
        const std::map<const ir::Var*, PlanArgument> before = m_maps;
        run(body, condition);
        std::erase_if(m_maps, [&](const auto& each) {
            const auto found = before.find(each.first);
            return found == before.end() || found->second != each.second;
        });
    }

    Row row_of(const ir::ExprRef& expr) {
        const auto row = m_expressions.find(expr);
        return row ? *row : throw NotPlain();
    }
    PlanArgument place_of(const ir::ExprRef& expr) {
        if (const auto* var = ir::as<ir::Var>(expr))
            if (const auto found = m_places.find(var); found != m_places.end())
                return found->second;
        if (const auto* cast = ir::as<ir::Cast>(expr); cast && ir::is_pointer(cast->a->type))
            return place_of(cast->a);
        const auto* sum = ir::as<ir::Binary>(expr);
        if (!sum || sum->op != ir::BinOp::Add || !ir::is_pointer(sum->a->type))
            throw NotPlain();
        PlanArgument place = place_of(sum->a);
        const std::int64_t item = ir::size_in_bytes(ir::element_of(sum->a->type));
        const Row bytes = item > 0 ? row_of(item == 1 ? sum->b : ir::mul(sum->b, dim(item))) : throw NotPlain();
        place.expression =
            place.expression == no_row ? bytes : m_expressions.combined(ExprOp::Add, place.expression, bytes);
        return place;
    }

    // Operands: the variable, the tensor, and numbers in the order of the fields.
    void make_map(const ir::ExprRef& expr) {
        const auto* call = ir::as<ir::Intrinsic>(expr);
        if (!call || (call->id != ir::IntrinsicId::CreateTensorMap && call->id != ir::IntrinsicId::CreateIm2colMap))
            throw NotPlain();
        const auto* variable = ir::as<ir::Address>(call->args[0]);
        const auto* var = variable ? ir::as<ir::Var>(variable->place) : nullptr;
        if (!var)
            throw NotPlain();
        PlanArgument argument = place_of(call->args[1]);
        argument.kind = artifact::ArgumentKind::TensorMap;
        argument.map = map_row(tensor_map_of(*call));
        m_maps[var] = argument;
    }
    artifact::PlanTensorMap tensor_map_of(const ir::Intrinsic& call) {
        const auto number = [&](const char* name) {
            return static_cast<std::uint32_t>(ir::number_attribute(call.attr, name));
        };
        artifact::PlanTensorMap map;
        map.element = static_cast<artifact::MapElement>(ir::attribute<ir::TensorMapType>(call.attr));
        map.interleave = number("interleave");
        map.swizzle = number("swizzle");
        map.l2_promotion = number("l2_promotion");
        const std::size_t rank = number("rank");
        auto next = call.args.begin() + 2;
        const auto rows = [&](std::vector<Row>& out, std::size_t count) {
            for (; count > 0; --count)
                out.push_back(row_of(*next++));
        };
        const auto numbers = [&](auto& out, std::size_t count) {
            for (; count > 0; --count)
                out.push_back(static_cast<std::decay_t<decltype(out[0])>>(number_of(*next++)));
        };
        rows(map.extents, rank);
        rows(map.strides, rank - 1);
        if (call.id == ir::IntrinsicId::CreateIm2colMap) {
            numbers(map.lower, rank - 2);
            numbers(map.upper, rank - 2);
            numbers(map.box, 1);
            map.pixels = static_cast<std::uint32_t>(number_of(*next++));
        } else {
            numbers(map.box, rank);
        }
        numbers(map.element_strides, rank);
        return map;
    }
    static std::int64_t number_of(const ir::ExprRef& expr) {
        const auto number = ir::constant_int(expr);
        return number ? *number : throw NotPlain();
    }
    Row map_row(artifact::PlanTensorMap map) {
        const auto found = std::ranges::find(m_out.maps, map);
        const auto row = static_cast<Row>(found - m_out.maps.begin());
        if (found == m_out.maps.end())
            m_out.maps.push_back(std::move(map));
        return row;
    }

    void add_launch(const ir::LaunchStmt& launch, Row condition) {
        const ir::Function* kernel = ir::find_function(*m_lowered[m_module], launch.kernel);
        HIDET_CHECK(kernel && kernel->params.size() == launch.args.size(), launch.kernel);
        PlanStep step;
        step.kind = StepKind::Launch;
        step.section = m_call->section;
        step.reads = m_call->reads;
        step.writes = m_call->writes;
        step.function = m_kernels.row_of(m_module, launch.kernel);
        for (std::size_t i = 0; i < launch.args.size(); ++i)
            step.arguments.push_back(argument_of(launch.args[i], kernel->params[i]->type));
        step.grid = three(launch.grid);
        step.grid[0] = m_expressions.chosen(condition, step.grid[0], m_expressions.constant(0));
        step.block = three(launch.block);
        step.cluster = three(launch.cluster);
        step.overlaps = ir::waits_for_grid(*kernel);
        require_limits(launch, step, condition);
        if (launch.dynamic_smem_bytes && !ir::is_constant(launch.dynamic_smem_bytes, 0))
            step.dynamic_shared = row_of(launch.dynamic_smem_bytes);
        for (const GroupProgram::Kernel& each : m_source->kernels)
            if (merged_name(each.name, m_module) == launch.kernel) {
                step.kernels = {each.name};
                step.operators = names_of(m_graph, each.nodes);
            }
        m_out.steps.push_back(std::move(step));
    }
    // Of dimensions that are no constants; no GPU takes more.
    void require_limits(const ir::LaunchStmt& launch, const PlanStep& step, Row condition) {
        constexpr std::int64_t blocks = 65535, threads[] = {1024, 1024, 64};
        for (std::size_t d = 0; d < 3; ++d) {
            if (d > 0)
                at_most(launch, launch.grid[d], step.grid[d], blocks, cat("a gridDim.", "xyz"[d]), condition);
            at_most(launch, launch.block[d], step.block[d], threads[d], cat("a blockDim.", "xyz"[d]), condition);
        }
    }
    void at_most(const ir::LaunchStmt& launch, const ir::ExprRef& extent, Row row, std::int64_t limit,
                 const std::string& what, Row condition) {
        if (ir::constant_int(extent))
            return;
        const Row fits = m_expressions.combined(ExprOp::Le, row, m_expressions.constant(limit));
        m_out.requirements.push_back({m_expressions.chosen(condition, fits, m_expressions.constant(1)),
                                      cat("kernel '", braces_escaped(launch.kernel), "' is launched with ", what,
                                          " of {}; at most ", limit, " is allowed"),
                                      {row}});
    }
    PlanArgument argument_of(const ir::ExprRef& given, const ir::TypeRef& type) {
        if (ir::is_tensor_map(type)) {
            const auto* var = ir::as<ir::Var>(given);
            const auto found = var ? m_maps.find(var) : m_maps.end();
            return found != m_maps.end() ? found->second : throw NotPlain();
        }
        const auto dtype = ir::scalar_of(type);
        if (!dtype)
            return place_of(given);
        const auto scalar = artifact::find_scalar(ir::info(*dtype).short_name);
        return {.kind = artifact::ArgumentKind::Scalar,
                .expression = row_of(given),
                .type = scalar ? *scalar : throw NotPlain()};
    }
    std::vector<Row> three(const ir::ExprVec& extents) {
        std::vector<Row> rows;
        for (std::size_t d = 0; d < 3; ++d)
            rows.push_back(d < extents.size() ? row_of(extents[d]) : m_expressions.constant(1));
        return rows;
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
    std::map<const ir::Var*, PlanArgument> m_places;
    std::map<const ir::Var*, PlanArgument> m_maps; // what variables of the host function describe
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
