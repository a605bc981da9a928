// SPDX-License-Identifier: Apache-2.0
// Symbolic tensors: values of the graph that an evaluation traces into. They have a shape and a dtype, and remember the
// operator that makes them; they hold no data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"
#include "lang/host/value.h"

namespace hidet::graph {

class ScriptGraphs;

class SymbolicTensor : public lang::NativeObject {
public:
    SymbolicTensor(ScriptGraphs& graphs, ValueId id) : graphs(graphs), id(id) {}

    std::string type_name() const override { return "hidet.Tensor"; }
    std::string repr() const override;
    std::unique_ptr<lang::Value> attribute(lang::Evaluator&, std::string_view name, Span span) override;
    std::vector<std::string> attributes() const override;
    std::unique_ptr<lang::Value> subscript(lang::Evaluator&, const lang::Value& index, Span span) override;
    std::unique_ptr<lang::Value> unary(lang::Evaluator&, lang::ast::UnaryOp op, Span span) override;
    std::unique_ptr<lang::Value> binary(lang::Evaluator&, lang::ast::BinaryOp op, const lang::Value& other,
                                        bool on_right, Span span) override;
    std::unique_ptr<lang::Value> compare(lang::Evaluator&, lang::ast::CompareOp op, const lang::Value& other,
                                         bool on_right, Span span) override;
    bool equals(const NativeObject& other) const override;
    std::size_t hash() const override { return id.index; }

    const Value& value() const;

    ScriptGraphs& graphs; // lives as long as the evaluation
    const ValueId id;
};

lang::Value shape_value(const Shape& shape); // a tuple of ints, and of expressions for what is not known

} // namespace hidet::graph
