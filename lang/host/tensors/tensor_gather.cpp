// SPDX-License-Identifier: Apache-2.0
// Elements that a condition or a tensor of indices chooses, and sums of them.
#include <algorithm>
#include <limits>

#include "lang/base/scalar.h"
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/tensors/tensor_selection.h"

namespace hidet::lang {

using ir::DType;

namespace {

Shape at_least_one_dim(const Shape& shape) {
    return shape.empty() ? Shape{1} : shape;
}

std::size_t dim_of(const Arguments& a, std::size_t i, const Tensor& tensor) {
    return static_cast<std::size_t>(checked_dim(a.integer(i), tensor.shape.size(), a.span(i)));
}

// Indices along `dim` of `tensor`: elsewhere no larger than it.
const TensorRef& index_argument(const Arguments& a, std::size_t i, const Tensor& tensor, std::size_t dim) {
    const TensorRef& index = tensor_argument(a, i);
    if (index->dtype != DType::I64 && index->dtype != DType::I32)
        fail(DiagId::BadType, a.span(i),
             cat("indices are a tensor of int64 or int32, not of ", ir::info(index->dtype).name));
    if (index->count() == 0)
        return index;
    const Shape own = at_least_one_dim(index->shape), of = at_least_one_dim(tensor.shape);
    bool fits = own.size() == of.size();
    for (std::size_t d = 0; fits && d < own.size(); ++d)
        fits = d == dim || own[d] <= of[d];
    if (!fits)
        fail(DiagId::BadShape, a.span(i),
             cat("indices of shape ", shape_text(index->shape), " do not fit a tensor of shape ",
                 shape_text(tensor.shape), ": they have as many dimensions, and apart from dimension ", dim,
                 " are no larger"));
    return index;
}

void charge_indices(Evaluator& evaluator, const Tensor& index, Span span) {
    charge_elements(evaluator, index.count(), span);
    evaluator.charge_steps(static_cast<std::uint64_t>(index.count()) * (index.shape.size() + 1) / 16, span);
}

// What a tensor of indices names: f(element of a tensor of `source` in the index's place, element of `target` that is meant).
template <class F>
void each_named(const Tensor& index, const Shape& source, const Shape& target, std::size_t dim, Span span, F&& f) {
    const Shape shape = at_least_one_dim(index.shape);
    const std::size_t rank = shape.size();
    const std::int64_t extent = target[dim];
    Shape from(rank, 1), to(rank, 1), at(rank, 0);
    for (std::size_t d = rank; d-- > 1 && extent > 0;) {
        from[d - 1] = from[d] * source[d];
        to[d - 1] = to[d] * target[d];
    }
    for (std::int64_t named : read_integers(index)) {
        if (named < 0 || named >= extent)
            fail(DiagId::IndexOutOfRange, span, cat("dimension ", dim), named, extent);
        std::int64_t s = 0, t = named * to[dim];
        for (std::size_t d = 0; d < rank; ++d) {
            s += at[d] * from[d];
            t += d == dim ? 0 : at[d] * to[d];
        }
        f(static_cast<std::size_t>(s), static_cast<std::size_t>(t));
        for (std::size_t d = rank; d-- > 0 && ++at[d] == shape[d];)
            at[d] = 0;
    }
}

enum class Meeting : std::uint8_t { Replace, Add, Multiply };

template <class T>
T joined(Meeting how, T old, T given) {
    if (how == Meeting::Replace)
        return given;
    if constexpr (std::is_same_v<T, double>) {
        return how == Meeting::Add ? old + given : old * given;
    } else {
        const auto x = static_cast<std::uint64_t>(old), y = static_cast<std::uint64_t>(given);
        return static_cast<T>(how == Meeting::Add ? x + y : x * y);
    }
}

// src along the dimensions of the index, or one number.
struct Source {
    TensorRef tensor;
    Value number;
};

template <class T>
void scatter_into(std::vector<T>& out, const std::vector<T>& given, const Tensor& index, const Source& source,
                  const Shape& shape, std::size_t dim, Meeting how, Span span) {
    const Shape from = at_least_one_dim(source.tensor ? source.tensor->shape : index.shape);
    each_named(index, from, at_least_one_dim(shape), dim, span,
               [&](std::size_t s, std::size_t t) { out[t] = joined(how, out[t], given[source.tensor ? s : 0]); });
}

Source source_of(const Arguments& a, const TensorRef& self, const Tensor& index) {
    const std::size_t i = a.given(2) ? 2 : 3;
    if (!a.given(i))
        fail(DiagId::MissingArgument, a.span(2), "scatter", "src");
    if (a[i].is_number())
        return {{}, a[i]};
    const TensorRef& source = tensor_argument(a, i);
    if (source->dtype != self->dtype)
        fail(DiagId::DTypeMismatch, a.span(i), "scatter", ir::info(self->dtype).name, ir::info(source->dtype).name);
    const Shape own = at_least_one_dim(source->shape), of = at_least_one_dim(index.shape);
    bool fits = index.count() == 0 || own.size() == of.size();
    for (std::size_t d = 0; index.count() > 0 && fits && d < own.size(); ++d)
        fits = of[d] <= own[d];
    if (!fits)
        fail(DiagId::ShapeMismatch, a.span(i), "scatter", shape_text(index.shape), shape_text(source->shape));
    return {source, {}};
}

Value scattered(Evaluator& evaluator, const Value& self, const Arguments& a, Meeting how, bool in_place, Span span) {
    const TensorRef& tensor = self.as_tensor();
    const std::size_t dim = dim_of(a, 0, *tensor);
    const TensorRef& index = index_argument(a, 1, *tensor, dim);
    const Source source = source_of(a, tensor, *index);
    if (in_place)
        refuse_write_to_view(*tensor, span);
    TensorRef out = in_place ? tensor : converted(evaluator, tensor, kind_of(*tensor), span);
    if (!out->has_data() || !index->has_data() || (source.tensor && !source.tensor->has_data()))
        return Value::tensor(without_data(out));
    charge_elements(evaluator, tensor->count(), span);
    charge_indices(evaluator, *index, span);
    if (ir::is_float(out->dtype)) {
        Doubles values = read_doubles(*out);
        scatter_into(values, source.tensor ? read_doubles(*source.tensor) : Doubles{source.number.as_double()}, *index,
                     source, out->shape, dim, how, a.span(1));
        write_doubles(*out, values);
    } else {
        Integers values = read_integers(*out);
        const std::int64_t number = source.number.is(ValueKind::Float)
                                        ? scalar::saturate<std::int64_t>(source.number.as_double())
                                    : source.tensor ? 0
                                                    : source.number.as_int();
        scatter_into(values, source.tensor ? read_integers(*source.tensor) : Integers{number}, *index, source,
                     out->shape, dim, how, a.span(1));
        write_integers(*out, values);
    }
    return Value::tensor(out);
}

Value scatter_any(Evaluator& evaluator, const Value& self, Args& args, Span span, bool in_place) {
    Arguments a(args, span, "scatter", {"dim", "index", "src=", "value=", "*", "reduce="});
    a.want_known();
    const std::string reduce = a.str(4, "");
    if (reduce != "" && reduce != "add" && reduce != "multiply")
        fail(DiagId::BadValue, a.span(4), cat("reduce is 'add' or 'multiply', not '", reduce, "'"));
    return scattered(evaluator, self, a,
                     reduce == ""      ? Meeting::Replace
                     : reduce == "add" ? Meeting::Add
                                       : Meeting::Multiply,
                     in_place, span);
}

Value scatter_add_any(Evaluator& evaluator, const Value& self, Args& args, Span span, bool in_place) {
    Arguments a(args, span, "scatter_add", {"dim", "index", "src"});
    a.want_known();
    tensor_argument(a, 2);
    return scattered(evaluator, self, a, Meeting::Add, in_place, span);
}

template <class T>
void add_up(std::vector<T>& values, const Lines& lines) {
    for (std::size_t line = 0; line < lines.count; ++line) {
        T* x = values.data() + lines.first(line);
        for (std::size_t i = 1; i < lines.extent; ++i)
            x[i * lines.stride] = joined(Meeting::Add, x[(i - 1) * lines.stride], x[i * lines.stride]);
    }
}

} // namespace

namespace selection {

Value gather(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    a.want_known();
    const TensorRef& tensor = self.as_tensor();
    const std::size_t dim = dim_of(a, 0, *tensor);
    const TensorRef& index = index_argument(a, 1, *tensor, dim);
    TensorRef out = new_tensor(evaluator, index->shape, kind_of(*tensor), span);
    if (!tensor->has_data() || !index->has_data())
        return Value::tensor(without_data(out));
    charge_indices(evaluator, *index, span);
    const std::size_t size = element_bytes(*tensor, span);
    const std::byte* source = tensor->read();
    std::byte* target = out->data();
    each_named(*index, at_least_one_dim(index->shape), at_least_one_dim(tensor->shape), dim, a.span(1),
               [&](std::size_t to, std::size_t from) { std::copy_n(source + from * size, size, target + to * size); });
    return Value::tensor(out);
}

Value scatter(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    return scatter_any(evaluator, self, args, span, false);
}
Value scatter_in_place(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    return scatter_any(evaluator, self, args, span, true);
}
Value scatter_add(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    return scatter_add_any(evaluator, self, args, span, false);
}
Value scatter_add_in_place(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    return scatter_add_any(evaluator, self, args, span, true);
}

Value cumsum(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    a.want_known();
    const TensorRef& tensor = self.as_tensor();
    const Lines lines(tensor->shape, dim_of(a, 0, *tensor));
    TensorKind kind = kind_of(*tensor);
    if (a.has(1))
        kind.dtype = dtype_argument(a[1], a.span(1));
    else if (!ir::is_float(kind.dtype))
        kind.dtype = DType::I64;
    if (kind.dtype == DType::Bool)
        fail(DiagId::BadType, a.span(1), "sums are not truth values");
    if (!tensor->has_data())
        return Value::tensor(converted(evaluator, tensor, kind, span));
    charge_elements(evaluator, tensor->count(), span);
    const TensorRef source = converted(evaluator, tensor, kind, span);
    if (ir::is_float(kind.dtype)) {
        Doubles values = read_doubles(*source);
        add_up(values, lines);
        write_doubles(*source, values);
    } else {
        Integers values = read_integers(*source);
        add_up(values, lines);
        write_integers(*source, values);
    }
    return Value::tensor(source);
}

// Its length is that of the data: nothing is known of it without them.
Value bincount(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    a.want_known();
    const TensorRef& tensor = self.as_tensor();
    const std::int64_t least = a.integer(1, 0);
    if (least < 0)
        fail(DiagId::BadValue, a.span(1), cat("minlength cannot be negative: ", least));
    if (ir::is_float(tensor->dtype) || tensor->dtype == DType::Bool)
        fail(DiagId::BadType, span, cat("bincount() counts integers, not ", ir::info(tensor->dtype).name));
    if (tensor->shape.size() != 1)
        fail(DiagId::BadShape, span,
             cat("bincount() wants a tensor of one dimension, not of shape ", shape_text(tensor->shape)));
    TensorRef weights;
    if (a.has(0)) {
        weights = tensor_argument(a, 0);
        if (weights->shape != tensor->shape)
            fail(DiagId::ShapeMismatch, a.span(0), "bincount", shape_text(tensor->shape), shape_text(weights->shape));
    }
    if (!tensor->has_data() || (weights && !weights->has_data()))
        return Value::unknown();
    charge_elements(evaluator, tensor->count(), span);
    const Integers values = read_integers(*tensor);
    std::int64_t length = least;
    for (std::int64_t value : values) {
        if (value < 0)
            fail(DiagId::BadValue, span, cat("bincount() counts numbers from 0 on, not ", value));
        length = std::max(length, value == std::numeric_limits<std::int64_t>::max() ? value : value + 1);
    }
    TensorKind kind = kind_of(*tensor);
    kind.dtype = !weights || values.empty() ? DType::I64 : weights->dtype == DType::F32 ? DType::F32 : DType::F64;
    TensorRef out = new_tensor(evaluator, {length}, kind, span);
    evaluator.impl().check_bytes(static_cast<std::uint64_t>(length) * 8, span);
    if (ir::is_float(kind.dtype)) {
        const Doubles shares = read_doubles(*weights);
        Doubles sums(static_cast<std::size_t>(length));
        for (std::size_t i = 0; i < values.size(); ++i)
            sums[static_cast<std::size_t>(values[i])] += shares[i];
        write_doubles(*out, sums);
    } else {
        Integers counts(static_cast<std::size_t>(length));
        for (std::int64_t value : values)
            ++counts[static_cast<std::size_t>(value)];
        write_integers(*out, counts);
    }
    return Value::tensor(out);
}

} // namespace selection

Value tensor_where(Evaluator& evaluator, const Value& condition, const Value& a, const Value& b, Span span) {
    for (const Value* value : {&condition, &a, &b})
        if (!value->is(ValueKind::Tensor))
            fail(DiagId::BadType, span, cat("a tensor is wanted, not '", type_name(*value), "'"));
    const TensorRef &c = condition.as_tensor(), &x = a.as_tensor(), &y = b.as_tensor();
    TensorKind kind = kind_of(y->shape.empty() ? *x : *y);
    kind.dtype = ir::promote(x->dtype, y->dtype).value_or(x->dtype);
    Shape shape = broadcast("where", broadcast("where", c->shape, x->shape, span), y->shape, span);
    if (!c->has_data() || !x->has_data() || !y->has_data())
        return Value::tensor(without_data(new_tensor(evaluator, shape, kind, span)));
    Integers choose = read_integers(*c);
    TensorRef left = converted(evaluator, x, kind, span), right = converted(evaluator, y, kind, span);
    TensorRef out = new_tensor(evaluator, shape, kind, span);
    const std::byte *from_left = left->read(), *from_right = right->read();
    const std::size_t size = element_bytes(*out, span);
    std::byte* target = out->data();
    out->storage->uninitialised = false;
    std::vector<std::int64_t> ci = broadcast_indices(c->shape, shape), xi = broadcast_indices(x->shape, shape),
                              yi = broadcast_indices(y->shape, shape);
    for (std::size_t i = 0; i < ci.size(); ++i, target += size) {
        bool is_left = choose[static_cast<std::size_t>(ci[i])] != 0;
        std::copy_n(is_left ? from_left + static_cast<std::size_t>(xi[i]) * size
                            : from_right + static_cast<std::size_t>(yi[i]) * size,
                    size, target);
    }
    return Value::tensor(out);
}

} // namespace hidet::lang
