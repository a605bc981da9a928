// SPDX-License-Identifier: Apache-2.0
// Host code that was lowered, as steps of a launch plan: lets, conditions, assertions, tensor maps and launches. It is gone
// through once for each call, with the call's arguments for its parameters: pointers become places (a value and an offset in
// it), numbers become expressions of the plan. A launch under a condition has no blocks where the condition does not hold,
// and an assertion becomes a requirement of the plan. What a variable holds that describes a tensor to the copy unit becomes
// a tensor map of the plan.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "compiler/graph/plan/expressions.h"
#include "compiler/ir/func.h"
#include "compiler/ir/stmt.h"

namespace hidet::graph {

// Thrown where host code does more than launching kernels with extents that are expressions of a plan.
struct NotLaunching {
    Origin origin; // of the statement
};

class HostCode {
public:
    // What a step has beside what the launch says.
    using Describe = std::function<void(artifact::PlanStep&, const ir::LaunchStmt&)>;
    // Memory until the call ends, of so many bytes (an expression), which begins as zeros where that is asked: its value.
    using Workspace = std::function<artifact::Row(artifact::Row bytes, bool is_zeroed)>;
    enum class Scalars : std::uint8_t { Whole, All }; // that kernels take; All: floats are the bits of an f64
    // The module holds the kernels; steps, tensor maps and requirements are added to the body. The rest outlives this.
    HostCode(const ir::Module& module, artifact::PlanBody& body, Expressions& expressions, Describe describe,
             Scalars scalars = Scalars::Whole)
        : m_module(module), m_out(body), m_expressions(expressions), m_describe(std::move(describe)),
          m_scalars(scalars) {}

    void bind(const ir::Var& parameter, const artifact::PlanArgument& argument);
    void set_workspaces(Workspace make) { m_workspace = std::move(make); } // else host code that wants one is refused
    void run(const ir::StmtRef& body);                                     // throws NotLaunching

private:
    void run(const ir::StmtRef& stmt, artifact::Row condition);
    void run_inside(const ir::StmtRef& body, artifact::Row condition);
    void declare(const ir::DeclareStmt& let);
    void choose(const ir::IfStmt& branch, artifact::Row condition);
    void make_map(const ir::ExprRef& expr);
    void add_launch(const ir::LaunchStmt& launch, artifact::Row condition);
    void require_limits(const ir::LaunchStmt& launch, const artifact::PlanStep& step, artifact::Row condition);
    void at_most(const ir::LaunchStmt& launch, const ir::ExprRef& extent, artifact::Row row, std::int64_t limit,
                 const std::string& what, artifact::Row condition);

    artifact::Row row_of(const ir::ExprRef& expr);
    artifact::Row any_row_of(const ir::ExprRef& expr);
    artifact::PlanArgument place_of(const ir::ExprRef& expr);
    artifact::PlanArgument workspace_of(const ir::Intrinsic& request);
    artifact::PlanArgument argument_of(const ir::ExprRef& given, const ir::TypeRef& type);
    artifact::PlanTensorMap tensor_map_of(const ir::Intrinsic& call);
    artifact::Row map_row(artifact::PlanTensorMap map);
    std::int64_t number_of(const ir::ExprRef& expr) const;
    std::vector<artifact::Row> three(const ir::ExprVec& extents);
    [[noreturn]] void refuse() const { throw NotLaunching{m_origin}; }

    const ir::Module& m_module;
    artifact::PlanBody& m_out;
    Expressions& m_expressions;
    Describe m_describe;
    Scalars m_scalars;
    Workspace m_workspace;
    artifact::Row m_condition = artifact::no_row; // of the statement at hand
    Origin m_origin;                              // of the statement at hand
    std::map<const ir::Var*, artifact::PlanArgument> m_places;
    std::map<const ir::Var*, artifact::PlanArgument> m_maps; // what variables describe
};

} // namespace hidet::graph
