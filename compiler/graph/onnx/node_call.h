// SPDX-License-Identifier: Apache-2.0
// One node of the model as its converter sees it: operands, attributes, and what adds operators to the graph.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/onnx/builder.h"
#include "compiler/graph/onnx/model.h"

namespace hidet::graph::onnx {

// Thrown by a converter that must know the elements of an operand which are known only when the model runs.
struct NeedsValue {
    std::size_t input;
};

class NodeCall {
public:
    NodeCall(Builder& builder, const Node& node, Vals inputs, std::int64_t opset)
        : m_builder(builder), m_node(node), m_inputs(std::move(inputs)), m_opset(opset) {}

    const Node& node() const { return m_node; }
    std::int64_t opset() const { return m_opset; }
    Builder& builder() { return m_builder; }
    Graph& graph() { return m_builder.graph(); }
    NodeCall with(Vals inputs) const { return {m_builder, m_node, std::move(inputs), m_opset}; } // other operands

    // Operands. OpError where one is missing that must be there.
    std::size_t count() const { return m_inputs.size(); }
    bool has(std::size_t i) const { return i < m_inputs.size() && m_inputs[i]; }
    const Val& in(std::size_t i = 0) const;
    Val optional_in(std::size_t i) const { return has(i) ? in(i) : nullptr; }
    const Vals& inputs() const { return m_inputs; }
    const Vals& sequence_in(std::size_t i) const;
    Vals present() const; // without those that are left out
    const Shape& shape(std::size_t i = 0) const { return in(i)->spec.shape; }
    ir::DType dtype(std::size_t i = 0) const { return in(i)->spec.dtype; }
    std::size_t rank(std::size_t i = 0) const { return shape(i).size(); }
    bool wants_output(std::size_t i) const { return i < m_node.outputs.size() && !m_node.outputs[i].empty(); }

    // Elements of operands that are parameters.
    Ints ints_in(std::size_t i) const;
    std::int64_t int_in(std::size_t i) const;
    Shape dims_in(std::size_t i) const;
    std::vector<double> numbers_in(std::size_t i) const;
    double number_in(std::size_t i) const;

    // OpError when constant indices are known to lie outside: of a dimension, or in rows of coordinates into operand 0 from
    // the dimension `first` on. What is data finds nothing there when the model runs.
    void check_indices(std::size_t i, const Dim& extent) const;
    void check_coordinates(std::size_t i, std::int64_t first) const;

    // Attributes. OpError where one has another type than the operator says.
    const Attribute* attribute(std::string_view name) const;
    bool has_attribute(std::string_view name) const { return attribute(name) != nullptr; }
    std::int64_t i(std::string_view name, std::int64_t otherwise) const;
    std::int64_t i(std::string_view name) const; // must be there
    double f(std::string_view name, double otherwise) const;
    std::string s(std::string_view name, const std::string& otherwise) const;
    Ints ints(std::string_view name, const Ints& otherwise = {}) const;
    Floats floats(std::string_view name) const;
    Texts strings(std::string_view name) const;
    ir::DType type(std::string_view name, std::int32_t otherwise) const;

    // Operators.
    Val add(OpId op, const Vals& inputs, Attributes attributes = {}) {
        return m_builder.add(op, inputs, std::move(attributes));
    }
    Vals add_all(OpId op, const Vals& inputs, Attributes attributes = {}) {
        return m_builder.add_all(op, inputs, std::move(attributes));
    }
    Val scalar(ir::DType dtype, double value) { return m_builder.scalar(dtype, value); }

    // Frequent ones.
    Val cast(const Val& x, ir::DType dtype);
    Val reshape(const Val& x, const Shape& shape);
    Val transpose(const Val& x, const Ints& axes);
    Val broadcast(const Val& x, const Shape& shape);
    Val squeeze(const Val& x, const Ints& axes);
    Val unsqueeze(const Val& x, const Ints& axes);
    // Has that extent there: a requirement of the run where it is not known now.
    Val with_extent(const Val& x, std::size_t axis, const Dim& extent);
    Val full(const Shape& shape, double value, ir::DType dtype);
    Val slice(const Val& x, std::int64_t axis, const Dim& start, const Dim& end, std::int64_t step = 1);
    Val count_up(const Dim& first, const Dim& count); // i64: first, first + 1, ...

private:
    const Attribute* typed(std::string_view name, Attribute::Kind kind) const;

    Builder& m_builder;
    const Node& m_node;
    Vals m_inputs;
    std::int64_t m_opset;
};

std::optional<graph::Attribute> as_ours(const Attribute& attribute); // nothing: we have none of its kind

using Convert = Vals (*)(NodeCall& node);

// Rows of onnx_ops.def.
struct Conversion {
    const char* domain;
    const char* op;
    std::int64_t since; // the first version of the domain's operators with this meaning
    Convert convert;
};
const Conversion* find_conversion(std::string_view domain, std::string_view op, std::int64_t version);
bool is_known_op(std::string_view domain, std::string_view op); // in any version

} // namespace hidet::graph::onnx
