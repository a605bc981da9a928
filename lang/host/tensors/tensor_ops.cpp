// SPDX-License-Identifier: Apache-2.0
// Element-wise operators, reductions, transposes.
#include "lang/host/tensors/tensor_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lang/base/scalar.h"
#include "lang/base/transformed.h"
#include "lang/host/interpreter.h"
#include "lang/host/operators.h"
#include "lang/tensor/whole.h"

namespace hidet::lang {

using ast::BinaryOp;
using ast::CompareOp;
using ir::DType;

bool tensor_truth(Evaluator&, const Value& value, Span span) {
    const Tensor& tensor = *value.as_tensor();
    if (tensor.count() != 1)
        fail(DiagId::NoTruthValue, span, cat("a tensor of shape ", shape_text(tensor.shape)));
    if (!tensor.has_data())
        throw UnknownValue{};
    return element_double(tensor, 0) != 0;
}

void refuse_write_to_view(const Tensor& tensor, Span span) {
    if (tensor.is_strided_view)
        fail(DiagId::BadValue, span, "writing to a strided view is not supported: use .contiguous() and write to that");
}

// ---- binary -------------------------------------------------------------------------------------------------------

namespace {

struct Operands {
    TensorRef a, b;
    TensorKind kind;
    Shape shape;
};

// A Python number takes the tensor's type unless its kind is higher, as in PyTorch.
DType scalar_type(const Value& scalar, DType tensor) {
    if (scalar.is(ValueKind::Float) && !ir::is_float(tensor))
        return DType::F32;
    if (scalar.is(ValueKind::Int) && tensor == DType::Bool)
        return DType::I64;
    return tensor;
}

DType common_type(DType a, DType b, Span span, std::string_view what) {
    if (a == b)
        return a;
    auto both = [&](DType x, DType y) { return (a == x && b == y) || (a == y && b == x); };
    if (both(DType::F16, DType::BF16))
        return DType::F32;
    auto result = ir::promote(a, b);
    if (!result)
        fail(DiagId::DTypeMismatch, span, what, ir::info(a).name, ir::info(b).name);
    return *result;
}

std::optional<Operands> operands(Evaluator& evaluator, std::string_view what, const Value& a, const Value& b,
                                 Span span) {
    Operands out;
    const Value& tensor = a.is(ValueKind::Tensor) ? a : b;
    const Value& other = a.is(ValueKind::Tensor) ? b : a;
    out.kind = kind_of(*tensor.as_tensor());
    if (other.is(ValueKind::Tensor)) {
        out.a = a.as_tensor();
        out.b = b.as_tensor();
        bool scalar_tensor = out.a->shape.empty() || out.b->shape.empty();
        if (out.a->device != out.b->device && !scalar_tensor)
            fail(DiagId::DeviceMismatch, span, what, device_name(out.a->device), device_name(out.b->device));
        out.kind.dtype = common_type(out.a->dtype, out.b->dtype, span, what);
        if (out.a->shape.empty() && !out.b->shape.empty())
            out.kind.device = out.b->device;
        out.kind.is_torch = out.a->is_torch || out.b->is_torch;
    } else if (other.is_number()) {
        DType dtype = scalar_type(other, out.kind.dtype);
        TensorKind scalar = out.kind;
        scalar.dtype = other.is(ValueKind::Float) ? DType::F64 : DType::I64;
        TensorRef made = other.is(ValueKind::Float) ? from_doubles(evaluator, {}, scalar, {other.as_double()}, span)
                                                    : from_integers(evaluator, {}, scalar, {other.as_int()}, span);
        out.a = a.is(ValueKind::Tensor) ? a.as_tensor() : made;
        out.b = a.is(ValueKind::Tensor) ? made : b.as_tensor();
        out.kind.dtype = dtype;
    } else {
        return std::nullopt;
    }
    if (!holds_numbers(out.a->dtype) || !holds_numbers(out.b->dtype))
        fail(DiagId::DTypeMismatch, span, what, ir::info(out.a->dtype).name, ir::info(out.b->dtype).name);
    out.shape = broadcast(what, out.a->shape, out.b->shape, span);
    return out;
}

double apply(BinaryOp op, double x, double y) {
    switch (op) {
    case BinaryOp::Add: return x + y;
    case BinaryOp::Sub: return x - y;
    case BinaryOp::Mul: return x * y;
    case BinaryOp::Div: return x / y;
    case BinaryOp::FloorDiv: return scalar::FloorDivOp::apply(x, y);
    case BinaryOp::Mod: return scalar::FloorModOp::apply(x, y);
    case BinaryOp::Pow: return std::pow(x, y);
    default: return 0;
    }
}

// uint64 is divided and shifted as what it is; for the rest the sign makes no difference.
std::int64_t wrapping_unsigned(BinaryOp op, std::int64_t a, std::int64_t b) {
    auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    switch (op) {
    case BinaryOp::FloorDiv: return static_cast<std::int64_t>(scalar::FloorDivOp::apply(x, y));
    case BinaryOp::Mod: return static_cast<std::int64_t>(scalar::FloorModOp::apply(x, y));
    default: return static_cast<std::int64_t>(scalar::ShrOp::apply(x, y));
    }
}

std::int64_t wrapping(BinaryOp op, std::int64_t a, std::int64_t b, Span span) {
    switch (op) {
    case BinaryOp::Add: return scalar::AddOp::apply(a, b);
    case BinaryOp::Sub: return scalar::SubOp::apply(a, b);
    case BinaryOp::Mul: return scalar::MulOp::apply(a, b);
    case BinaryOp::FloorDiv: return b == 0 ? floor_div(a, b, span) : scalar::FloorDivOp::apply(a, b);
    case BinaryOp::Mod: return floor_mod(a, b, span);
    case BinaryOp::Pow: {
        std::int64_t result = 1;
        for (std::int64_t e = b; e > 0; e >>= 1, a = scalar::MulOp::apply(a, a))
            if (e & 1)
                result = scalar::MulOp::apply(result, a);
        return b < 0 ? 0 : result;
    }
    case BinaryOp::Shl: return scalar::ShlOp::apply(a, b);
    case BinaryOp::Shr: return scalar::ShrOp::apply(a, b);
    case BinaryOp::BitAnd: return scalar::BitAndOp::apply(a, b);
    case BinaryOp::BitOr: return scalar::BitOrOp::apply(a, b);
    case BinaryOp::BitXor: return scalar::BitXorOp::apply(a, b);
    default: return 0;
    }
}

bool is_bitwise(BinaryOp op) {
    return op == BinaryOp::Shl || op == BinaryOp::Shr || op == BinaryOp::BitAnd || op == BinaryOp::BitOr ||
           op == BinaryOp::BitXor;
}

// result[i] = f(a[...], b[...]) with broadcasting; equal shapes and scalars take the short way.
template <class Out, class In, class F>
std::vector<Out> zip_with(const std::vector<In>& a, const Shape& a_shape, const std::vector<In>& b,
                          const Shape& b_shape, const Shape& shape, F&& f) {
    std::vector<Out> out(static_cast<std::size_t>(count_of(shape)));
    if (a_shape == shape && b_shape == shape) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = f(a[i], b[i]);
    } else if (a_shape == shape && b.size() == 1) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = f(a[i], b[0]);
    } else {
        std::vector<std::int64_t> left = broadcast_indices(a_shape, shape), right = broadcast_indices(b_shape, shape);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = f(a[static_cast<std::size_t>(left[i])], b[static_cast<std::size_t>(right[i])]);
    }
    return out;
}

} // namespace

