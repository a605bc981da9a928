// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/access.h"

#include "compiler/analysis/uses.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

using namespace ir;

namespace {

std::optional<std::int64_t> step_of_binary(const Binary& expr, const Var& var) {
    const auto a = step_of(expr.a, var);
    const auto b = step_of(expr.b, var);
    if (!a || !b)
        return std::nullopt;
    if (*a == 0 && *b == 0)
        return 0;
    switch (expr.op) {
    case BinOp::Add: return *a + *b;
    case BinOp::Sub: return *a - *b;
    case BinOp::Mul:
        if (const auto factor = constant_int(expr.b))
            return *a * *factor;
        if (const auto factor = constant_int(expr.a))
            return *b * *factor;
        return std::nullopt;
    default: return std::nullopt;
    }
}

} // namespace

std::optional<std::int64_t> step_of_element(const TensorElement& element, const Var& var) {
    const TensorType* tensor = tensor_of(element.base->type);
    if (!tensor)
        return std::nullopt;
    std::int64_t step = 0;
    std::optional<std::int64_t> stride = 1;
    for (std::size_t d = element.indices.size(); d-- > 0;) {
        const auto here = step_of(element.indices[d], var);
        if (!here || (*here != 0 && !stride))
            return std::nullopt;
        if (*here != 0)
            step += *here * *stride;
        const auto extent = constant_int(tensor->shape[d]);
        stride = stride && extent ? std::optional(*stride * *extent) : std::nullopt;
    }
    return step;
}

int shared_by_rows(const ExprRef& value, const Var& rows, const Var& lane) {
    int shared = 0;
    each_node(value, [&](const TensorElement& expr) {
        if (step_of_element(expr, rows) == 0)
            shared += step_of_element(expr, lane) == 0 ? 1 : 4;
    });
    return shared;
}

bool depends_on(const ExprRef& expr, const Var& var) {
    return compiler::mentions(expr, var);
}

std::optional<std::int64_t> step_of(const ExprRef& expr, const Var& var) {
    if (expr.get() == &var)
        return 1;
    if (const auto* binary = as<Binary>(expr))
        return step_of_binary(*binary, var);
    if (const auto* cast = as<Cast>(expr); cast && scalar_of(cast->type) && is_integer(*scalar_of(cast->type)))
        return step_of(cast->a, var);
    return depends_on(expr, var) ? std::nullopt : std::optional<std::int64_t>(0);
}

Walk walk_of(const ExprRef& value, const Var& var) {
    Walk found;
    each_node(value, [&](const TensorElement& expr) {
        const auto step = step_of_element(expr, var);
        if (step == 0)
            ++found.still;
        else if (step == 1 || step == -1)
            ++found.dense;
        else
            ++found.far;
    });
    return found;
}

} // namespace hidet::graph
