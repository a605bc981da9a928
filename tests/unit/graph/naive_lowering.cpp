// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/graph/naive_lowering.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"

namespace hidet::test {

namespace {

using namespace graph;

ir::StmtRef loops(const ir::VarVec& axes, const ir::ExprVec& extents, ir::StmtRef body) {
    for (std::size_t i = axes.size(); i-- > 0;)
        body = ir::make_for(axes[i], extents[i], {}, std::move(body));
    return body;
}

ir::ExprRef combined(ReduceOp op, const ir::ExprRef& a, const ir::ExprRef& b) {
    HIDET_CHECK(op == ReduceOp::Sum || op == ReduceOp::Max, reduce_name(op));
    return op == ReduceOp::Sum ? ir::add(a, b) : ir::math(ir::IntrinsicId::Max, {a, b});
}

ir::StmtRef statement_of(const Stage& stage) {
    const ir::ExprVec index(stage.axes.begin(), stage.axes.end());
    const auto& shape = graph::shape_of(stage.tensor);
    if (!stage.reduction)
        return loops(stage.axes, shape, ir::make_store(stage.tensor, index, stage.value));
    const Reduction& reduction = *stage.reduction;
    const ir::VarRef sum = ir::make_var("sum", ir::data_type(reduction.accumulate));
    const ir::ExprRef start = ir::cast_to(ir::int_constant(0), reduction.accumulate);
    const ir::ExprRef rounded = ir::cast_to(sum, dtype_of(stage.tensor));
    return loops(stage.axes, shape,
                 ir::make_seq({ir::make_declare(sum, start),
                               loops(reduction.axes, reduction.extents,
                                     ir::make_assign(sum, combined(reduction.op, sum, stage.value))),
                               ir::make_store(stage.tensor, index, rounded)}));
}

} // namespace

GroupProgram lower_naively(const Graph& graph, const Group& group, const artifact::TargetSpec&) {
    HIDET_CHECK(group.nodes.size() == 1, "one operator");
    const Node& node = graph.node(group.anchor);
    const Task& task = *node.task;
    ir::Function launch;
    launch.name = "launch";
    launch.func_kind = ir::FuncKind::Public;
    launch.ret = ir::void_type();
    ir::StmtVec body;
    GroupProgram program;
    ir::Rewriter to_parameters; // a tensor by value becomes a pointer to it
    const auto add_parameter = [&](const ir::VarRef& tensor) {
        const auto* type = ir::as<ir::TensorType>(tensor->type);
        launch.params.push_back(ir::make_var(tensor->name, ir::tensor_pointer_type(Ref<const ir::TensorType>(type))));
        to_parameters.replace(tensor, launch.params.back());
    };
    for (const ir::VarRef& input : task.inputs)
        add_parameter(input);
    for (const ir::VarRef& output : task.outputs)
        add_parameter(output);
    program.inputs = node.inputs;
    program.outputs = node.outputs;
    for (const Stage& stage : task.stages)
        body.push_back(to_parameters.rewrite(statement_of(stage)));
    launch.body = ir::make_seq(std::move(body));
    ir::Module module;
    module.name = task.name;
    module.functions = {ir::make<ir::Function>(std::move(launch))};
    program.module = ir::make<ir::Module>(std::move(module));
    program.kernels = {{task.name, {group.anchor}}};
    return program;
}

Partition one_group_each(const Graph& graph) {
    Partition partition;
    for (const NodeId node : graph.topological())
        partition.groups.push_back({node, {node}, {Role::Anchor}});
    return partition;
}

} // namespace hidet::test
