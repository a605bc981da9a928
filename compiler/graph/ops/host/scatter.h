// SPDX-License-Identifier: Apache-2.0
// Scattering is a compute definition where an element can look through all places for what goes to it, and a loop on the
// host where there are too many of them (composed/scatter.h chooses). Attribute: reduction ("none", "add", "mul", "max",
// "min"); with "none" the last one of those that go to one place stays.
#pragma once

#include <string>

#include "compiler/graph/ops/expressions.h"

namespace hidet::graph {

enum class Scattering : std::uint8_t { None, Add, Mul, Max, Min };
Scattering scattering_of(const Attributes& attributes);

void check_scatter_elements(const OpCall& call); // OpError
void check_scatter_nd(const OpCall& call);
std::vector<Indexing> indexed_by_scatter_elements(const OpCall& call);
std::vector<Indexing> indexed_by_scatter_nd(const OpCall& call);

// Inputs: data, indices, updates. Of `count` places the n-th one goes to an index if hits(index, n), with update(index, n).
using Hit = std::function<Expr(const Indices& axes, const Expr& n)>;
Task define_scatter(TaskBuilder& builder, const ir::VarRef& data, Scattering how, const Dim& count, const Hit& hits,
                    const Hit& update);

} // namespace hidet::graph
