// SPDX-License-Identifier: Apache-2.0
// What an operator takes, as its row says it in Hidet Script: "x, mask: tensor = None, axis: int = -1".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/core/attributes.h"

namespace hidet::graph {

enum class ParameterKind : std::uint8_t {
    Tensor,
    Tensors, // any number of them
    Bool,
    Int, // or a symbolic extent: a Shape of one
    Float,
    Number, // a bool, an int, a float or a symbolic extent
    Str,
    DType,
    Ints, // one number stands for a list of it
    Floats,
    Texts,
    Shape, // ints will do
    Data,  // a tensor with data as an attribute
    Graph, // the body of a control-flow operator
    Task,  // a compute definition
    Anything,
};

struct Parameter {
    std::string name;
    ParameterKind kind = ParameterKind::Tensor;
    bool is_optional = false;           // it has a default, or may be left out ("= None")
    std::optional<Attribute> otherwise; // the default; nothing where there is none, or where it depends on the rest
    bool is_tensor() const { return kind == ParameterKind::Tensor || kind == ParameterKind::Tensors; }
};

// Made of such a text, once. A text that cannot be read is a bug of ours.
class Parameters {
public:
    Parameters(const char* text = "");

    const char* text() const { return m_text; }
    auto begin() const { return m_list.begin(); }
    auto end() const { return m_list.end(); }
    std::size_t size() const { return m_list.size(); }
    bool empty() const { return m_list.empty(); }
    const Parameter& operator[](std::size_t i) const { return m_list[i]; }
    const Parameter* find(std::string_view name) const; // null: there is none

private:
    const char* m_text;
    std::vector<Parameter> m_list;
};

// Whether a parameter of that kind takes the attribute.
bool is_of_kind(const Attribute& attribute, ParameterKind kind);
const char* name_of(ParameterKind kind); // "ints"

} // namespace hidet::graph
