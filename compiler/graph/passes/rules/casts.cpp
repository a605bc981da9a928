// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/rules/rules.h"

namespace hidet::graph {

namespace {

using ir::DType;

// Whether every number of the type `from` is one of `to`.
bool holds_all(DType from, DType to) {
    if (from == to)
        return true;
    if (ir::is_integer(from) && ir::is_integer(to)) {
        const ir::IntegerRange a = ir::integer_range(from);
        const ir::IntegerRange b = ir::integer_range(to);
        return b.lowest <= a.lowest && a.highest <= b.highest;
    }
    if (ir::is_integer(from) && from != DType::Bool)
        return significand_bits(to) >= ir::info(from).bits && to != DType::F16;
    if (from == DType::Bool)
        return significand_bits(to) > 0;
    if (significand_bits(from) == 0 || significand_bits(to) == 0)
        return false;
    return to == DType::F64 || (to == DType::F32 && from != DType::F64);
}

// What becomes the value when it is cast, where a half float was cast before its elements were moved or negated.
std::optional<ValueId> narrowed(Rewriting& rewriting, ValueId value, int steps) {
    const NodeId by = rewriting.graph.value(value).producer;
    if (!by.valid() || steps == 0)
        return std::nullopt;
    const ValueId x = rewriting.graph.node(by).inputs.empty() ? ValueId() : rewriting.input(by, 0);
    if (rewriting.is(by, OpId::Cast)) {
        const DType from = rewriting.spec(x).dtype;
        const bool is_half = from == DType::F16 || from == DType::BF16;
        return is_half && holds_all(from, rewriting.spec(value).dtype) ? std::optional(x) : std::nullopt;
    }
    if (!rewriting.is_any_of(by, {OpId::Negative, OpId::StridedSlice, OpId::Reshape, OpId::Unsqueeze, OpId::Squeeze}))
        return std::nullopt;
    const auto narrow = narrowed(rewriting, x, steps - 1);
    if (!narrow)
        return std::nullopt;
    return rewriting.add(rewriting.graph.node(by).op->id, {*narrow}, Attributes(rewriting.attributes(by)));
}
constexpr int most_steps = 6;

} // namespace

int significand_bits(DType dtype) {
    switch (dtype) {
    case DType::F64: return 53;
    case DType::F32: return 24;
    case DType::TF32:
    case DType::F16: return 11;
    case DType::BF16: return 8;
    default: return 0;
    }
}

bool drop_cast(Rewriting& rewriting, NodeId root) {
    const ValueId x = rewriting.input(root, 0);
    if (rewriting.spec(x).dtype != rewriting.spec(rewriting.output(root)).dtype)
        return false;
    return rewriting.becomes(root, x);
}

bool cast_back(Rewriting& rewriting, NodeId root) {
    const NodeId there = rewriting.made_by(rewriting.input(root, 0), OpId::Cast);
    if (!there.valid())
        return false;
    const ValueId x = rewriting.input(there, 0);
    if (rewriting.spec(x).dtype != rewriting.spec(rewriting.output(root)).dtype ||
        !holds_all(rewriting.spec(x).dtype, rewriting.spec(rewriting.output(there)).dtype))
        return false;
    return rewriting.becomes(root, x);
}

bool concat_narrow(Rewriting& rewriting, NodeId root) {
    const std::vector<ValueId> operands = rewriting.graph.node(root).inputs;
    const DType wide = rewriting.spec(rewriting.output(root)).dtype;
    std::vector<ValueId> narrow;
    for (const ValueId operand : operands) {
        const auto found = narrowed(rewriting, operand, most_steps);
        if (!found || rewriting.spec(*found).dtype != rewriting.spec(narrow.empty() ? *found : narrow[0]).dtype)
            return false;
        narrow.push_back(*found);
    }
    ValueId joined = rewriting.add(OpId::Concat, narrow, Attributes(rewriting.attributes(root)));
    ValueId end = rewriting.output(root);
    const std::vector<Use>& uses = rewriting.graph.value(end).uses;
    if (const NodeId view = uses.empty() ? NodeId() : uses[0].node;
        rewriting.only_reader(end, view) && rewriting.is(view, OpId::Reshape)) {
        joined = rewriting.add(OpId::Reshape, {joined}, Attributes(rewriting.attributes(view)));
        end = rewriting.output(view); // the cast stays beside what computes with it
    }
    rewriting.replace(end, rewriting.add(OpId::Cast, {joined}, {{"dtype", wide}}));
    return true;
}

bool add_narrow(Rewriting& rewriting, NodeId root) {
    const NodeId sum = rewriting.made_by(rewriting.input(root, 0), OpId::Add);
    const auto added = sum.valid() ? constant_operand(rewriting, sum) : std::nullopt;
    const NodeId widened = added ? rewriting.made_by(added->x, OpId::Cast) : NodeId();
    if (!widened.valid() || !rewriting.only_reader(rewriting.output(sum), root))
        return false;
    const ValueId x = rewriting.input(widened, 0);
    const DType narrow = rewriting.spec(x).dtype;
    if (narrow != rewriting.spec(rewriting.output(root)).dtype || !ir::is_float(narrow) ||
        significand_bits(narrow) == 0 || !holds_all(narrow, rewriting.spec(added->x).dtype) ||
        !same_shape(rewriting.spec(x).shape, rewriting.spec(rewriting.output(root)).shape))
        return false;
    const ValueId constant = rewriting.add(OpId::Cast, {added->constant}, {{"dtype", narrow}});
    if (!rewriting.is_constant(constant) || !is_finite(*rewriting.graph.value(constant).data))
        return false;
    return rewriting.becomes(root, rewriting.add(OpId::Add, {x, constant}));
}

} // namespace hidet::graph
