// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/node_call.h"

#include <algorithm>

#include "compiler/graph/core/apply.h"
#include "compiler/graph/onnx/conversions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

const std::vector<Conversion>& conversions() {
    static const std::vector<Conversion> rows = [] {
        std::vector<Conversion> all = {
#define HIDET_ONNX_OP(domain, name, since, convert) {domain, #name, since, convert},
#define HIDET_ONNX_AS(domain, name, since, convert, ours)                                                              \
    {domain, #name, since, [](NodeCall& node) { return convert(node, OpId::ours); }},
#define HIDET_ONNX_ADDS(domain, name, since, ours, ...)                                                                \
    {domain, #name, since, [](NodeCall& node) -> Vals { return {node.add(OpId::ours, {node.in()}, {__VA_ARGS__})}; }},
#include "compiler/graph/onnx/onnx_ops.def"
#undef HIDET_ONNX_OP
#undef HIDET_ONNX_ADDS
#undef HIDET_ONNX_AS
        };
        std::ranges::stable_sort(all, [](const Conversion& a, const Conversion& b) {
            return std::tuple(std::string_view(a.op), std::string_view(a.domain), a.since) <
                   std::tuple(std::string_view(b.op), std::string_view(b.domain), b.since);
        });
        return all;
    }();
    return rows;
}

auto rows_of(std::string_view domain, std::string_view op) {
    return std::ranges::equal_range(conversions(), std::pair(op, domain), std::less<>(), [](const Conversion& row) {
        return std::pair<std::string_view, std::string_view>(row.op, row.domain);
    });
}

} // namespace

const Conversion* find_conversion(std::string_view domain, std::string_view op, std::int64_t version) {
    const Conversion* best = nullptr;
    for (const Conversion& row : rows_of(domain, op))
        if (row.since <= version)
            best = &row;
    return best;
}

bool is_known_op(std::string_view domain, std::string_view op) {
    return !rows_of(domain, op).empty();
}

const Val& NodeCall::in(std::size_t i) const {
    if (!has(i))
        throw OpError("input ", i, " is missing");
    if (m_inputs[i]->items)
        throw OpError("input ", i, " is a sequence, not a tensor");
    return m_inputs[i];
}

const Vals& NodeCall::sequence_in(std::size_t i) const {
    if (!has(i) || !m_inputs[i]->items)
        throw OpError("input ", i, " is not a sequence whose length is known");
    return *m_inputs[i]->items;
}

Vals NodeCall::present() const {
    Vals values;
    for (const Val& each : m_inputs)
        if (each)
            values.push_back(each);
    return values;
}

namespace {

void check_index(std::int64_t index, const Dim& extent) {
    const auto limit = constant_of(extent);
    if (limit && (index < -*limit || index >= *limit))
        throw OpError("index ", index, " is outside of a dimension of ", *limit);
}

} // namespace

void NodeCall::check_indices(std::size_t i, const Dim& extent) const {
    const lang::TensorRef& data = in(i)->data;
    if (data && constant_of(extent) && ir::is_integer(data->dtype))
        for (std::int64_t each : integers_of(*data))
            check_index(each, extent);
}

void NodeCall::check_coordinates(std::size_t i, std::int64_t first) const {
    const lang::TensorRef& data = in(i)->data;
    if (!data || !ir::is_integer(data->dtype) || data->shape.empty() || data->shape.back() < 1 || first < 0 ||
        first + data->shape.back() > static_cast<std::int64_t>(rank()))
        return;
    const Ints values = integers_of(*data);
    const auto row = static_cast<std::size_t>(data->shape.back());
    for (std::size_t k = 0; k < values.size(); ++k)
        check_index(values[k], shape()[static_cast<std::size_t>(first) + k % row]);
}

Shape NodeCall::dims_in(std::size_t i) const {
    if (!ir::is_integer(in(i)->spec.dtype) && in(i)->spec.dtype != ir::DType::Bool)
        throw OpError("input ", i, " is of ", ir::info(in(i)->spec.dtype).name, ", not of integers");
    if (in(i)->spec.shape.size() > 1)
        throw OpError("input ", i, " is of shape ", text_of(shape(i)), ", not a list of numbers");
    std::optional<Contents> contents = contents_of(in(i));
    if (!contents)
        throw NeedsValue{i};
    return std::move(contents->elements);
}

Ints NodeCall::ints_in(std::size_t i) const {
    if (in(i)->data && ir::is_integer(in(i)->data->dtype))
        return integers_of(*in(i)->data);
    const std::optional<Ints> values = constant_shape(dims_in(i));
    if (!values)
        throw NeedsValue{i};
    return *values;
}

std::int64_t NodeCall::int_in(std::size_t i) const {
    const Ints values = ints_in(i);
    if (values.size() != 1)
        throw OpError("input ", i, " is of shape ", text_of(shape(i)), ", not one number");
    return values[0];
}

std::vector<double> NodeCall::numbers_in(std::size_t i) const {
    if (!in(i)->data)
        throw NeedsValue{i};
    return numbers_of(*in(i)->data);
}

double NodeCall::number_in(std::size_t i) const {
    const std::vector<double> values = numbers_in(i);
    if (values.size() != 1)
        throw OpError("input ", i, " is of shape ", text_of(shape(i)), ", not one number");
    return values[0];
}

const Attribute* NodeCall::attribute(std::string_view name) const {
    for (const Attribute& each : m_node.attributes)
        if (each.name == name)
            return &each;
    return nullptr;
}

const Attribute* NodeCall::typed(std::string_view name, Attribute::Kind kind) const {
    const Attribute* found = attribute(name);
    if (found && found->kind != kind)
        throw OpError("attribute '", name, "' is of another type than the operator says");
    return found;
}

std::int64_t NodeCall::i(std::string_view name, std::int64_t otherwise) const {
    const Attribute* found = typed(name, Attribute::Kind::Int);
    return found ? found->i : otherwise;
}

std::int64_t NodeCall::i(std::string_view name) const {
    if (!has_attribute(name))
        throw OpError("attribute '", name, "' is missing");
    return i(name, 0);
}

double NodeCall::f(std::string_view name, double otherwise) const {
    const Attribute* found = typed(name, Attribute::Kind::Float);
    return found ? static_cast<double>(found->f) : otherwise;
}

std::string NodeCall::s(std::string_view name, const std::string& otherwise) const {
    const Attribute* found = typed(name, Attribute::Kind::String);
    return found ? found->s : otherwise;
}

Ints NodeCall::ints(std::string_view name, const Ints& otherwise) const {
    const Attribute* found = typed(name, Attribute::Kind::Ints);
    return found ? found->ints : otherwise;
}

Floats NodeCall::floats(std::string_view name) const {
    const Attribute* found = typed(name, Attribute::Kind::Floats);
    return found ? Floats(found->floats.begin(), found->floats.end()) : Floats();
}

Texts NodeCall::strings(std::string_view name) const {
    const Attribute* found = typed(name, Attribute::Kind::Strings);
    return found ? found->strings : Texts();
}

ir::DType NodeCall::type(std::string_view name, std::int32_t otherwise) const {
    const auto given = static_cast<std::int32_t>(i(name, otherwise));
    const std::optional<ir::DType> dtype = dtype_of(given);
    if (!dtype)
        throw OpError("tensors of ", elem_type_name(given), " are not supported");
    return *dtype;
}

Val NodeCall::cast(const Val& x, ir::DType dtype) {
    return x->spec.dtype == dtype ? x : add(OpId::Cast, {x}, {{"dtype", dtype}});
}

Val NodeCall::reshape(const Val& x, const Shape& shape) {
    check_rank(shape.size());
    return same_shape(x->spec.shape, shape) ? x : add(OpId::Reshape, {x}, {{"shape", shape}});
}

Val NodeCall::transpose(const Val& x, const Ints& axes) {
    bool is_identity = true;
    for (std::size_t d = 0; d < axes.size(); ++d)
        is_identity = is_identity && axes[d] == static_cast<std::int64_t>(d);
    return is_identity ? x : add(OpId::PermuteDims, {x}, {{"axes", axes}});
}

Val NodeCall::broadcast(const Val& x, const Shape& shape) {
    return same_shape(x->spec.shape, shape) ? x : add(OpId::Broadcast, {x}, {{"shape", shape}});
}

Val NodeCall::squeeze(const Val& x, const Ints& axes) {
    const Shape& from = x->spec.shape;
    std::vector<bool> goes(from.size(), false);
    for (std::int64_t each : axes) {
        const auto axis = static_cast<std::size_t>(normalise_axis(each, from.size(), "axis"));
        if (const auto extent = constant_of(from[axis]); extent && *extent != 1)
            throw OpError("dimension ", axis, " of ", text_of(from), " is not 1 and cannot be squeezed");
        goes[axis] = true;
    }
    Shape shape;
    for (std::size_t d = 0; d < from.size(); ++d)
        if (!goes[d])
            shape.push_back(from[d]);
    return reshape(x, shape);
}

Val NodeCall::unsqueeze(const Val& x, const Ints& axes) {
    const std::size_t rank = x->spec.shape.size() + axes.size();
    std::vector<bool> is_new(rank, false);
    for (std::int64_t each : axes) {
        const auto axis = static_cast<std::size_t>(normalise_axis(each, rank, "axis"));
        if (is_new[axis])
            throw OpError("axis ", each, " is named twice");
        is_new[axis] = true;
    }
    Shape shape;
    std::size_t next = 0;
    for (std::size_t d = 0; d < rank; ++d)
        shape.push_back(is_new[d] ? dim(1) : x->spec.shape[next++]);
    return reshape(x, shape);
}

Val NodeCall::with_extent(const Val& x, std::size_t axis, const Dim& extent) {
    Shape shape = x->spec.shape;
    shape[axis] = extent;
    return reshape(x, shape);
}

Val NodeCall::full(const Shape& shape, double value, ir::DType dtype) {
    return broadcast(scalar(dtype, value), shape);
}

Val NodeCall::slice(const Val& x, std::int64_t axis, const Dim& start, const Dim& end, std::int64_t step) {
    return add(OpId::StridedSlice, {x},
               {{"starts", Shape{start}}, {"ends", Shape{end}}, {"axes", Ints{axis}}, {"strides", Ints{step}}});
}

Val NodeCall::count_up(const Dim& first, const Dim& count) {
    return add(OpId::CountUp, {}, {{"range", Shape{first, count, dim(1)}}, {"dtype", ir::DType::I64}});
}

std::optional<graph::Attribute> as_ours(const Attribute& attribute) {
    switch (attribute.kind) {
    case Attribute::Kind::Float: return static_cast<double>(attribute.f);
    case Attribute::Kind::Int: return attribute.i;
    case Attribute::Kind::String: return attribute.s;
    case Attribute::Kind::Floats: return Floats(attribute.floats.begin(), attribute.floats.end());
    case Attribute::Kind::Ints: return attribute.ints;
    case Attribute::Kind::Strings: return attribute.strings;
    case Attribute::Kind::Tensor:
        if (attribute.t && attribute.t->data)
            return attribute.t->data;
        return std::nullopt;
    default: return std::nullopt;
    }
}

} // namespace hidet::graph::onnx
