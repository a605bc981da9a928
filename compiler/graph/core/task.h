// SPDX-License-Identifier: Apache-2.0
// The compute definition of an operator (Hidet's Task; graph.md 1.4): for every element of every output, the expression
// that gives it. Schedules are derived from it (compiler/schedule), fusion asks it for inverse maps, costs are counted on it.
//
// A task is a list of stages in dependency order. A stage defines one tensor: value(axes) is an expression over its axes,
// elements of the task's inputs and of earlier stages (ir::TensorElement with the Var as base), and symbols. A stage with a
// reduction combines value(axes, reduction axes) over the reduction's extents, which may depend on the axes. Reads must be
// in bounds for every axis in range, unless they stand behind a Select whose condition excludes the others. A value may have
// Lets: who puts one value into several places copies what it defines (ir::Rewriter::Definitions::Copy).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/core/shape.h"
#include "compiler/ir/expr.h"

namespace hidet::graph {

struct TensorSpec {
    ir::DType dtype = ir::DType::F32;
    Shape shape;
};
std::string text_of(const TensorSpec& spec); // "float16[1, seq, 768]"

class Implementation; // compiler/schedule/implementation.h

enum class ReduceOp : std::uint8_t { Sum, Prod, Max, Min, And, Or, ArgMax, ArgMin };
const char* reduce_name(ReduceOp op); // "sum"

struct Reduction {
    ReduceOp op = ReduceOp::Sum;
    ir::VarVec axes; // i64 variables
    ir::ExprVec extents;
    // What the running value has: f32 for sums of f16, bf16 and f32; f64 for f64; the type itself for integers. Arg
    // reductions compare in the type of the value and give an i64 index: of the first (or, with `last`, the last) best one.
    ir::DType accumulate = ir::DType::F32;
    bool last = false;
};

struct Stage {
    ir::VarRef tensor; // of TensorType: dtype and shape of what is defined; its name is the stage's
    ir::VarVec axes;   // i64, one per dimension
    ir::ExprRef
        value; // converted to the tensor's dtype (with a reduction: to `accumulate`, the result to the tensor's)
    std::optional<Reduction> reduction;
};

// Where the elements of one input go: input[axes] is read for output[indices] and no other element, exactly once. The
// expressions are over the axes. Only tasks with a single output have them.
struct InverseMap {
    ir::VarVec axes;
    ir::ExprVec indices;
};

// What must hold of the symbols, because extents that were taken to be equal are not known to be. A run checks it first.
struct Requirement {
    ir::ExprRef condition;
    std::string text; // "extent n of x is 4"
};

struct Task {
    std::string name;  // of the operator, in snake case: "batch_matmul"
    ir::VarVec inputs; // of TensorType
    std::vector<Stage> stages;
    ir::VarVec outputs;                                  // tensors of stages; an output may be read by later stages
    std::vector<std::optional<InverseMap>> inverse_maps; // one per input
    std::vector<Requirement> requirements;
    bool allow_prologue = true;
    bool allow_epilogue = true;
    bool is_opaque = false;                               // the stages say shapes alone: there is no definition
    std::shared_ptr<const Implementation> implementation; // kernels that somebody wrote for it; null: none

    bool is_injective() const;                          // no reduction anywhere
    bool has_inverse() const;                           // for at least one input
    const Stage* stage_of(const ir::Var& tensor) const; // null: an input
};

// Text of a task for people and golden tests: one line a stage.
std::string text_of(const Task& task);

// Makes tasks. Indices handed to the functions are the axes of what is defined, as expressions.
using Indices = ir::ExprVec;
using Element = std::function<ir::ExprRef(const Indices& axes)>;
using Term = std::function<ir::ExprRef(const Indices& axes, const Indices& reduced)>;

class TaskBuilder {
public:
    explicit TaskBuilder(std::string name) { m_task.name = std::move(name); }

    ir::VarRef input(const std::string& name, ir::DType dtype, const Shape& shape);
    ir::VarRef input(const std::string& name, const TensorSpec& spec) { return input(name, spec.dtype, spec.shape); }
    ir::VarRef compute(const std::string& name, ir::DType dtype, const Shape& shape, const Element& value);
    ir::VarRef reduce(const std::string& name, ir::DType dtype, const Shape& shape, ReduceOp op, const Shape& extents,
                      const Term& value);
    // As reduce(), where an extent depends on the axes (a running sum).
    ir::VarRef reduce_ragged(const std::string& name, ir::DType dtype, const Shape& shape, ReduceOp op,
                             const std::function<ir::ExprVec(const Indices&)>& extents, const Term& value);
    ir::VarRef arg_reduce(const std::string& name, const Shape& shape, ReduceOp op, const Dim& extent, bool last,
                          const Term& value); // i64
    void inverse(std::size_t input, const std::function<Indices(const Indices& axes)>& indices);
    // Nothing when the condition is known to hold; OpError with the text when it is known not to.
    void require(const ir::ExprRef& condition, const std::string& text);
    void require_equal(const Dim& a, const Dim& b, const std::string& text);
    Task finish(ir::VarVec outputs);
    // The usual end: one output, of which each element is computed.
    Task finish(const std::string& name, ir::DType dtype, const Shape& shape, const Element& value) {
        return finish({compute(name, dtype, shape, value)});
    }
    Task& task() { return m_task; }

private:
    Task m_task;
};

ir::ExprRef at(const ir::VarRef& tensor, Indices indices); // tensor[indices]
ir::DType dtype_of(const ir::VarRef& tensor);
const ir::ExprVec& shape_of(const ir::VarRef& tensor);
// The index into an operand that is broadcast to an output of higher rank or extent: 0 where the operand's extent is 1.
Indices broadcast_index(const Shape& operand, const Indices& output);
ir::DType accumulator_of(ir::DType dtype); // see Reduction::accumulate

} // namespace hidet::graph
