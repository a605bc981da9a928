// SPDX-License-Identifier: Apache-2.0
// An operator of a script that has kernels and no definition. Its task says shapes alone.
#include "compiler/graph/core/op.h"

namespace hidet::graph {

// The operators of scripts (user_operator.cpp).
Task define_user_operator(const OpCall& call);

const OpInfo& op_info::OpaqueOperator() {
    static const OpInfo info = {
        .id = OpId::OpaqueOperator,
        .python = "",
        .parameters = "xs: tensors",
        .more = "name: str, task: task",
        .has_any_attribute = true,
        .cls = OpClass::Other,
        .summary = "an operator of a script that has kernels and no definition",
        .example = "",
        .define = define_user_operator,
        .flops = [](const OpCall&) { return dim(0); },
        .never_fuses = true,
        .is_random = true, // what has no definition is neither folded nor known to be equal to another one
    };
    return info;
}

} // namespace hidet::graph