void charge_elements(Evaluator& evaluator, std::int64_t count, Span span) {
    evaluator.charge_steps(static_cast<std::uint64_t>(count) / 64, span);
    evaluator.impl().check_bytes(static_cast<std::uint64_t>(count) * 24, span); // what the operation works with
}

std::optional<Value> tensor_binary(Evaluator& evaluator, BinaryOp op, const Value& a, const Value& b, Span a_span,
                                   Span b_span, bool in_place) {
    Span span = cover(a_span, b_span);
    if (op == BinaryOp::MatMul) {
        if (!a.is(ValueKind::Tensor) || !b.is(ValueKind::Tensor))
            return std::nullopt;
        return Value::tensor(tensor_matmul(evaluator, a.as_tensor(), b.as_tensor(), span));
    }
    auto both = operands(evaluator, ast::spelling(op), a, b, span);
    if (!both)
        return std::nullopt;
    TensorKind kind = both->kind;
    if (op == BinaryOp::Div && !ir::is_float(kind.dtype))
        kind.dtype = DType::F32;
    if (is_bitwise(op) && ir::is_float(kind.dtype))
        fail(DiagId::UnsupportedOperand, span, ast::spelling(op), ir::info(both->a->dtype).name,
             ir::info(both->b->dtype).name);
    if (in_place && a.is(ValueKind::Tensor)) {
        refuse_write_to_view(*a.as_tensor(), a_span);
        if (both->shape != a.as_tensor()->shape)
            fail(DiagId::ShapeMismatch, span, std::string(ast::spelling(op)) + "=", shape_text(a.as_tensor()->shape),
                 shape_text(both->shape));
    }
    charge_elements(evaluator, count_of(both->shape), span);
    if (!both->a->has_data() || !both->b->has_data())
        return in_place ? a : Value::tensor(without_data(new_tensor(evaluator, both->shape, kind, span)));
    bool is_unsigned =
        kind.dtype == DType::U64 && (op == BinaryOp::FloorDiv || op == BinaryOp::Mod || op == BinaryOp::Shr);
    TensorRef out;
    if (ir::is_float(kind.dtype)) {
        out = from_doubles(evaluator, both->shape, kind,
                           zip_with<double>(read_doubles(*both->a), both->a->shape, read_doubles(*both->b),
                                            both->b->shape, both->shape,
                                            [op](double x, double y) { return apply(op, x, y); }),
                           span);
    } else {
        out = from_integers(evaluator, both->shape, kind,
                            zip_with<std::int64_t>(read_integers(*both->a), both->a->shape, read_integers(*both->b),
                                                   both->b->shape, both->shape,
                                                   [&](std::int64_t x, std::int64_t y) {
                                                       return is_unsigned && y != 0 ? wrapping_unsigned(op, x, y)
                                                                                    : wrapping(op, x, y, b_span);
                                                   }),
                            span);
    }
    if (!in_place || !a.is(ValueKind::Tensor))
        return Value::tensor(out);
    const Tensor& target = *a.as_tensor();
    if (ir::is_float(out->dtype))
        write_doubles(target, read_doubles(*out));
    else
        write_integers(target, read_integers(*out));
    return a;
}

