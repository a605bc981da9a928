// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/host_code.h"

#include <algorithm>

#include "compiler/artifact/scalars.h"
#include "compiler/graph/plan/requirements.h"
#include "compiler/ir/grid_wait.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::graph {

using artifact::ExprOp;
using artifact::no_row;
using artifact::PlanArgument;
using artifact::PlanStep;
using artifact::Row;

void HostCode::bind(const ir::Var& parameter, const PlanArgument& argument) {
    if (argument.kind == artifact::ArgumentKind::Scalar)
        m_expressions.bind(parameter, argument.expression);
    else
        m_places[&parameter] = argument;
}

void HostCode::run(const ir::StmtRef& body) {
    run(body, m_expressions.constant(1));
}

void HostCode::run(const ir::StmtRef& stmt, Row condition) {
    if (!stmt)
        return;
    m_origin = stmt->origin;
    m_condition = condition;
    if (const auto* seq = ir::as<ir::SeqStmt>(stmt))
        for (const ir::StmtRef& each : seq->stmts)
            run(each, condition);
    else if (const auto* let = ir::as<ir::DeclareStmt>(stmt); let && let->is_let)
        declare(*let);
    else if (const auto* variable = ir::as<ir::DeclareStmt>(stmt); variable && ir::is_tensor_map(variable->var->type))
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
        refuse();
}

void HostCode::declare(const ir::DeclareStmt& let) {
    if (ir::is_pointer(let.var->type))
        m_places[let.var.get()] = place_of(let.init);
    else
        m_expressions.bind(*let.var, any_row_of(let.init));
}

void HostCode::choose(const ir::IfStmt& branch, Row condition) {
    const Row holds = row_of(branch.condition);
    const Row never = m_expressions.constant(0);
    run_inside(branch.then_body, m_expressions.chosen(condition, holds, never));
    if (branch.else_body)
        run_inside(branch.else_body,
                   m_expressions.chosen(condition, m_expressions.combined(ExprOp::Eq, holds, never), never));
}

// What a variable describes behind a branch that changed it depends on the condition.
void HostCode::run_inside(const ir::StmtRef& body, Row condition) {
    const std::map<const ir::Var*, PlanArgument> before = m_maps;
    run(body, condition);
    std::erase_if(m_maps, [&](const auto& each) {
        const auto found = before.find(each.first);
        return found == before.end() || found->second != each.second;
    });
}

Row HostCode::row_of(const ir::ExprRef& expr) {
    const auto row = m_expressions.find(expr);
    return row ? *row : throw NotLaunching{m_origin};
}

// A plan of a model has whole numbers alone.
Row HostCode::any_row_of(const ir::ExprRef& expr) {
    if (m_scalars == Scalars::Whole)
        return row_of(expr);
    const auto row = m_expressions.find_any(expr);
    return row ? *row : throw NotLaunching{m_origin};
}

PlanArgument HostCode::place_of(const ir::ExprRef& expr) {
    if (const auto* var = ir::as<ir::Var>(expr))
        if (const auto found = m_places.find(var); found != m_places.end())
            return found->second;
    if (const auto* cast = ir::as<ir::Cast>(expr); cast && ir::is_pointer(cast->a->type))
        return place_of(cast->a);
    if (const auto* request = ir::as<ir::Intrinsic>(expr); request && request->id == ir::IntrinsicId::RequestWorkspace)
        return workspace_of(*request);
    const auto* sum = ir::as<ir::Binary>(expr);
    if (!sum || sum->op != ir::BinOp::Add || !ir::is_pointer(sum->a->type))
        refuse();
    PlanArgument place = place_of(sum->a);
    const std::int64_t item = ir::size_in_bytes(ir::element_of(sum->a->type));
    const Row bytes = item > 0 ? row_of(item == 1 ? sum->b : ir::mul(sum->b, dim(item))) : throw NotLaunching{m_origin};
    place.expression =
        place.expression == no_row ? bytes : m_expressions.combined(ExprOp::Add, place.expression, bytes);
    return place;
}

