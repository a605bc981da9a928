// SPDX-License-Identifier: Apache-2.0
// An operator that a script defines: its compute definition is an attribute.
#include "compiler/graph/core/op.h"

namespace hidet::graph {

Task define_user_operator(const OpCall& call);

Task define_user_operator(const OpCall& call) {
    const auto& task = *call.attributes.get<std::shared_ptr<const Task>>("task");
    const auto& name = call.attributes.get<std::string>("name");
    if (call.inputs.size() != task.inputs.size())
        throw OpError("operator '" + name + "' has " + std::to_string(task.inputs.size()) + " inputs, and " +
                      std::to_string(call.inputs.size()) + " are given");
    for (std::size_t i = 0; i < task.inputs.size(); ++i) {
        const TensorSpec declared{dtype_of(task.inputs[i]), shape_of(task.inputs[i])};
        if (call.inputs[i].dtype != declared.dtype || !same_shape(call.inputs[i].shape, declared.shape))
            throw OpError("operator '" + name + "' defines its input '" + task.inputs[i]->name + "' as " +
                          text_of(declared) + ", and is given " + text_of(call.inputs[i]));
    }
    return task;
}

const OpInfo& op_info::UserOperator() {
    static const OpInfo info = {
        .id = OpId::UserOperator,
        .python = "",
        .parameters = "xs: tensors",
        .more = "name: str, task: task",
        .has_any_attribute = true,
        .cls = OpClass::Other,
        .summary = "an operator of a script, whose compute definition is its attribute `task`",
        .example = "",
        .define = define_user_operator,
    };
    return info;
}

} // namespace hidet::graph
