// SPDX-License-Identifier: Apache-2.0
// x[1, 2:, ..., None]: a strided slice, then the dimensions of single indices go and those of None come.
#include <algorithm>
#include <limits>

#include "compiler/graph/script/methods.h"
#include "compiler/graph/script/parameters.h"
#include "compiler/graph/script/script_graphs.h"
#include "compiler/ir/ops.h"
#include "lang/base/text.h"
#include "lang/host/objects.h"

namespace hidet::graph {

namespace {

using lang::ValueKind;
using HostValue = lang::Value;

constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();

struct Pieces {
    Shape starts;
    Shape ends;
    Ints axes;
    Ints strides;
    Ints gone;  // dimensions of the sliced tensor that single indices leave
    Ints added; // of the result
};

void add_slice(Pieces& pieces, const lang::SliceObject& slice, std::int64_t axis, Span span) {
    const auto is_given = [](const HostValue& value) { return !value.is(ValueKind::None); };
    std::int64_t step = 1;
    if (is_given(slice.step)) {
        if (!slice.step.is(ValueKind::Int) || slice.step.as_int() == 0)
            fail(DiagId::BadType, span, "the step of a slice of a symbolic tensor is an int other than 0");
        step = slice.step.as_int();
    }
    pieces.axes.push_back(axis);
    pieces.strides.push_back(step);
    pieces.starts.push_back(is_given(slice.start) ? dim_argument(slice.start, span) : dim(step > 0 ? 0 : far));
    pieces.ends.push_back(is_given(slice.stop) ? dim_argument(slice.stop, span) : dim(step > 0 ? far : -far));
}

void add_single(Pieces& pieces, const HostValue& index, std::int64_t axis, const Dim& extent, Span span) {
    const Dim at = dim_argument(index, span);
    const auto constant = constant_of(at);
    const auto count = constant_of(extent);
    if (constant && count && (*constant >= *count || *constant < -*count))
        fail(DiagId::IndexOutOfRange, span, "tensor", *constant, *count);
    pieces.axes.push_back(axis);
    pieces.strides.push_back(1);
    pieces.starts.push_back(at);
    pieces.ends.push_back(constant == -1 ? dim(far) : ir::add(at, dim(1)));
    pieces.gone.push_back(axis);
}

Pieces pieces_of(const std::vector<HostValue>& items, const Shape& shape, Span span) {
    std::size_t taken = 0;
    for (const HostValue& item : items)
        taken += !item.is(ValueKind::None) && !item.is(ValueKind::Ellipsis);
    if (taken > shape.size())
        fail(DiagId::BadShape, span, cat("too many indices: ", taken, " for a tensor of shape ", text_of(shape)));
    Pieces pieces;
    std::size_t axis = 0;
    std::int64_t result = 0;
    for (const HostValue& item : items) {
        if (item.is(ValueKind::None)) {
            pieces.added.push_back(result++);
        } else if (item.is(ValueKind::Ellipsis)) {
            result += static_cast<std::int64_t>(shape.size() - taken);
            axis += shape.size() - taken;
        } else if (item.is(ValueKind::Slice)) {
            add_slice(pieces, lang::object_of<lang::SliceObject>(item), static_cast<std::int64_t>(axis++), span);
            ++result;
        } else {
            add_single(pieces, item, static_cast<std::int64_t>(axis), shape[axis], span);
            ++axis;
        }
    }
    return pieces;
}

bool is_tensor(const HostValue& value) {
    return value.is(ValueKind::Tensor) || value.extension<SymbolicTensor>();
}

// x[i, j] by tensors of integers: one index into the first dimensions as one.
HostValue index_by_tensors(lang::Evaluator& evaluator, SymbolicTensor& self, const std::vector<HostValue>& items,
                           Span span) {
    ScriptGraphs& graphs = self.graphs;
    const Shape shape = self.value().spec.shape;
    if (items.size() > shape.size() || !std::ranges::all_of(items, is_tensor))
        fail(DiagId::BadShape, span, "tensors of integers index the first dimensions of a symbolic tensor");
    const auto apply = [&](const OpInfo& op, std::vector<HostValue> operands, Attributes attributes = {}) {
        return graphs.apply(evaluator, op, std::move(operands), std::move(attributes), span).front();
    };
    const auto number = [&](const Dim& extent) { // a tensor without dimensions where it is known at run time only
        const auto known = constant_of(extent);
        return known ? HostValue::integer(*known)
                     : graphs.symbolic(graphs.traced.add_one(
                           op_info::Extents(), {},
                           {{"values", Shape{extent}}, {"shape", Ints{}}, {"dtype", ir::DType::I64}}));
    };
    HostValue flat;
    Dim step = dim(1);
    for (std::size_t d = items.size(); d-- > 0;) {
        HostValue at = apply(op_info::Cast(), {items[d]}, {{"dtype", ir::DType::I64}});
        const HostValue from_end = apply(op_info::Add(), {at, number(shape[d])});
        at = apply(op_info::Where(), {apply(op_info::Less(), {at, HostValue::integer(0)}), from_end, at});
        const HostValue part = apply(op_info::Multiply(), {at, number(step)});
        flat = d + 1 == items.size() ? part : apply(op_info::Add(), {flat, part});
        step = simplified(ir::mul(step, shape[d]));
    }
    Shape joined = {step};
    joined.insert(joined.end(), shape.begin() + static_cast<std::ptrdiff_t>(items.size()), shape.end());
    const HostValue rows = apply(op_info::Reshape(), {graphs.symbolic(self.id)}, {{"shape", joined}});
    return apply(op_info::Take(), {rows, flat}, {{"axis", std::int64_t{0}}});
}

} // namespace

HostValue symbolic_index(lang::Evaluator& evaluator, SymbolicTensor& self, const HostValue& index, Span span) {
    ScriptGraphs& graphs = self.graphs;
    HostValue result = graphs.symbolic(self.id);
    if (index.is(ValueKind::Tensor) || index.extension<SymbolicTensor>())
        return graphs.apply(evaluator, op_info::Take(), {result, index}, {{"axis", std::int64_t{0}}}, span).front();
    const std::vector<HostValue> items = index.is(ValueKind::Tuple) ? index.items() : std::vector{index};
    if (std::ranges::any_of(items, is_tensor))
        return index_by_tensors(evaluator, self, items, span);
    const Pieces pieces = pieces_of(items, self.value().spec.shape, span);
    const auto then = [&](OpId op, Attributes attributes) {
        result = graphs.apply(evaluator, info_of(op), {result}, std::move(attributes), span).front();
    };
    if (!pieces.axes.empty())
        then(OpId::StridedSlice,
             {{"starts", pieces.starts}, {"ends", pieces.ends}, {"axes", pieces.axes}, {"strides", pieces.strides}});
    if (!pieces.gone.empty())
        then(OpId::Squeeze, {{"dims", pieces.gone}});
    if (!pieces.added.empty())
        then(OpId::Unsqueeze, {{"dims", pieces.added}});
    return result;
}

} // namespace hidet::graph