// None where the condition does not hold.
PlanArgument HostCode::workspace_of(const ir::Intrinsic& request) {
    if (!m_workspace || ir::attribute<ir::MemoryDevice>(request.attr) != ir::MemoryDevice::cuda)
        refuse();
    const bool is_zeroed = request.args.size() > 1 && number_of(request.args[1]) != 0;
    const Row bytes = m_expressions.chosen(m_condition, row_of(request.args[0]), m_expressions.constant(0));
    return {.value = m_workspace(bytes, is_zeroed)};
}

// Operands: the variable, the tensor, and numbers in the order of the fields.
void HostCode::make_map(const ir::ExprRef& expr) {
    const auto* call = ir::as<ir::Intrinsic>(expr);
    if (!call || (call->id != ir::IntrinsicId::CreateTensorMap && call->id != ir::IntrinsicId::CreateIm2colMap))
        refuse();
    const auto* variable = ir::as<ir::Address>(call->args[0]);
    const auto* var = variable ? ir::as<ir::Var>(variable->place) : nullptr;
    if (!var)
        refuse();
    PlanArgument argument = place_of(call->args[1]);
    argument.kind = artifact::ArgumentKind::TensorMap;
    argument.map = map_row(tensor_map_of(*call));
    m_maps[var] = argument;
}

artifact::PlanTensorMap HostCode::tensor_map_of(const ir::Intrinsic& call) {
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

std::int64_t HostCode::number_of(const ir::ExprRef& expr) const {
    const auto number = ir::constant_int(expr);
    return number ? *number : throw NotLaunching{m_origin};
}

Row HostCode::map_row(artifact::PlanTensorMap map) {
    const auto found = std::ranges::find(m_out.maps, map);
    const auto row = static_cast<Row>(found - m_out.maps.begin());
    if (found == m_out.maps.end())
        m_out.maps.push_back(std::move(map));
    return row;
}

void HostCode::add_launch(const ir::LaunchStmt& launch, Row condition) {
    const ir::Function* kernel = ir::find_function(m_module, launch.kernel);
    HIDET_CHECK(kernel && kernel->params.size() == launch.args.size(), launch.kernel);
    PlanStep step;
    step.kind = artifact::StepKind::Launch;
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
    m_describe(step, launch);
    m_out.steps.push_back(std::move(step));
}

// Of dimensions that are no constants; no GPU takes more.
void HostCode::require_limits(const ir::LaunchStmt& launch, const PlanStep& step, Row condition) {
    constexpr std::int64_t blocks = 65535, threads[] = {1024, 1024, 64};
    for (std::size_t d = 0; d < 3; ++d) {
        if (d > 0)
            at_most(launch, launch.grid[d], step.grid[d], blocks, cat("a gridDim.", "xyz"[d]), condition);
        at_most(launch, launch.block[d], step.block[d], threads[d], cat("a blockDim.", "xyz"[d]), condition);
    }
}

void HostCode::at_most(const ir::LaunchStmt& launch, const ir::ExprRef& extent, Row row, std::int64_t limit,
                       const std::string& what, Row condition) {
    if (ir::constant_int(extent))
        return;
    const Row fits = m_expressions.combined(ExprOp::Le, row, m_expressions.constant(limit));
    m_out.requirements.push_back({m_expressions.chosen(condition, fits, m_expressions.constant(1)),
                                  cat("kernel '", braces_escaped(launch.kernel), "' is launched with ", what,
                                      " of {}; at most ", limit, " is allowed"),
                                  {row}});
}

PlanArgument HostCode::argument_of(const ir::ExprRef& given, const ir::TypeRef& type) {
    if (ir::is_tensor_map(type)) {
        const auto* var = ir::as<ir::Var>(given);
        const auto found = var ? m_maps.find(var) : m_maps.end();
        return found != m_maps.end() ? found->second : throw NotLaunching{m_origin};
    }
    const auto dtype = ir::scalar_of(type);
    if (!dtype)
        return place_of(given);
    const auto scalar = artifact::find_scalar(ir::info(*dtype).short_name);
    return {.kind = artifact::ArgumentKind::Scalar,
            .expression = any_row_of(given),
            .type = scalar ? *scalar : throw NotLaunching{m_origin}};
}

std::vector<Row> HostCode::three(const ir::ExprVec& extents) {
    std::vector<Row> rows;
    for (std::size_t d = 0; d < 3; ++d)
        rows.push_back(d < extents.size() ? row_of(extents[d]) : m_expressions.constant(1));
    return rows;
}

} // namespace hidet::graph
