// SPDX-License-Identifier: Apache-2.0
// The graph while a model is read into it. A value is in the graph only when a node there reads it: constants fold on the
// way, and small integer tensors whose elements are expressions over symbols (shapes, and what is computed from them) stay
// expressions until an operator wants them as extents.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/interpreter/symbolic.h"

namespace hidet::graph::onnx {

struct ValueState;
using Val = std::shared_ptr<ValueState>; // null: an optional input that is left out
using Vals = std::vector<Val>;

struct ValueState {
    TensorSpec spec;
    ValueId id;                    // invalid: not in the graph
    lang::TensorRef data;          // a constant
    std::optional<Contents> known; // elements as expressions
    std::optional<Vals> items;     // a sequence
    std::string problem;           // of a constant that cannot be read
    std::int32_t elem_type = 0;    // where the dtype does not say it: a 4-bit integer
    std::string name;
};

struct BuilderOptions {
    std::int64_t fold_elements = 1 << 16; // larger results are left to the passes
    std::int64_t max_nodes = 1'000'000;
};

class Builder {
public:
    Builder(Graph& graph, BuilderOptions options) : m_graph(graph), m_options(options) {}

    Vals add_all(OpId op, const Vals& inputs, Attributes attributes = {});
    Val add(OpId op, const Vals& inputs, Attributes attributes = {}) {
        return add_all(op, inputs, std::move(attributes)).front();
    }
    Val input(const std::string& name, TensorSpec spec);
    Val constant(lang::TensorRef data, const std::string& name = {});
    Val ints(const std::vector<std::int64_t>& values) { return constant(make_ints(values)); }
    Val scalar(ir::DType dtype, double value) { return constant(make_scalar(dtype, value)); }
    Val contents(ir::DType dtype, Contents contents); // a constant if all its elements are

    // A value that the graph already has: of a composition made there.
    Val in_graph(ValueId id);
    ValueId id_of(const Val& value); // puts it into the graph
    Graph& graph() { return m_graph; }

    void at_node(const std::string& name) { m_node = name; } // whose operators come next
    const std::string& node() const { return m_node; }

private:
    std::optional<Vals> folded(const OpCall& call, const Vals& inputs);

    Graph& m_graph;
    BuilderOptions m_options;
    std::string m_node;
};

// The elements as expressions, of a constant too; nothing when there are many or they are not known.
std::optional<Contents> contents_of(const Val& value);

} // namespace hidet::graph::onnx
