// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"

#include <algorithm>
#include <limits>

#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::DType;
using ir::ExprRef;

// Extents of both shapes that hold the same elements: from[i..i_end) as to[j..j_end).
struct Run {
    std::size_t i, i_end, j, j_end;
};

Dim product_of(const Shape& shape, std::size_t first, std::size_t last) {
    Dim product = dim(1);
    for (std::size_t i = first; i < last; ++i)
        product = ir::mul(product, shape[i]);
    return product;
}

// The shortest run; all that is left where extents are symbolic and nothing shorter is known to match.
Run next_run(const Shape& from, const Shape& to, std::size_t i, std::size_t j) {
    const std::size_t longest = from.size() - i + to.size() - j;
    for (std::size_t length = 2; length < longest; ++length)
        for (std::size_t i_end = i + 1; i_end <= from.size() && i_end - i < length; ++i_end) {
            const std::size_t j_end = j + length - (i_end - i);
            if (j_end <= to.size() && same_dim(product_of(from, i, i_end), product_of(to, j, j_end)))
                return {i, i_end, j, j_end};
        }
    return {i, from.size(), j, to.size()};
}

std::vector<Run> runs_of(const Shape& from, const Shape& to) {
    std::vector<Run> runs;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < from.size() && j < to.size()) {
        runs.push_back(next_run(from, to, i, j));
        i = runs.back().i_end;
        j = runs.back().j_end;
    }
    // Only extents of 1 can be left over.
    if (!runs.empty())
        runs.back().i_end = from.size(), runs.back().j_end = to.size();
    return runs;
}

template <class T>
std::vector<T> part(const std::vector<T>& whole, std::size_t first, std::size_t last) {
    return {whole.begin() + static_cast<std::ptrdiff_t>(first), whole.begin() + static_cast<std::ptrdiff_t>(last)};
}

Indices run_index(const Shape& from, const Shape& to, const Indices& index) {
    const ExprRef linear = ir::cast_to(ir::flatten(index, to), DType::I64);
    Indices found = ir::unflatten(linear, from);
    for (std::size_t i = 0; i < from.size(); ++i)
        found[i] = ir::is_constant(from[i], 1) ? dim(0) : ir::cast_to(found[i], DType::I64);
    return found;
}

} // namespace

bool is_empty(const Shape& shape) {
    return std::ranges::any_of(shape, [](const Dim& extent) { return ir::is_constant(extent, 0); });
}

Indices reshaped_index(const Shape& from, const Shape& to, const Indices& index) {
    Indices found(from.size(), dim(0));
    if (is_empty(from) || is_empty(to))
        return found;
    for (const Run& run : runs_of(from, to)) {
        const bool is_same = run.i_end - run.i == 1 && run.j_end - run.j == 1;
        if (is_same) {
            found[run.i] = ir::is_constant(from[run.i], 1) ? dim(0) : index[run.j];
            continue;
        }
        const Indices piece =
            run_index(part(from, run.i, run.i_end), part(to, run.j, run.j_end), part(index, run.j, run.j_end));
        std::ranges::copy(piece, found.begin() + static_cast<std::ptrdiff_t>(run.i));
    }
    return found;
}

Task define_move(const OpCall& call, const std::string& name, const Shape& shape, const Source& source,
                 const Source& inverse) {
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", call.inputs[0]);
    const bool reads_nothing = is_empty(shape);
    const ir::VarRef y = builder.compute(name, call.inputs[0].dtype, shape, [&](const Indices& axes) {
        return reads_nothing ? nothing_of(call.inputs[0].dtype) : at(x, source(axes));
    });
    if (inverse && !reads_nothing)
        builder.inverse(0, inverse);
    return builder.finish({y});
}

Task define_reshape(const OpCall& call, const std::string& name, const Shape& to) {
    const Shape& from = call.inputs[0].shape;
    Task task = define_move(
        call, name, to, [&](const Indices& axes) { return reshaped_index(from, to, axes); },
        [&](const Indices& axes) { return reshaped_index(to, from, axes); });
    const std::string text = "a tensor of shape " + text_of(from) + " cannot be reshaped to " + text_of(to);
    TaskBuilder checks(name);
    checks.require_equal(element_count(from), element_count(to), text);
    task.requirements = checks.task().requirements;
    return task;
}

Ints ints_attribute(const OpCall& call, const char* name) {
    const auto constants = constant_shape(dims_attribute(call, name));
    if (!constants)
        throw OpError(call.op->name, ": '", name, "' must be constants");
    return *constants;
}

std::vector<std::size_t> axes_attribute(const OpCall& call, const char* name, std::size_t rank) {
    std::vector<std::size_t> axes;
    for (std::int64_t given : ints_attribute(call, name)) {
        axes.push_back(static_cast<std::size_t>(normalise_axis(given, rank, "dimension")));
        if (std::ranges::count(axes, axes.back()) > 1)
            throw OpError(call.op->name, ": dimension ", given, " is named twice");
    }
    return axes;
}

ExprRef guarded_read(const ir::VarRef& x, const Indices& indices, const ExprRef& condition, const ExprRef& otherwise) {
    return ir::select(condition, at(x, indices), otherwise);
}

ExprRef nothing_of(DType dtype) {
    if (ir::is_float(dtype) && dtype != DType::F8E4M3 && dtype != DType::F8E5M2)
        return ir::float_constant(std::numeric_limits<double>::quiet_NaN(), dtype);
    return ir::cast_to(ir::int_constant(0), dtype);
}

ExprRef with_index(const ExprRef& index, const Dim& extent, IndexOrigin origin,
                   const std::function<ExprRef(const ExprRef& index, const ExprRef& is_inside)>& found) {
    const ir::VarRef given = ir::make_var("given", ir::data_type(DType::I64));
    const ir::VarRef position = ir::make_var("index", ir::data_type(DType::I64));
    const ExprRef counted = origin == IndexOrigin::Start
                                ? ExprRef(given)
                                : ir::select(ir::less(given, dim(0)), ir::add(given, extent), given);
    const ExprRef value = found(position, is_inside(position, extent));
    return ir::make_let(given, ir::cast_to(index, DType::I64), ir::make_let(position, counted, value));
}

std::size_t rank_of(const OpCall& call) {
    return call.inputs[0].shape.size();
}

void want_integers(const OpCall& call, std::size_t input, const char* op) {
    if (!ir::is_integer(call.inputs[input].dtype) || call.inputs[input].dtype == DType::Bool)
        throw OpError(op, " wants integers as indices, not ", text_of(call.inputs[input]));
}

} // namespace hidet::graph
