// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/op.h"

namespace hidet::graph {

std::string text_of(const TensorSpec& spec) {
    return ir::info(spec.dtype).name + text_of(spec.shape);
}

static const OpInfo* row_of(OpId id, std::span<const OpInfo> table) {
    const auto row = std::ranges::find(table, id, &OpInfo::id);
    HIDET_CHECK(row != table.end(), name_of(id));
    return &*row;
}

const std::vector<const OpInfo*>& all_ops() {
    static const std::vector<const OpInfo*> ops = {
#define HIDET_OP(name, family, table) row_of(OpId::name, op_tables::table()),
#include "compiler/graph/core/ops.def"
#undef HIDET_OP
    };
    return ops;
}

const char* name_of(OpId id) {
    static constexpr const char* names[] = {
#define HIDET_OP(name, family, table) #name,
#include "compiler/graph/core/ops.def"
#undef HIDET_OP
        "",
    };
    return names[static_cast<std::size_t>(id)];
}

const OpInfo& info_of(OpId id) {
    HIDET_CHECK(id != OpId::None, "an operator without a row");
    return *all_ops()[static_cast<std::size_t>(id)];
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

namespace {

struct Arity {
    std::size_t least = 0;
    std::size_t most = 0;
    bool is_open = false; // any number more
};

Arity arity_of(const OpInfo& op) {
    Arity arity;
    for (const Parameter& parameter : op.parameters) {
        const bool is_one = parameter.kind == ParameterKind::Tensor;
        const bool is_list = parameter.kind == ParameterKind::Tensors;
        arity.is_open = arity.is_open || is_list;
        arity.least += is_list || (is_one && !parameter.is_optional);
        arity.most += is_one;
    }
    return arity;
}

const Parameter* attribute_named(const OpInfo& op, std::string_view name) {
    const Parameter* found = op.parameters.find(name);
    if (!found)
        found = op.more.find(name);
    return found && !found->is_tensor() ? found : nullptr;
}

void check_given(const OpInfo& op, const Attributes& attributes, const Parameter& parameter) {
    if (!parameter.is_tensor() && !parameter.is_optional && !attributes.find(parameter.name))
        throw OpError(op.name, " wants the attribute '", parameter.name, "'");
}

} // namespace

OpCall::OpCall(const OpInfo& op, std::vector<TensorSpec> inputs, Attributes given)
    : op(&op), inputs(std::move(inputs)), attributes(std::move(given)) {
    for (const Parameters* list : {&op.parameters, &op.more})
        for (const Parameter& parameter : *list)
            if (parameter.otherwise && !attributes.find(parameter.name))
                attributes.set(parameter.name, *parameter.otherwise);
}

void check_arity(const OpInfo& op, std::size_t inputs) {
    const Arity arity = arity_of(op);
    if (inputs >= arity.least && (arity.is_open || inputs <= arity.most))
        return;
    const std::string most = arity.is_open              ? " or more"
                             : arity.most > arity.least ? " to " + std::to_string(arity.most)
                                                        : "";
    throw OpError(op.name, " takes ", arity.least, most,
                  (arity.least == 1 && most.empty() ? " tensor, not " : " tensors, not "), inputs);
}

void check_attributes(const OpInfo& op, const Attributes& attributes) {
    for (const auto& [name, value] : attributes.items()) {
        const Parameter* parameter = attribute_named(op, name);
        if (!parameter && !op.has_any_attribute)
            throw OpError(op.name, " has no attribute '", name, "'");
        if (parameter && !is_of_kind(value, parameter->kind))
            throw OpError("the attribute '", name, "' of ", op.name, " is ", text_of(value), ", which is not of type ",
                          name_of(parameter->kind));
    }
    for (const Parameters* list : {&op.parameters, &op.more})
        for (const Parameter& parameter : *list)
            check_given(op, attributes, parameter);
}

const Attribute* attribute_of(const OpInfo& op, const Attributes& given, std::string_view name) {
    if (const Attribute* found = given.find(name))
        return found;
    const Parameter* parameter = attribute_named(op, name);
    return parameter && parameter->otherwise ? &*parameter->otherwise : nullptr;
}

} // namespace hidet::graph
