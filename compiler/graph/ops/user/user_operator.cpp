// SPDX-License-Identifier: Apache-2.0
// Operators of scripts: one that a script defines has its compute definition as an attribute, and that of one that has kernels
// and no definition says shapes alone.
#include "compiler/graph/core/op.h"

namespace hidet::graph {

namespace {

Task define_user_operator(const OpCall& call) {
    const auto& task = *call.attributes.get<std::shared_ptr<const Task>>("task");
    const auto& name = call.attributes.get<std::string>("name");
    if (call.inputs.size() != task.inputs.size())
        throw OpError("operator '", name, "' has ", task.inputs.size(), " inputs, and ", call.inputs.size(),
                      " are given");
    for (std::size_t i = 0; i < task.inputs.size(); ++i) {
        const TensorSpec declared{dtype_of(task.inputs[i]), shape_of(task.inputs[i])};
        if (call.inputs[i].dtype != declared.dtype || !same_shape(call.inputs[i].shape, declared.shape))
            throw OpError("operator '", name, "' defines its input '", task.inputs[i]->name, "' as ", text_of(declared),
                          ", and is given ", text_of(call.inputs[i]));
    }
    return task;
}

} // namespace

std::span<const OpInfo> op_tables::user_operator() {
    static const OpInfo table[] = {
        {.id = OpId::UserOperator,
         .parameters = "xs: tensors",
         .summary = "an operator of a script, whose compute definition is its attribute `task`",
         .define = define_user_operator,
         .more = "name: str, task: task",
         .has_any_attribute = true},
        {.id = OpId::OpaqueOperator,
         .parameters = "xs: tensors",
         .summary = "an operator of a script that has kernels and no definition",
         .define = define_user_operator,
         .more = "name: str, task: task",
         .has_any_attribute = true,
         .flops = [](const OpCall&) { return dim(0); },
         .never_fuses = true,
         .is_random = true}, // what has no definition is neither folded nor known to be equal to another one
    };
    return table;
}

} // namespace hidet::graph
