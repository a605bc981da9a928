// SPDX-License-Identifier: Apache-2.0
// Rewriting: rules look at an operator (the root) and at what stands before and around it, and replace some of its results.
//
// The engine keeps a list of operators to look at, producers first. When a rule has replaced something, only what it made
// and the readers nearby are looked at again, so the cost follows the number of applications and not their product with
// the size of the graph. A rule that reads an intermediate value of its match must say what happens when others read that
// value too: either it asks only_reader(), or it leaves the value alive, at the price of computing both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/passes/pass.h"

namespace hidet::graph {

// Declines: a result of the graph cannot be what has a name of its own already.
class KeepsName : public OpError {
public:
    using OpError::OpError;
};

// What a rule may do. The graph is edited at once; what a rule made is dropped again when it declines.
class Rewriting {
public:
    Rewriting(Graph& graph, const GraphOptions& options) : graph(graph), options(options) {}

    Graph& graph;
    const GraphOptions& options;

    // ---- looking ----
    bool is(NodeId node, OpId op) const { return graph.is_live(node) && graph.node(node).is(op); }
    bool is_any_of(NodeId node, std::initializer_list<OpId> ops) const {
        return graph.is_live(node) && graph.node(node).is_any_of(ops);
    }
    // The node that makes this value, if it is such an operator.
    NodeId made_by(ValueId value, OpId op) const;
    ValueId input(NodeId node, std::size_t i) const { return graph.node(node).inputs[i]; }
    ValueId output(NodeId node, std::size_t i = 0) const { return graph.node(node).outputs[i]; }
    const TensorSpec& spec(ValueId value) const { return graph.value(value).spec; }
    const Attributes& attributes(NodeId node) const { return graph.node(node).attributes; } // as given
    bool is_constant(ValueId value) const;                                                  // with data
    std::optional<double> scalar(ValueId value) const;    // of a constant of one element
    bool only_reader(ValueId value, NodeId reader) const; // and no result of the graph
    std::int64_t element_count_of(ValueId constant) const;

    // ---- making ----
    // Computed at once when all inputs are constants.
    ValueId add(OpId op, std::vector<ValueId> inputs, Attributes attributes = {});
    std::vector<ValueId> add_all(OpId op, std::vector<ValueId> inputs, Attributes attributes = {});
    ValueId constant(lang::TensorRef data);
    ValueId number(double value, ir::DType dtype); // a scalar
    ValueId reshaped(ValueId value, Shape shape) { return add(OpId::Reshape, {value}, {{"shape", std::move(shape)}}); }
    ValueId permuted(ValueId value, Ints axes) { return add(OpId::PermuteDims, {value}, {{"axes", std::move(axes)}}); }
    // All readers of `old` read `by` once the rule is done. OpError, which declines, unless dtype and shape are the same.
    void replace(ValueId old, ValueId by);
    // The same of the first result of the root: true, which is what a rule that applied says.
    bool becomes(NodeId root, ValueId by) {
        replace(output(root), by);
        return true;
    }
    void note(std::string text) { m_note = std::move(text); }

    // ---- for the engine ----
    void begin(std::string rule, NodeId root);
    Match finish(); // drops what the rule made superfluous
    void give_up(); // drops what the rule made
    // OpError when a tensor that is replaced would come to depend on itself.
    void check_for_cycles() const;
    const std::vector<ValueId>& replaced_by() const { return m_new_values; }

private:
    void take_place(ValueId old, ValueId by);
    void name_result(const std::vector<NodeId>& made);

    std::string m_rule;
    NodeId m_root;
    std::vector<NodeId> m_made;
    std::vector<ValueId> m_old_values;
    std::vector<ValueId> m_new_values;
    std::string m_note;
};

struct RuleInfo {
    const char* name;
    std::vector<OpId> roots;
    bool is_on; // by default
    bool (*apply)(Rewriting& rewriting, NodeId root);
    const char* summary;
};
const std::vector<RuleInfo>& rewrite_rules();
const std::vector<RuleInfo>& resolve_rules();

// Applies the rules that are on until none applies.
void apply_rules(PassState& state, const std::vector<RuleInfo>& rules, const std::vector<UserRule*>& user_rules);

} // namespace hidet::graph
