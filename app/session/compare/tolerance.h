// SPDX-License-Identifier: Apache-2.0
// How far the numbers of a model may be from those they are compared with. tests/unit/model/planted plants errors of one
// per cent, which these have to catch.
#pragma once

#include "app/session/compare/compare.h"
#include "compiler/artifact/launch_plan.h"
#include "compiler/graph/plan/plan.h"
#include "lang/tensor/tensor.h"

namespace hidet::session {

double greatest_magnitude(const lang::Doubles& numbers); // of the finite ones; 0: there is none

// Of a value beside its float64, as a share of the greatest magnitude in the tensor.
double node_tolerance(ir::DType dtype);
// What bounds how near a value comes to its float64, which is computed in float64 all of the way: the least precise type of
// floats on the way, and a step of the numbers that were quantised on it.
struct NodeTolerance {
    double share = 0;         // of the greatest magnitude
    int step_bits = 0;        // of the coarsest integer that a float was made into; 0: none was
    bool is_in_steps = false; // the value counts them
    double of(ir::DType dtype, double greatest) const; // as a share of the greatest magnitude
};
std::vector<NodeTolerance> node_tolerances(const graph::Graph& graph); // by value

// What lies between the inputs of a model and one of its results, and bounds how near two libraries can come to each other:
// the least precise type on the way, and the steps of numbers that were quantised, where a sum in another order gives the
// neighbouring step.
struct Way {
    double share = 0;  // of the greatest magnitude; that of the least precise float
    int step_bits = 0; // of the coarsest integer that a float was made into; 0: none was
};
Way way_to(const graph::Graph& graph, graph::ValueId result);
Way way_to(const graph::CompiledGraph& compiled, graph::ValueId result); // through branches and loops, too
Way way_to(const artifact::LaunchPlan& plan, artifact::Row result);

// Of results that another library computed in the same types, whose sums are in another order.
Tolerance recorded_tolerance(const lang::Tensor& recorded, const Way& way = {});

} // namespace hidet::session
