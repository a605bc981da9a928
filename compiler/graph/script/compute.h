// SPDX-License-Identifier: Apache-2.0
// Compute definitions in scripts: tensor_input(), compute(), reduce(), arg_reduce(), and Task.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/graph/core/task.h"
#include "compiler/graph/script/script_graphs.h"

namespace hidet::graph {

// A tensor of a definition: an input, or what compute() defined. `x[i, j]` is an element of it.
class TensorNodeValue : public lang::NativeObject {
public:
    TensorNodeValue(ScriptGraphs& graphs, ir::VarRef tensor) : graphs(graphs), tensor(std::move(tensor)) {}
    std::string type_name() const override { return "TensorNode"; }
    std::vector<std::string> attributes() const override { return {"shape", "dtype", "type", "name", "ndim"}; }
    std::unique_ptr<lang::Value> attribute(lang::Evaluator&, std::string_view name, Span) override;
    std::unique_ptr<lang::Value> subscript(lang::Evaluator&, const lang::Value& index, Span span) override;
    // One without dimensions is its element.
    std::unique_ptr<lang::Value> unary(lang::Evaluator&, lang::ast::UnaryOp, Span span) override;
    std::unique_ptr<lang::Value> binary(lang::Evaluator&, lang::ast::BinaryOp, const lang::Value& other, bool on_right,
                                        Span span) override;
    std::unique_ptr<lang::Value> compare(lang::Evaluator&, lang::ast::CompareOp, const lang::Value& other,
                                         bool on_right, Span span) override;

    ScriptGraphs& graphs;
    const ir::VarRef tensor;
    std::vector<Stage> stages;               // the last one defines the tensor; none: an input
    std::vector<Ref<TensorNodeValue>> reads; // whose elements they take
};

// The definition being built: axes in scope, and what it has needed so far.
struct ComputeFrame {
    ir::VarVec axes;
    ir::ExprVec extents;
    std::vector<Stage>* stages = nullptr;
    std::vector<Ref<TensorNodeValue>>* reads = nullptr;
    std::string name;
};

// A node that stands for an operator's input. A number is no tensor: null.
Ref<TensorNodeValue> node_like(ScriptGraphs& graphs, const lang::Value& tensor, const std::string& name);

// The task of `Task(...)`, which a script class may derive from; null: the value is none.
std::shared_ptr<const Task> task_of(const lang::Value& value);

} // namespace hidet::graph
