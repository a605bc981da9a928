// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/measure.h"

#include <unordered_map>

#include "compiler/ir/each_node.h"
#include "compiler/perf/expression_cost.h"

namespace hidet::graph {

using namespace ir;

namespace {

struct Sums {
    double copies = 0; // of a stage in the text
    double done = 0;   // evaluations of it
};

} // namespace

TaskMeasure measure(const Task& task) {
    TaskMeasure result;
    std::unordered_map<const Var*, Sums> sums;
    for (const VarRef& output : task.outputs)
        sums[output.get()] = {1, perf::estimate(shape_of(output))};
    for (auto stage = task.stages.rbegin(); stage != task.stages.rend(); ++stage) {
        const Sums own = sums[stage->tensor.get()];
        const double terms = stage->reduction ? perf::estimate(stage->reduction->extents) : 1;
        std::unordered_map<const Var*, double> reads_of;
        each_node(stage->value, [&](const TensorElement& expr) {
            if (const auto* tensor = as<Var>(expr.base))
                ++reads_of[tensor];
        });
        // A reduction is computed once, whoever reads it; other stages may be inlined.
        const double copies = stage->reduction ? 1 : own.copies;
        const double done = stage->reduction ? perf::estimate(shape_of(stage->tensor)) * terms : own.done;
        result.size += copies * stage->value->size;
        result.depth += stage->value->depth;
        result.cost += perf::cost_of(stage->value);
        for (const auto& [tensor, reads] : reads_of) {
            sums[tensor].copies += copies * reads;
            sums[tensor].done += done * reads;
        }
    }
    for (const VarRef& input : task.inputs)
        result.inputs.push_back({sums[input.get()].copies, sums[input.get()].done});
    return result;
}

} // namespace hidet::graph
