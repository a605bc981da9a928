// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/document/costs.h"

#include <algorithm>

#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"

namespace hidet::graph {

namespace {

bool is_real(const ir::TypeRef& type) {
    const auto dtype = ir::scalar_of(type);
    return dtype && (ir::is_float(*dtype) || ir::is_complex(*dtype));
}

// Operations on floats in an expression; both arms of a Select count, as they do in a kernel without branches.
class OperationCounter : public ir::Walker {
public:
    std::int64_t count = 0;

protected:
    using Walker::visit;
    void visit(const ir::Binary& node) override {
        count += is_real(node.a->type);
        walk_children(node);
    }
    void visit(const ir::Unary& node) override {
        count += is_real(node.type);
        walk_children(node);
    }
    void visit(const ir::Intrinsic& node) override {
        count += !node.args.empty() && is_real(node.args[0]->type);
        walk_children(node);
    }
    void visit(const ir::TensorElement&) override {} // indices are integers
};

Dim flops_of(const Task& task) {
    Dim total = dim(0);
    for (const Stage& stage : task.stages) {
        OperationCounter counter;
        counter.walk(stage.value);
        Dim times = element_count(shape_of(stage.tensor));
        if (stage.reduction) {
            counter.count += ir::is_float(stage.reduction->accumulate);
            for (const Dim& extent : stage.reduction->extents)
                times = ir::mul(times, extent);
        }
        total = ir::add(total, ir::mul(times, dim(counter.count)));
    }
    return simplified(total);
}

Dim bytes_of(const TensorSpec& spec) {
    const int bits = ir::info(spec.dtype).bits;
    const Dim count = element_count(spec.shape);
    return bits % 8 == 0 ? ir::mul(count, dim(bits / 8))
                         : ir::floor_div(ir::add(ir::mul(count, dim(bits)), dim(7)), dim(8));
}

} // namespace

NodeCost cost_of(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    NodeCost cost{dim(0), dim(0)};
    if (node.op->flops)
        cost.flops = simplified(node.op->flops(graph.call_of(id)));
    else if (node.task)
        cost.flops = flops_of(*node.task);
    if (node.op->shares_memory)
        return cost;
    std::vector<ValueId> values = node.inputs;
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    values.insert(values.end(), node.outputs.begin(), node.outputs.end());
    for (ValueId value : values)
        cost.bytes = ir::add(cost.bytes, bytes_of(graph.value(value).spec));
    cost.bytes = simplified(cost.bytes);
    return cost;
}

} // namespace hidet::graph
