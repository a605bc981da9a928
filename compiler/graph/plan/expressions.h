// SPDX-License-Identifier: Apache-2.0
// Extents of a graph as expressions of a launch plan: equal ones are one row.
#pragma once

#include <map>
#include <string>

#include "compiler/artifact/launch_plan.h"
#include "compiler/graph/core/shape.h"

namespace hidet::graph {

class Expressions {
public:
    explicit Expressions(artifact::LaunchPlan& plan) : m_plan(plan) {}

    artifact::Row of(const Dim& dim); // what extent.h does not evaluate has no value in the plan either
    std::vector<artifact::Row> of(const Shape& shape);
    artifact::Row constant(std::int64_t value) { return add({{artifact::ExprOp::Constant, value}}); }
    artifact::Row combined(artifact::ExprOp op, artifact::Row a, artifact::Row b);
    artifact::Row symbol(const std::string& name); // row of the symbols

private:
    artifact::Row add(artifact::Expression expression);

    artifact::LaunchPlan& m_plan;
    std::map<artifact::Expression, artifact::Row> m_rows;
    std::map<std::string, artifact::Row> m_symbols;
};

} // namespace hidet::graph