std::optional<Value> tensor_compare(Evaluator& evaluator, CompareOp op, const Value& a, const Value& b, Span a_span,
                                    Span b_span) {
    if (!a.is(ValueKind::Tensor) && !b.is(ValueKind::Tensor))
        return std::nullopt;
    Span span = cover(a_span, b_span);
    auto both = operands(evaluator, ast::spelling(op), a, b, span);
    if (!both)
        return std::nullopt;
    TensorKind kind = both->kind;
    bool as_float = ir::is_float(kind.dtype);
    kind.dtype = DType::Bool;
    if (!both->a->has_data() || !both->b->has_data())
        return Value::tensor(without_data(new_tensor(evaluator, both->shape, kind, span)));
    charge_elements(evaluator, count_of(both->shape), span);
    auto decide = [op](auto x, auto y) -> std::int64_t {
        switch (op) {
        case CompareOp::Eq: return x == y;
        case CompareOp::Ne: return x != y;
        case CompareOp::Lt: return x < y;
        case CompareOp::Le: return x <= y;
        case CompareOp::Gt: return x > y;
        default: return x >= y;
        }
    };
    Integers result =
        as_float ? zip_with<std::int64_t>(read_doubles(*both->a), both->a->shape, read_doubles(*both->b),
                                          both->b->shape, both->shape, decide)
                 : zip_with<std::int64_t>(read_integers(*both->a), both->a->shape, read_integers(*both->b),
                                          both->b->shape, both->shape, [&](std::int64_t x, std::int64_t y) {
                                              return decide(whole_of(x, both->a->dtype), whole_of(y, both->b->dtype));
                                          });
    return Value::tensor(from_integers(evaluator, both->shape, kind, result, span));
}

