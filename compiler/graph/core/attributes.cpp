// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/attributes.h"

#include <algorithm>

#include "compiler/graph/core/task.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

template <class T, class F>
std::string list_text(const std::vector<T>& items, F&& text) {
    std::string result = "[";
    for (const T& item : items)
        result += (result.size() > 1 ? ", " : "") + text(item);
    return result + "]";
}

struct Printer {
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return shortest(value); }
    std::string operator()(const std::string& value) const { return "'" + value + "'"; }
    std::string operator()(ir::DType value) const { return ir::info(value).name; }
    std::string operator()(const Ints& values) const { return list_text(values, *this); }
    std::string operator()(const Floats& values) const { return list_text(values, *this); }
    std::string operator()(const Texts& values) const { return list_text(values, *this); }
    std::string operator()(const Shape& value) const { return text_of(value); }
    std::string operator()(const lang::TensorRef& value) const {
        return std::string("tensor(") + ir::info(value->dtype).name + list_text(value->shape, *this) + ")";
    }
    std::string operator()(const std::shared_ptr<const Graph>&) const { return "FlowGraph"; }
    std::string operator()(const std::shared_ptr<const Task>& value) const { return "Task(" + value->name + ")"; }
};

} // namespace

void refuse_form(std::string_view name, const Attribute& value) {
    throw OpError("the attribute '", name, "' cannot be ", text_of(value), " here");
}

void Attributes::set(std::string_view name, Attribute value) {
    for (auto& [key, held] : m_items)
        if (key == name) {
            held = std::move(value);
            return;
        }
    m_items.emplace_back(name, std::move(value));
}

const Attribute* Attributes::find(std::string_view name) const {
    for (const auto& [key, value] : m_items)
        if (key == name)
            return &value;
    return nullptr;
}

std::string text_of(const Attribute& attribute) {
    return std::visit(Printer{}, attribute);
}

bool same_attribute(const Attribute& a, const Attribute& b) {
    if (a.index() != b.index())
        return false;
    if (const auto* shape = std::get_if<Shape>(&a))
        return same_shape(*shape, std::get<Shape>(b));
    return a == b;
}

} // namespace hidet::graph
