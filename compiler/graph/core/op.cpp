// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/op.h"

#include <charconv>

#include "lang/base/text.h"

namespace hidet::graph {

namespace {

constexpr std::pair<const char*, ParameterKind> kinds[] = {
    {"tensor", ParameterKind::Tensor}, {"tensors", ParameterKind::Tensors}, {"bool", ParameterKind::Bool},
    {"int", ParameterKind::Int},       {"float", ParameterKind::Float},     {"number", ParameterKind::Number},
    {"str", ParameterKind::Str},       {"dtype", ParameterKind::DType},     {"ints", ParameterKind::Ints},
    {"floats", ParameterKind::Floats}, {"strs", ParameterKind::Texts},      {"shape", ParameterKind::Shape},
    {"data", ParameterKind::Data},     {"graph", ParameterKind::Graph},     {"task", ParameterKind::Task},
    {"any", ParameterKind::Anything},
};

// Split at commas that stand in no bracket: "x, dims: ints = [1, 2]".
std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size())
            depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
        if (i < text.size() && (text[i] != ',' || depth > 0))
            continue;
        if (const std::string_view part = trimmed(text.substr(start, i - start)); !part.empty())
            parts.push_back(part);
        start = i + 1;
    }
    return parts;
}

ParameterKind kind_named(std::string_view name) {
    const auto found = std::ranges::find(kinds, name, [](const auto& row) { return std::string_view(row.first); });
    HIDET_CHECK(found != std::end(kinds), std::string(name));
    return found->second;
}

double real_of(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    HIDET_CHECK(error == std::errc() && end == text.data() + text.size(), std::string(text));
    return value;
}
std::int64_t whole_of(std::string_view text) {
    return static_cast<std::int64_t>(real_of(text));
}

template <class T, class F>
std::vector<T> list_of(std::string_view text, F&& item) {
    return transformed(parts_of(text.substr(1, text.size() - 2)),
                       [&](const std::string_view part) { return item(part); });
}

std::string_view unquoted(std::string_view text) {
    return text.starts_with('\'') ? text.substr(1, text.size() - 2) : text;
}

Attribute default_of(ParameterKind kind, std::string_view text) {
    switch (kind) {
    case ParameterKind::Bool: return text == "True";
    case ParameterKind::Int: return whole_of(text);
    case ParameterKind::Float: return real_of(text);
    case ParameterKind::Number:
        return text.find_first_of(".en") == std::string_view::npos ? Attribute(whole_of(text)) : real_of(text);
    case ParameterKind::Str: return std::string(unquoted(text));
    case ParameterKind::DType: return ir::find_dtype(unquoted(text)).value();
    case ParameterKind::Ints: return list_of<std::int64_t>(text, whole_of);
    case ParameterKind::Floats: return list_of<double>(text, real_of);
    case ParameterKind::Texts:
        return list_of<std::string>(text, [](std::string_view part) { return std::string(unquoted(part)); });
    case ParameterKind::Shape: return list_of<Dim>(text, [](std::string_view part) { return dim(whole_of(part)); });
    default: HIDET_CHECK(false, std::string(text));
    }
}

Parameter parameter_of(std::string_view part) {
    Parameter parameter;
    std::string_view otherwise;
    if (const std::size_t equals = part.find('='); equals != std::string_view::npos) {
        otherwise = trimmed(part.substr(equals + 1));
        part = trimmed(part.substr(0, equals));
    }
    if (const std::size_t colon = part.find(':'); colon != std::string_view::npos) {
        parameter.kind = kind_named(trimmed(part.substr(colon + 1)));
        part = trimmed(part.substr(0, colon));
    }
    parameter.name = std::string(part);
    parameter.is_optional = !otherwise.empty();
    if (parameter.is_optional && otherwise != "None")
        parameter.otherwise = default_of(parameter.kind, otherwise);
    return parameter;
}

} // namespace

Parameters::Parameters(const char* text) : m_text(text) {
    for (const std::string_view part : parts_of(text))
        m_list.push_back(parameter_of(part));
}

const Parameter* Parameters::find(std::string_view name) const {
    const auto found = std::ranges::find(m_list, name, &Parameter::name);
    return found == m_list.end() ? nullptr : &*found;
}

bool is_of_kind(const Attribute& attribute, ParameterKind kind) {
    const auto holds = [&]<class... T>() { return (std::holds_alternative<T>(attribute) || ...); };
    const auto* shape = std::get_if<Shape>(&attribute);
    const bool is_extent = shape && shape->size() == 1;
    switch (kind) {
    case ParameterKind::Tensor:
    case ParameterKind::Tensors: return false;
    case ParameterKind::Bool: return holds.operator()<bool>();
    case ParameterKind::Int: return is_extent || holds.operator()<std::int64_t>();
    case ParameterKind::Float: return holds.operator()<double>();
    case ParameterKind::Number: return is_extent || holds.operator()<bool, std::int64_t, double>();
    case ParameterKind::Str: return holds.operator()<std::string>();
    case ParameterKind::DType: return holds.operator()<ir::DType>();
    case ParameterKind::Ints: return holds.operator()<Ints, std::int64_t>();
    case ParameterKind::Floats: return holds.operator()<Floats>();
    case ParameterKind::Texts: return holds.operator()<Texts>();
    case ParameterKind::Shape: return holds.operator()<Shape, Ints>();
    case ParameterKind::Data: return holds.operator()<lang::TensorRef>();
    case ParameterKind::Graph: return holds.operator()<std::shared_ptr<const Graph>>();
    case ParameterKind::Task: return holds.operator()<std::shared_ptr<const Task>>();
    case ParameterKind::Anything: return true;
    }
    return false;
}

const char* name_of(ParameterKind kind) {
    return std::ranges::find(kinds, kind, &std::pair<const char*, ParameterKind>::second)->first;
}

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
