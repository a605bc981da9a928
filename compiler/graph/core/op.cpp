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
#include "compiler/graph/core/ops.def"
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

namespace {

struct Arity {
    std::size_t least = 0;
    std::size_t most = 0;
    bool is_open = false; // any number more
};

// One parameter, up to the comma that is in no bracket.
std::string_view next_parameter(std::string_view& rest) {
    int depth = 0;
    std::size_t end = 0;
    for (; end < rest.size() && !(rest[end] == ',' && depth == 0); ++end)
        depth += rest[end] == '[' ? 1 : rest[end] == ']' ? -1 : 0;
    const std::string_view parameter = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    return parameter;
}

Arity arity_of(const OpInfo& op) {
    Arity arity;
    std::string_view rest = op.parameters;
    while (!rest.empty()) {
        const std::string_view parameter = next_parameter(rest);
        const auto has = [&](std::string_view text) { return parameter.find(text) != std::string_view::npos; };
        const bool is_optional = has(": tensor =");
        arity.is_open = arity.is_open || has(": tensors");
        if (!has(":"))
            ++arity.least;
        if (!has(":") || is_optional)
            ++arity.most;
    }
    return arity;
}

} // namespace

void check_arity(const OpInfo& op, std::size_t inputs) {
    const Arity arity = arity_of(op);
    const std::size_t least = arity.is_open ? arity.least + 1 : arity.least;
    if (inputs >= least && (arity.is_open || inputs <= arity.most))
        return;
    const std::string most = arity.is_open ? " or more" : arity.most > least ? " to " + std::to_string(arity.most) : "";
    throw OpError(std::string(op.name) + " takes " + std::to_string(least) + most +
                  (least == 1 && most.empty() ? " tensor, not " : " tensors, not ") + std::to_string(inputs));
}

} // namespace hidet::graph