// ---- unary --------------------------------------------------------------------------------------------------------

TensorRef tensor_map(Evaluator& evaluator, const TensorRef& tensor, double (*function)(double), Span span) {
    TensorKind kind = kind_of(*tensor);
    if (!ir::is_float(kind.dtype))
        kind.dtype = DType::F32;
    if (!tensor->has_data())
        return without_data(new_tensor(evaluator, tensor->shape, kind, span));
    charge_elements(evaluator, tensor->count(), span);
    Doubles values = read_doubles(*tensor);
    for (double& value : values)
        value = function(value);
    return from_doubles(evaluator, tensor->shape, kind, values, span);
}

Value tensor_unary(Evaluator& evaluator, ast::UnaryOp op, const Value& a, Span span) {
    const TensorRef& tensor = a.as_tensor();
    if (op == ast::UnaryOp::Plus)
        return a;
    bool is_float = ir::is_float(tensor->dtype);
    if (op == ast::UnaryOp::Invert && is_float)
        fail(DiagId::UnsupportedUnary, span, "~", cat(ir::info(tensor->dtype).name, " tensor"));
    if (!tensor->has_data())
        return Value::tensor(without_data(new_tensor(evaluator, tensor->shape, kind_of(*tensor), span)));
    if (is_float)
        return Value::tensor(tensor_map(
            evaluator, tensor, [](double x) { return -x; }, span));
    Integers values = read_integers(*tensor);
    for (std::int64_t& value : values)
        value = op == ast::UnaryOp::Minus      ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value))
                : tensor->dtype == DType::Bool ? (value == 0)
                                               : ~value;
    return Value::tensor(from_integers(evaluator, tensor->shape, kind_of(*tensor), values, span));
}

// ---- reductions ---------------------------------------------------------------------------------------------------

std::int64_t checked_dim(std::int64_t dim, std::size_t rank, Span span) {
    auto size = static_cast<std::int64_t>(std::max<std::size_t>(rank, 1));
    if (dim < -size || dim >= size)
        fail(DiagId::IndexOutOfRange, span, "dimension", dim, rank);
    return dim < 0 ? dim + size : dim;
}

static bool is_nan(double value) {
    return std::isnan(value);
}
static bool is_nan(const Whole&) {
    return false;
}

template <class T>
static std::size_t best_of(Reduction what, const std::vector<T>& x) {
    bool largest = what == Reduction::Max || what == Reduction::ArgMax;
    std::size_t best = 0;
    for (std::size_t i = 1; i < x.size(); ++i)
        if (!is_nan(x[best]) && (is_nan(x[i]) || (largest ? x[i] > x[best] : x[i] < x[best])))
            best = i;
    return best;
}

static double reduce(Reduction what, const Doubles& x) {
    auto count = static_cast<double>(x.size());
    switch (what) {
    case Reduction::Sum: return std::accumulate(x.begin(), x.end(), 0.0);
    case Reduction::Mean: return std::accumulate(x.begin(), x.end(), 0.0) / count;
    case Reduction::Product: return std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<>());
    case Reduction::Max:
    case Reduction::Min: return x[best_of(what, x)];
    case Reduction::ArgMax:
    case Reduction::ArgMin: return static_cast<double>(best_of(what, x));
    case Reduction::Any: return std::ranges::any_of(x, [](double v) { return v != 0; });
    case Reduction::All: return std::ranges::all_of(x, [](double v) { return v != 0; });
    case Reduction::Norm: return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
    case Reduction::Variance: {
        double mean = std::accumulate(x.begin(), x.end(), 0.0) / count, sum = 0;
        for (double v : x)
            sum += (v - mean) * (v - mean);
        return sum / (count - 1);
    }
    }
    return 0;
}

