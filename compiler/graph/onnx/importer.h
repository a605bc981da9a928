// SPDX-License-Identifier: Apache-2.0
// Reads a model's graphs into ours: names in scopes, nodes in an order in which they can be, functions in line, control
// flow by control.cpp.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/graph/onnx/import.h"
#include "compiler/graph/onnx/node_call.h"

namespace hidet::graph::onnx {

// A mistake of the model, at a node.
class NodeError : public OpError {
public:
    using OpError::OpError;
};

// The model is too large or too deep to be read. No NodeError: a branch that may never be taken is no excuse for it.
class LimitError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// What reading has taken so far, of the model and of all bodies in it.
struct ImportWork {
    std::int64_t steps = 0; // nodes read, those of unrolled bodies and functions each time
    int depth = 0;          // functions and bodies, one within the other
};

// Names that a graph, or a body in it, gives to values. A body sees what is outside of it.
class Scope {
public:
    explicit Scope(const Scope* outer = nullptr, std::string prefix = {})
        : m_outer(outer), m_prefix(std::move(prefix)) {}
    const Val* find(const std::string& name) const;
    bool defines(const std::string& name) const { return m_values.contains(name); }
    void set(const std::string& name, Val value) { m_values[name] = std::move(value); }
    const std::string& prefix() const { return m_prefix; } // of the names of nodes and values: "encoder/"

private:
    const Scope* m_outer;
    std::string m_prefix;
    std::unordered_map<std::string, Val> m_values;
};

class Importer {
public:
    Importer(const Model& model, Builder& builder, CustomOperators* custom);
    // Of a body that becomes a graph of its own.
    Importer(const Importer& outer, Builder& builder);

    // Why there is no operator or function for some nodes, with their names.
    std::map<std::string, std::vector<std::string>> missing_ops() const;

    // Initialisers and nodes; the outputs' values.
    Vals read(const GraphDef& graph, Scope& scope, const Opsets& opsets);
    Vals outputs_of(const GraphDef& graph, const Scope& scope);
    void add_initializers(const GraphDef& graph, Scope& scope);
    void run_nodes(const std::vector<Node>& nodes, Scope& scope, const Opsets& opsets);
    Vals call(const Node& node, Vals inputs, Scope& scope, const Opsets& opsets);

    Builder& builder() { return m_builder; }

private:
    void run_node(const Node& node, Scope& scope, const Opsets& opsets);
    Vals convert(const Node& node, Vals inputs, Scope& scope, const Opsets& opsets);
    Vals call_function(const Function& function, const Node& node, const Vals& inputs, const Scope& scope);
    Vals call_custom(const Node& node, const Vals& inputs, std::int64_t version);
    std::string problem_of_op(const Node& node, const Opsets& opsets) const;
    bool is_custom(const Node& node) const { return m_custom && m_custom->has(node.domain, node.op_type); }
    const Function* find_function(const Node& node) const;
    std::optional<std::int64_t> version_of(const std::string& domain, const Opsets& opsets) const;

    const Model& m_model;
    Builder& m_builder;
    CustomOperators* m_custom;                                         // null: there are none
    std::map<std::array<std::string, 3>, const Function*> m_functions; // by domain, name and overload
    std::int64_t m_most_steps = 0;
    std::shared_ptr<ImportWork> m_work; // never null
};

// Indices of the nodes, producers first, as the file has them where that is one; NodeError names a cycle.
std::vector<std::size_t> order_of(const std::vector<Node>& nodes, const Scope& scope);

std::string called(const Node& node); // its operator and its name, for messages

// If, Loop and Scan (control.cpp).
bool is_control(const Node& node);
Vals convert_control(Importer& importer, NodeCall& call, Scope& scope, const Opsets& opsets);

// A node whose parameters are known only when the model runs: one host operator (deferred_node.cpp). NodeError when not even
// the number of dimensions of its results is known.
Vals defer(NodeCall& call);

} // namespace hidet::graph::onnx
