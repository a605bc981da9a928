// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/op.h"

#include <algorithm>

namespace hidet::graph {

std::string text_of(const TensorSpec& spec) {
    return ir::info(spec.dtype).name + text_of(spec.shape);
}

const std::vector<const OpInfo*>& all_ops() {
    static const std::vector<const OpInfo*> ops = {
#define HIDET_OP(name, family) &op_info::name(),
#include "compiler/graph/ops/ops.def"
#undef HIDET_OP
    };
    return ops;
}

const OpInfo* find_op(std::string_view name) {
    static const std::vector<const OpInfo*> sorted = [] {
        std::vector<const OpInfo*> ops = all_ops();
        std::ranges::sort(ops, {}, [](const OpInfo* op) { return std::string_view(op->name); });
        return ops;
    }();
    const auto found =
        std::ranges::lower_bound(sorted, name, {}, [](const OpInfo* op) { return std::string_view(op->name); });
    return found != sorted.end() && (*found)->name == name ? *found : nullptr;
}

} // namespace hidet::graph
