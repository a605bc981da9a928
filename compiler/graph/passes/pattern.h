// SPDX-License-Identifier: Apache-2.0
// Rules of users as patterns: a small graph of operators on tensors, and a function that makes the replacement of its
// results from what matched. The operators of a pattern hang together: the first result's producer is the root, and other
// results are reached over tensors that both read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/passes/rewrite.h"

namespace hidet::graph {

enum class TensorKind : std::uint8_t { Any, Constant, Symbolic };

class Pattern {
public:
    // Indices of tensors of the pattern. The same index twice wants the same tensor twice.
    std::size_t tensor(TensorKind kind = TensorKind::Any);
    // The first output of an operator, of any of these. Attributes that are given must be equal.
    std::size_t op(std::vector<OpId> ops, std::vector<std::size_t> inputs, Attributes attributes = {});
    void set_outputs(std::vector<std::size_t> outputs) { m_outputs = std::move(outputs); }

    const std::vector<std::size_t>& outputs() const { return m_outputs; }
    std::vector<OpId> roots() const;

    struct Matched {
        std::vector<ValueId> tensors; // by index
        std::vector<NodeId> nodes;    // by index of the operator's tensor; invalid for plain tensors
    };
    // Nothing unless all inner tensors are read inside of the match alone.
    std::optional<Matched> match(const Rewriting& rewriting, NodeId root) const;

private:
    struct Each {
        TensorKind kind = TensorKind::Any;
        std::vector<OpId> ops; // empty: a plain tensor
        std::vector<std::size_t> inputs;
        Attributes attributes;
    };
    class Matcher;
    std::vector<Each> m_tensors;
    std::vector<std::size_t> m_outputs;
};

class PatternRule : public UserRule {
public:
    // Replacements of the pattern's outputs, in order; nothing: the rule declines.
    using Target = std::function<std::optional<std::vector<ValueId>>(Rewriting&, const Pattern::Matched&)>;
    PatternRule(std::string name, Pattern source, Target target)
        : m_name(std::move(name)), m_source(std::move(source)), m_target(std::move(target)) {}

    std::string name() const override { return m_name; }
    std::vector<OpId> roots() const override { return m_source.roots(); }
    bool apply(Rewriting& rewriting, NodeId root) override;

private:
    std::string m_name;
    Pattern m_source;
    Target m_target;
};

} // namespace hidet::graph