// What f makes of the elements that fall together.
template <class Out, class In, class F>
static std::vector<Out> reduced_groups(const std::vector<In>& values, const Shape& from, const Shape& kept, F&& f) {
    std::vector<std::int64_t> to = broadcast_indices(kept, from);
    std::vector<std::vector<In>> groups(static_cast<std::size_t>(count_of(kept)));
    for (std::vector<In>& group : groups)
        group.reserve(values.size() / groups.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        groups[static_cast<std::size_t>(to[i])].push_back(values[i]);
    return transformed(groups, [&](const std::vector<In>& group) { return f(group); });
}

TensorRef tensor_reduce(Evaluator& evaluator, const TensorRef& tensor, Reduction what, std::vector<std::int64_t> dims,
                        bool keep, Span span) {
    std::size_t rank = tensor->shape.size();
    bool every = dims.empty();
    if (every) {
        dims.resize(rank);
        std::iota(dims.begin(), dims.end(), 0);
    }
    std::vector<bool> reduced(rank);
    for (std::int64_t dim : dims)
        if (rank > 0)
            reduced[static_cast<std::size_t>(checked_dim(dim, rank, span))] = true;
    Shape kept, out_shape, inner;
    for (std::size_t d = 0; d < rank; ++d) {
        kept.push_back(reduced[d] ? 1 : tensor->shape[d]);
        (reduced[d] ? inner : out_shape).push_back(tensor->shape[d]);
    }
    TensorKind kind = kind_of(*tensor);
    bool is_float = ir::is_float(kind.dtype);
    if (what == Reduction::ArgMax || what == Reduction::ArgMin)
        kind.dtype = DType::I64;
    else if (what == Reduction::Any || what == Reduction::All)
        kind.dtype = DType::Bool;
    else if ((what == Reduction::Sum || what == Reduction::Product) && !is_float)
        kind.dtype = DType::I64;
    else if ((what == Reduction::Mean || what == Reduction::Variance || what == Reduction::Norm) && !is_float)
        kind.dtype = DType::F32;
    const Shape& shape = keep ? kept : out_shape;
    std::int64_t inner_count = count_of(inner);
    bool needs_items = what != Reduction::Sum && what != Reduction::Product && what != Reduction::Any &&
                       what != Reduction::All && what != Reduction::Norm && what != Reduction::Mean &&
                       what != Reduction::Variance;
    if (inner_count == 0 && needs_items)
        fail(DiagId::BadShape, span,
             cat("a tensor of shape ", shape_text(tensor->shape), " has no greatest or least element"));
    if (!tensor->has_data())
        return without_data(new_tensor(evaluator, shape, kind, span));
    charge_elements(evaluator, tensor->count(), span);
    // Integers that must not go through double: sums and products.
    if (!is_float && (what == Reduction::Sum || what == Reduction::Product)) {
        Integers values = read_integers(*tensor),
                 totals(static_cast<std::size_t>(count_of(kept)), what == Reduction::Sum ? 0 : 1);
        std::vector<std::int64_t> to = broadcast_indices(kept, tensor->shape);
        for (std::size_t i = 0; i < values.size(); ++i) {
            auto& total = totals[static_cast<std::size_t>(to[i])];
            total = wrapping(what == Reduction::Sum ? BinaryOp::Add : BinaryOp::Mul, total, values[i], span);
        }
        return from_integers(evaluator, shape, kind, totals, span);
    }
    bool is_arg = what == Reduction::ArgMax || what == Reduction::ArgMin;
    if (!is_float && (is_arg || what == Reduction::Max || what == Reduction::Min)) { // nor greatest and least ones
        std::vector<Whole> wholes;
        for (std::int64_t value : read_integers(*tensor))
            wholes.push_back(whole_of(value, tensor->dtype));
        auto one = [&](const std::vector<Whole>& group) {
            std::size_t best = best_of(what, group);
            return is_arg ? static_cast<std::int64_t>(best) : group[best].bits;
        };
        Integers results =
            every ? Integers{one(wholes)} : reduced_groups<std::int64_t>(wholes, tensor->shape, kept, one);
        return from_integers(evaluator, shape, kind, results, span);
    }
    Doubles values = read_doubles(*tensor);
    auto one = [what](const Doubles& group) { return reduce(what, group); };
    Doubles results = every ? Doubles{one(values)} : reduced_groups<double>(values, tensor->shape, kept, one);
    return from_doubles(evaluator, shape, kind, results, span);
}

TensorRef tensor_softmax(Evaluator& evaluator, const TensorRef& tensor, std::int64_t dim, Span span) {
    TensorKind kind = kind_of(*tensor);
    if (!ir::is_float(kind.dtype))
        kind.dtype = DType::F32;
    auto axis = static_cast<std::size_t>(checked_dim(dim, tensor->shape.size(), span));
    if (!tensor->has_data())
        return without_data(new_tensor(evaluator, tensor->shape, kind, span));
    charge_elements(evaluator, tensor->count(), span);
    Doubles values = read_doubles(*tensor);
    if (values.empty() || tensor->shape.empty())
        return from_doubles(evaluator, tensor->shape, kind, Doubles(values.size(), 1.0), span);
    std::size_t stride = 1, extent = static_cast<std::size_t>(tensor->shape[axis]);
    for (std::size_t d = axis + 1; d < tensor->shape.size(); ++d)
        stride *= static_cast<std::size_t>(tensor->shape[d]);
    for (std::size_t outer = 0; outer < values.size(); outer += stride * extent) {
        for (std::size_t inner = 0; inner < stride; ++inner) {
            double* x = values.data() + outer + inner;
            double greatest = -std::numeric_limits<double>::infinity(), total = 0;
            for (std::size_t i = 0; i < extent; ++i)
                greatest = std::max(greatest, x[i * stride]);
            for (std::size_t i = 0; i < extent; ++i)
                total += x[i * stride] = std::exp(x[i * stride] - greatest);
            for (std::size_t i = 0; i < extent; ++i)
                x[i * stride] /= total;
        }
    }
    return from_doubles(evaluator, tensor->shape, kind, values, span);
}

TensorRef strided_copy(Evaluator& evaluator, const TensorRef& tensor, const Shape& shape, const Shape& strides,
                       Span span) {
    TensorRef out = new_tensor(evaluator, shape, kind_of(*tensor), span);
    if (!tensor->has_data() || !out->has_data())
        return without_data(out);
    charge_elements(evaluator, out->count(), span);
    Shape index(shape.size(), 0);
    const std::size_t size = element_bytes(*tensor, span);
    std::int64_t at = 0;
    const std::byte* source = tensor->read();
    std::byte* target = out->data();
    for (std::int64_t i = 0, count = out->count(); i < count; ++i, target += size) {
        std::copy_n(source + static_cast<std::size_t>(at) * size, size, target);
        for (std::size_t d = shape.size(); d-- > 0;) {
            at += strides[d];
            if (++index[d] < shape[d])
                break;
            at -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
    out->storage->uninitialised = tensor->storage->uninitialised;
    return out;
}

TensorRef tensor_transpose(Evaluator& evaluator, const TensorRef& tensor, const std::vector<std::int64_t>& order,
                           Span span) {
    Shape shape, strides(order.size(), 1), from;
    for (std::size_t d = strides.size(); d-- > 1;)
        strides[d - 1] = strides[d] * tensor->shape[d];
    for (std::int64_t d : order) {
        shape.push_back(tensor->shape[static_cast<std::size_t>(d)]);
        from.push_back(strides[static_cast<std::size_t>(d)]);
    }
    TensorRef out = strided_copy(evaluator, tensor, shape, from, span);
    out->is_strided_view = tensor->is_torch && !std::is_sorted(order.begin(), order.end()) && tensor->count() > 1;
    return out;
}

} // namespace hidet::lang
