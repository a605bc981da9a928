// SPDX-License-Identifier: Apache-2.0
// Extents of a graph as expressions of a launch plan: equal ones are one row.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler/artifact/launch_plan.h"
#include "compiler/graph/core/shape.h"

namespace hidet::graph {

class Expressions {
public:
    explicit Expressions(artifact::PlanBody& body); // which may have some

    artifact::Row of(const Dim& dim); // what extent.h does not evaluate has no value in the plan either
    std::optional<artifact::Row> find(const Dim& dim);     // nothing: a plan has no such expression
    std::optional<artifact::Row> find_any(const Dim& dim); // of a float: the bits of an f64
    std::vector<artifact::Row> of(const Shape& shape);
    artifact::Row constant(std::int64_t value) { return add({{artifact::ExprOp::Constant, value}}); }
    artifact::Row expression_of(artifact::Expression expression) { return add(std::move(expression)); }
    artifact::Row combined(artifact::ExprOp op, artifact::Row a, artifact::Row b);
    artifact::Row chosen(artifact::Row condition, artifact::Row a, artifact::Row b);
    artifact::Row symbol(const std::string& name); // row of the symbols

    // What a variable of host code stands for in expressions that are asked for after this.
    void bind(const ir::Var& var, artifact::Row row) { m_bound[&var] = row; }
    std::optional<artifact::ExprWord> bound(const ir::Var& var) const;

private:
    std::optional<artifact::Row> find(const Dim& dim, bool may_be_real);
    artifact::Row add(artifact::Expression expression);

    artifact::PlanBody& m_body;
    std::map<artifact::Expression, artifact::Row> m_rows;
    std::map<std::string, artifact::Row> m_symbols;
    std::map<const ir::Var*, artifact::Row> m_bound;
};

} // namespace hidet::graph
