// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/apply.h"

#include <algorithm>

#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> specs_of(const Task& task) {
    std::vector<TensorSpec> specs;
    for (const ir::VarRef& output : task.outputs) {
        specs.push_back({dtype_of(output), {}});
        for (const Dim& each : shape_of(output))
            specs.back().shape.push_back(simplified(each));
    }
    return specs;
}

void check_operands(const OpInfo& op, const std::vector<TensorSpec>& inputs) {
    check_arity(op, inputs.size());
    for (const TensorSpec& input : inputs)
        if (ir::is_complex(input.dtype) || ir::is_vector(input.dtype))
            throw OpError(op.name, " does not take ", text_of(input));
}

} // namespace

void check_rank(std::size_t rank) {
    if (rank > most_dimensions)
        throw OpError("a tensor of ", rank, " dimensions; at most ", most_dimensions, " are supported");
}

// What arithmetic on shapes that no tensor has could make: nothing after it counts elements in more than 64 bits.
void check_tensor(const std::string& what, const TensorSpec& spec) {
    check_rank(spec.shape.size());
    std::int64_t count = 1;
    for (const Dim& each : spec.shape) {
        const auto extent = constant_of(each);
        const bool is_possible = !extent || (*extent >= 0 && !__builtin_mul_overflow(count, *extent, &count));
        if (!is_possible || count > std::int64_t{1} << 56)
            throw OpError(what, " ", text_of(spec));
        count = std::max<std::int64_t>(count, 1);
    }
}

Applied apply_operator(const OpInfo& op, std::vector<TensorSpec> inputs, const Attributes& attributes,
                       FreshSymbols& symbols) {
    check_operands(op, inputs);
    check_attributes(op, attributes);
    const OpCall call(op, std::move(inputs), attributes);
    Applied applied;
    try {
        if (op.define) {
            applied.task = std::make_shared<const Task>(op.define(call));
            applied.results = specs_of(*applied.task);
        } else {
            applied.results = op.infer(call, symbols);
        }
    } catch (const ir::TypeError& error) {
        throw OpError(op.name, ": ", error.what());
    }
    for (const TensorSpec& spec : applied.results)
        check_tensor(std::string(op.name) + " would make", spec);
    return applied;
}

} // namespace hidet::graph
