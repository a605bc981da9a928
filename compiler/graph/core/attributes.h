// SPDX-License-Identifier: Apache-2.0
// The attributes of an operator: a small ordered list of named values. Order is that of the operator's documentation, so
// that printed graphs and keys of caches are the same every time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/graph/core/shape.h"
#include "compiler/ir/dtype.h"
#include "lang/tensor/tensor.h"

namespace hidet::graph {

class Graph;
struct Task;

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<double>;
using Texts = std::vector<std::string>;
// A Graph is the body of a control-flow operator, a Shape a list of extents that may be symbolic, a Task what an operator
// of a script computes.
using Attribute = std::variant<bool, std::int64_t, double, std::string, ir::DType, Ints, Floats, Texts, Shape,
                               lang::TensorRef, std::shared_ptr<const Graph>, std::shared_ptr<const Task>>;

// A parameter may take more forms of a value than its operator has a use for (a number for a list of it): OpError.
[[noreturn]] void refuse_form(std::string_view name, const Attribute& value);
template <class T>
const T& as(std::string_view name, const Attribute& value) {
    const T* found = std::get_if<T>(&value);
    if (!found)
        refuse_form(name, value);
    return *found;
}

class Attributes {
public:
    Attributes() = default;
    Attributes(std::initializer_list<std::pair<std::string, Attribute>> items) : m_items(items) {}

    void set(std::string_view name, Attribute value); // replaces one of that name, else appends
    const Attribute* find(std::string_view name) const;
    template <class T>
    const T& get(std::string_view name) const { // an operator that asks for what is not there is a bug of ours
        const Attribute* found = find(name);
        HIDET_CHECK(found, std::string(name));
        return as<T>(name, *found);
    }
    // For what depends on the rest where it is left out: any other default is in the operator's row.
    template <class T>
    T get_or(std::string_view name, T otherwise) const {
        const Attribute* found = find(name);
        return found && std::holds_alternative<T>(*found) ? std::get<T>(*found) : otherwise;
    }
    const std::vector<std::pair<std::string, Attribute>>& items() const { return m_items; }
    bool empty() const { return m_items.empty(); }

private:
    std::vector<std::pair<std::string, Attribute>> m_items;
};

std::string text_of(const Attribute& attribute); // "axis=-1" without the name: "-1", "[2, 2]", "float16"
bool same_attribute(const Attribute& a, const Attribute& b);

} // namespace hidet::graph
