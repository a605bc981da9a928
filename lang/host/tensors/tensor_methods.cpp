// SPDX-License-Identifier: Apache-2.0
// Methods of tensors, hidet's and torch's alike.
#include <algorithm>
#include <cmath>

#include "lang/base/scalar.h"
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/methods.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/tensors/tensor_selection.h"
#include "lang/host/tensors/tensor_shapes.h"
#include "lang/tensor/whole.h"

namespace hidet::lang {

namespace {

using ir::DType;

// ---- conversions --------------------------------------------------------------------------------------------------

Value moved(Evaluator& evaluator, const Value& self, Device device, Span span) {
    if (self.as_tensor()->device == device)
        return self;
    TensorKind kind = kind_of(*self.as_tensor());
    kind.device = device;
    return Value::tensor(converted(evaluator, self.as_tensor(), kind, span));
}
Value to_cpu(Evaluator& evaluator, const Value& self, Args&, Span span) {
    return moved(evaluator, self, Device::Cpu, span);
}
Value to_cuda(Evaluator& evaluator, const Value& self, Args&, Span span) {
    return moved(evaluator, self, Device::Cuda, span);
}
Value cast_to(Evaluator& evaluator, const Value& self, DType dtype, Span span) {
    if (self.as_tensor()->dtype == dtype)
        return self;
    TensorKind kind = kind_of(*self.as_tensor());
    kind.dtype = dtype;
    return Value::tensor(converted(evaluator, self.as_tensor(), kind, span));
}
template <DType dtype>
Value to_dtype(Evaluator& evaluator, const Value& self, Args&, Span span) {
    return cast_to(evaluator, self, dtype, span);
}
Value as_type(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Arguments a(args, span, "astype", {"dtype"});
    return cast_to(evaluator, self, dtype_argument(a[0], a.span(0)), span);
}
// to(dtype), to(device), to(device, dtype), to(other)
Value to(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Arguments a(args, span, "to", {"*args", "dtype=", "device=", "non_blocking=", "copy="});
    TensorKind kind = kind_of(*self.as_tensor());
    for (std::size_t i = 0; i < a.rest().size(); ++i) {
        const Value& value = a.rest()[i];
        Span at = args.span_of(i, span);
        if (value.is(ValueKind::Bool))
            continue;
        if (value.is(ValueKind::Tensor)) {
            kind.dtype = value.as_tensor()->dtype;
            kind.device = value.as_tensor()->device;
        } else if (value.is(ValueKind::Str) && !ir::find_dtype(value.as_str())) {
            kind.device = device_argument(value, at);
        } else {
            kind.dtype = dtype_argument(value, at);
        }
    }
    take_kind(a, 0, kind);
    if (kind.dtype == self.as_tensor()->dtype && kind.device == self.as_tensor()->device)
        return self;
    return Value::tensor(converted(evaluator, self.as_tensor(), kind, span));
}
Value itself(Evaluator&, const Value& self, Args&, Span) {
    return self;
}
Value contiguous(Evaluator&, const Value& self, Args&, Span) {
    if (!self.as_tensor()->is_strided_view)
        return self;
    TensorRef plain(new Tensor(*self.as_tensor()));
    plain->is_strided_view = false;
    return Value::tensor(plain);
}
Value clone(Evaluator& evaluator, const Value& self, Args&, Span span) {
    return Value::tensor(converted(evaluator, self.as_tensor(), kind_of(*self.as_tensor()), span));
}
Value as_torch(const Value& self, bool is_torch) {
    TensorRef same(new Tensor(*self.as_tensor()));
    same->is_torch = is_torch;
    return Value::tensor(same);
}
Value torch(Evaluator&, const Value& self, Args&, Span) {
    return as_torch(self, true);
}
Value numpy(Evaluator& evaluator, const Value& self, Args& args, Span span) { // which has no 8-bit floats
    const bool is_known = !ir::is_float(self.as_tensor()->dtype) || ir::bytes_of(self.as_tensor()->dtype) > 1;
    return as_torch(is_known ? self : to_dtype<ir::DType::F32>(evaluator, self, args, span), false);
}
Value item(Evaluator&, const Value& self, Args& args, Span span) {
    Arguments(args, span, "item", {});
    const Tensor& tensor = *self.as_tensor();
    if (tensor.count() != 1)
        fail(DiagId::BadShape, span,
             cat("item() wants a tensor of one element, not of shape ", shape_text(tensor.shape)));
    return tensor.has_data() ? element_value(tensor, 0, span) : Value::unknown();
}

Value nested(Evaluator& evaluator, const Tensor& tensor, std::size_t dim, std::int64_t& at, Span span) {
    if (dim == tensor.shape.size())
        return element_value(tensor, at++, span);
    std::vector<Value> items;
    for (std::int64_t i = 0; i < tensor.shape[dim]; ++i)
        items.push_back(nested(evaluator, tensor, dim + 1, at, span));
    return evaluator.new_list(std::move(items));
}
Value to_list(Evaluator& evaluator, const Value& self, const Arguments&, Span span) {
    if (!self.as_tensor()->has_data())
        return Value::unknown();
    evaluator.charge_steps(static_cast<std::uint64_t>(self.as_tensor()->count()), span);
    std::int64_t at = 0;
    return nested(evaluator, *self.as_tensor(), 0, at, span);
}

// ---- extents -------------------------------------------------------------------------------------------------------

Value dims_count(Evaluator&, const Value& self, Args&, Span) {
    return Value::integer(static_cast<std::int64_t>(self.as_tensor()->shape.size()));
}
Value numel(Evaluator&, const Value& self, Args&, Span) {
    return Value::integer(self.as_tensor()->count());
}
Value size(Evaluator&, const Value& self, const Arguments& a, Span) {
    const Shape& shape = self.as_tensor()->shape;
    if (!a.given(0))
        return shape_value(shape);
    return Value::integer(shape[static_cast<std::size_t>(checked_dim(a.integer(0), shape.size(), a.span(0)))]);
}
Value stride(Evaluator&, const Value& self, const Arguments& a, Span) {
    Shape strides(self.as_tensor()->shape.size(), 1);
    for (std::size_t d = strides.size(); d-- > 1;)
        strides[d - 1] = strides[d] * self.as_tensor()->shape[d];
    return a.given(0)
               ? Value::integer(strides[static_cast<std::size_t>(checked_dim(a.integer(0), strides.size(), a.span(0)))])
               : shape_value(strides);
}

// ---- element-wise -------------------------------------------------------------------------------------------------

double relu_of(double x) {
    return x > 0 || std::isnan(x) ? x : 0;
}
double sigmoid_of(double x) {
    return 1 / (1 + std::exp(-x));
}
double silu_of(double x) {
    return x / (1 + std::exp(-x));
}
double gelu_of(double x) {
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}
double negative_of(double x) {
    return -x;
}
double square_of(double x) {
    return x * x;
}
double rsqrt_of(double x) {
    return 1 / std::sqrt(x);
}
double reciprocal_of(double x) {
    return 1 / x;
}
double sign_of(double x) {
    return static_cast<double>((x > 0) - (x < 0));
}

template <double (*function)(double)>
Value mapped(Evaluator& evaluator, const Value& self, Args&, Span span) {
    return Value::tensor(tensor_map(evaluator, self.as_tensor(), function, span));
}
// Integers stay integers, of their own width.
struct Abs {
    template <class T>
    static T of(T x) {
        return scalar::AbsOp::apply(x);
    }
};
struct Negative {
    template <class T>
    static T of(T x) {
        return scalar::NegOp::apply(x);
    }
};
struct Relu {
    template <class T>
    static T of(T x) {
        return x > 0 ? x : 0;
    }
};
struct Sign {
    template <class T>
    static T of(T x) {
        return static_cast<T>((x > 0) - (x < 0));
    }
};
struct Square {
    template <class T>
    static T of(T x) {
        return scalar::MulOp::apply(x, x);
    }
};
struct Same {
    template <class T>
    static T of(T x) {
        return x;
    }
};
template <double (*function)(double), class OfIntegers>
Value mapped_any(Evaluator& evaluator, const Value& self, Args&, Span span) {
    const TensorRef& tensor = self.as_tensor();
    if (ir::is_float(tensor->dtype) || !tensor->has_data()) {
        TensorRef out = tensor_map(evaluator, tensor, function, span);
        out->dtype = tensor->dtype;
        return Value::tensor(out);
    }
    evaluator.charge_steps(static_cast<std::uint64_t>(tensor->count()) / 64, span);
    Integers values = read_integers(*tensor);
    for (std::int64_t& value : values)
        value = tensor->dtype == ir::DType::U64
                    ? static_cast<std::int64_t>(OfIntegers::of(static_cast<std::uint64_t>(value)))
                    : OfIntegers::of(value);
    return Value::tensor(from_integers(evaluator, tensor->shape, kind_of(*tensor), values, span));
}
template <double (*function)(double)>
Value mapped_in_place(Evaluator&, const Value& self, Args&, Span span) {
    const TensorRef& tensor = self.as_tensor();
    refuse_write_to_view(*tensor, span);
    if (tensor->has_data()) {
        Doubles values = read_doubles(*tensor);
        for (double& value : values)
            value = function(value);
        write_doubles(*tensor, values);
    }
    return self;
}

Value softmax(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    return Value::tensor(tensor_softmax(evaluator, self.as_tensor(), a.integer(0, a.integer(2, -1)), span));
}
Value clamp(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Arguments a(args, span, "clamp", {"min=", "max="});
    const TensorRef& tensor = self.as_tensor();
    double low = a.real(0, -INFINITY), high = a.real(1, INFINITY);
    TensorRef out = new_tensor(evaluator, tensor->shape, kind_of(*tensor), span);
    if (!tensor->has_data() || !out->has_data())
        return Value::tensor(without_data(out));
    bool has_float = (a.given(0) && a[0].is(ValueKind::Float)) || (a.given(1) && a[1].is(ValueKind::Float));
    if (!ir::is_float(tensor->dtype) && !has_float) {
        Integers values = read_integers(*tensor);
        for (std::int64_t& value : values) {
            if (a.has(0) && whole_of(value, tensor->dtype) < Whole{a[0].as_int()})
                value = a[0].as_int();
            if (a.has(1) && whole_of(value, tensor->dtype) > Whole{a[1].as_int()})
                value = a[1].as_int();
        }
        write_integers(*out, values);
        return Value::tensor(out);
    }
    Doubles values = read_doubles(*tensor);
    for (double& value : values)
        value = std::isnan(value) ? value : std::min(std::max(value, low), high);
    write_doubles(*out, values);
    return Value::tensor(out);
}

template <ast::BinaryOp op>
Value with(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Arguments a(args, span, ast::spelling(op), {"other"});
    return binary(evaluator, op, self, a[0], span, a.span(0));
}
template <ast::BinaryOp op>
Value with_in_place(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Arguments a(args, span, ast::spelling(op), {"other"});
    return binary(evaluator, op, self, a[0], span, a.span(0), true);
}
template <ast::CompareOp op>
Value compared(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Arguments a(args, span, ast::spelling(op), {"other"});
    return compare(evaluator, op, self, a[0], span, a.span(0));
}
Value matmul(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Arguments a(args, span, "matmul", {"other"});
    return binary(evaluator, ast::BinaryOp::MatMul, self, a[0], span, a.span(0));
}

// ---- reductions ---------------------------------------------------------------------------------------------------

template <Reduction what>
Value reduced(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Arguments a(args, span, "a reduction",
                {"dim=", "keepdim=", "*", "dims=", "axis=", "keep_dim=", "dtype=", "unbiased=", "p="});
    const Value* dims = a.given(0) ? a.find(0) : a.given(2) ? a.find(2) : a.find(3);
    std::vector<std::int64_t> list;
    bool by_dim = dims && !dims->is(ValueKind::None);
    if (by_dim && dims->is(ValueKind::Tensor)) { // torch.max(a, b)
        bool largest = what == Reduction::Max;
        Value choose = compare(evaluator, largest ? ast::CompareOp::Gt : ast::CompareOp::Lt, self, *dims, span, span);
        return tensor_where(evaluator, choose, self, *dims, span);
    }
    if (by_dim)
        list = dims->is(ValueKind::Int) ? std::vector<std::int64_t>{dims->as_int()}
                                        : shape_like(evaluator, *dims, a.span(0));
    bool keep = a.boolean(1, a.boolean(4, false));
    TensorRef source = self.as_tensor();
    if (a.has(5)) {
        TensorKind kind = kind_of(*source);
        kind.dtype = dtype_argument(a[5], a.span(5));
        source = converted(evaluator, source, kind, span);
    }
    TensorRef result = tensor_reduce(evaluator, source, what, list, keep, span);
    if ((what == Reduction::Max || what == Reduction::Min) && by_dim && source->is_torch &&
        dims->is(ValueKind::Int)) { // (values, indices)
        TensorRef indices = tensor_reduce(
            evaluator, source, what == Reduction::Max ? Reduction::ArgMax : Reduction::ArgMin, list, keep, span);
        return new_extension<ValuesAndIndices>(Value::tensor(result), Value::tensor(indices));
    }
    return Value::tensor(result);
}
Value standard_deviation(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Value variance = reduced<Reduction::Variance>(evaluator, self, args, span);
    return Value::tensor(tensor_map(evaluator, variance.as_tensor(), std::sqrt, span));
}

// ---- writing ------------------------------------------------------------------------------------------------------

Value fill(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    tensor_assign(evaluator, self, Value::ellipsis(), a[0], span);
    return self;
}
Value zero(Evaluator& evaluator, const Value& self, const Arguments&, Span span) {
    tensor_assign(evaluator, self, Value::ellipsis(), Value::integer(0), span);
    return self;
}
Value copy_from(Evaluator& evaluator, const Value& self, const Arguments& a, Span) {
    if (!a[0].is(ValueKind::Tensor))
        a.wrong_type(0, "a tensor");
    tensor_assign(evaluator, self, Value::ellipsis(), a[0], a.span(0));
    return self;
}
Value random_fill(Evaluator& evaluator, const Value& self, Span span, double low, double high, bool normal) {
    const TensorRef& tensor = self.as_tensor();
    refuse_write_to_view(*tensor, span);
    if (tensor->has_data()) {
        Doubles values(static_cast<std::size_t>(tensor->count()));
        Random& random = evaluator.impl().random;
        for (double& value : values)
            value = normal ? low + high * random.normal() : low + (high - low) * random.uniform();
        write_doubles(*tensor, values);
    }
    return self;
}
Value normal(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Arguments a(args, span, "normal_", {"mean=", "std="});
    return random_fill(evaluator, self, span, a.real(0, 0), a.real(1, 1), true);
}
Value uniform(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    return random_fill(evaluator, self, span, a.real(0, 0), a.real(1, 1), false);
}
Value masked_fill(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    if (!a[0].is(ValueKind::Tensor))
        a.wrong_type(0, "a tensor");
    Value scalar =
        Value::tensor(tensor_of_data(evaluator, a[1], self.as_tensor()->dtype, kind_of(*self.as_tensor()), span));
    return tensor_where(evaluator, a[0], scalar, self, span);
}

// An assert of this alone is a check of tensors like assert_close.
Value agree(Evaluator& evaluator, const Value& a, const Value& b, Tolerance tolerance, Span span) {
    const TensorRef x = a.as_tensor(), y = b.as_tensor();
    if (!x->has_data() || !y->has_data())
        return Value::unknown();
    bool is_close = difference_of(*x, *y, tolerance).empty();
    if (Engine* engine = evaluator.engine(); engine && !is_close)
        engine->differ({x, y, tolerance, span, {}});
    return Value::boolean(is_close);
}
Value all_close(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    if (!a[0].is(ValueKind::Tensor))
        a.wrong_type(0, "a tensor");
    const Tensor &x = *self.as_tensor(), &y = *a[0].as_tensor();
    if (x.shape != y.shape)
        fail(DiagId::ShapeMismatch, span, "allclose", shape_text(x.shape), shape_text(y.shape));
    return agree(evaluator, self, a[0], {a.real(1, 1e-5), a.real(2, 1e-8), a.boolean(3, false)}, span);
}
Value equal_all(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    if (!a[0].is(ValueKind::Tensor))
        a.wrong_type(0, "a tensor");
    if (self.as_tensor()->shape != a[0].as_tensor()->shape || self.as_tensor()->dtype != a[0].as_tensor()->dtype)
        return Value::boolean(false);
    return agree(evaluator, self, a[0], {}, span);
}
Value data_pointer(Evaluator&, const Value&, Args&, Span span) {
    fail(DiagId::RefusedFunction, span, "data_ptr", "pass the tensor itself");
}
Value signature(Evaluator&, const Value& self, Args&, Span) {
    return Value::str(tensor_signature(*self.as_tensor()));
}
template <bool value>
Value constant(Evaluator&, const Value&, Args&, Span) {
    return Value::boolean(value);
}

using ast::BinaryOp;
using ast::CompareOp;
constexpr MethodRow method_rows[] = {
    // sorted by name
    {"abs", mapped_any<std::fabs, Abs>},
    {"add", with<BinaryOp::Add>},
    {"add_", with_in_place<BinaryOp::Add>},
    {"all", reduced<Reduction::All>},
    {"allclose", {"other", "rtol=", "atol=", "equal_nan="}, all_close},
    {"any", reduced<Reduction::Any>},
    {"argmax", reduced<Reduction::ArgMax>},
    {"argmin", reduced<Reduction::ArgMin>},
    {"argsort", {"dim=", "descending=", "stable="}, selection::argsort},
    {"astype", as_type},
    {"bfloat16", to_dtype<DType::BF16>},
    {"bincount", {"weights=", "minlength="}, selection::bincount},
    {"bmm", matmul},
    {"bool", to_dtype<DType::Bool>},
    {"ceil", mapped_any<std::ceil, Same>},
    {"clamp", clamp},
    {"clip", clamp},
    {"clone", clone},
    {"contiguous", contiguous},
    {"copy", clone},
    {"copy_", {"src", "non_blocking="}, copy_from},
    {"cos", mapped<std::cos>},
    {"cpu", to_cpu},
    {"cuda", to_cuda},
    {"cumsum", {"dim", "*", "dtype="}, selection::cumsum},
    {"data_ptr", data_pointer},
    {"detach", itself},
    {"dim", dims_count},
    {"div", with<BinaryOp::Div>},
    {"div_", with_in_place<BinaryOp::Div>},
    {"double", to_dtype<DType::F64>},
    {"eq", compared<CompareOp::Eq>},
    {"equal", {"other"}, equal_all},
    {"erf", mapped<std::erf>},
    {"exp", mapped<std::exp>},
    {"expand", shapes::expand},
    {"fill_", {"value"}, fill},
    {"flatten", {"start_dim=", "end_dim="}, shapes::flatten},
    {"float", to_dtype<DType::F32>},
    {"floor", mapped_any<std::floor, Same>},
    {"gather", {"dim", "index", "*", "sparse_grad="}, selection::gather},
    {"ge", compared<CompareOp::Ge>},
    {"gelu", mapped<gelu_of>},
    {"gt", compared<CompareOp::Gt>},
    {"half", to_dtype<DType::F16>},
    {"int", to_dtype<DType::I32>},
    {"is_contiguous", constant<true>},
    {"is_floating_point",
     [](Evaluator&, const Value& self, Args&, Span) { return Value::boolean(ir::is_float(self.as_tensor()->dtype)); }},
    {"is_symbolic", constant<false>},
    {"item", item},
    {"le", compared<CompareOp::Le>},
    {"log", mapped<std::log>},
    {"log2", mapped<std::log2>},
    {"long", to_dtype<DType::I64>},
    {"lt", compared<CompareOp::Lt>},
    {"masked_fill", {"mask", "value"}, masked_fill},
    {"matmul", matmul},
    {"max", reduced<Reduction::Max>},
    {"mean", reduced<Reduction::Mean>},
    {"min", reduced<Reduction::Min>},
    {"mm", matmul},
    {"mul", with<BinaryOp::Mul>},
    {"mul_", with_in_place<BinaryOp::Mul>},
    {"ne", compared<CompareOp::Ne>},
    {"neg", mapped_any<negative_of, Negative>},
    {"norm", reduced<Reduction::Norm>},
    {"normal_", normal},
    {"numel", numel},
    {"numpy", numpy},
    {"permute", shapes::permute},
    {"pow", with<BinaryOp::Pow>},
    {"prod", reduced<Reduction::Product>},
    {"rearrange", {"plan"}, shapes::rearrange},
    {"reciprocal", mapped<reciprocal_of>},
    {"relu", mapped_any<relu_of, Relu>},
    {"relu_", mapped_in_place<relu_of>},
    {"requires_grad_", itself},
    {"reshape", shapes::reshape},
    {"round", mapped_any<std::nearbyint, Same>},
    {"rsqrt", mapped<rsqrt_of>},
    {"scatter", selection::scatter},
    {"scatter_", selection::scatter_in_place},
    {"scatter_add", selection::scatter_add},
    {"scatter_add_", selection::scatter_add_in_place},
    {"short", to_dtype<DType::I16>},
    {"sigmoid", mapped<sigmoid_of>},
    {"sign", mapped_any<sign_of, Sign>},
    {"signature", signature},
    {"silu", mapped<silu_of>},
    {"sin", mapped<std::sin>},
    {"size", {"dim="}, size},
    {"softmax", {"dim=", "dtype=", "axis="}, softmax},
    {"sort", {"dim=", "descending=", "stable="}, selection::sort},
    {"sqrt", mapped<std::sqrt>},
    {"square", mapped_any<square_of, Square>},
    {"squeeze", shapes::squeeze},
    {"std", standard_deviation},
    {"stride", {"dim="}, stride},
    {"sub", with<BinaryOp::Sub>},
    {"sub_", with_in_place<BinaryOp::Sub>},
    {"sum", reduced<Reduction::Sum>},
    {"t", {}, shapes::t},
    {"tanh", mapped<std::tanh>},
    {"to", to},
    {"tolist", {}, to_list},
    {"topk", {"k", "dim=", "largest=", "sorted="}, selection::topk},
    {"torch", torch},
    {"transpose", shapes::transpose},
    {"type", as_type},
    {"uniform_", {"from=", "to="}, uniform},
    {"unsqueeze", shapes::unsqueeze},
    {"var", reduced<Reduction::Variance>},
    {"view", shapes::view},
    {"zero_", {}, zero},
};

} // namespace

std::span<const MethodRow> tensor_methods() {
    return method_rows;
}

std::vector<std::int64_t> shape_like(Evaluator& evaluator, const Value& value, Span span) {
    std::vector<std::int64_t> out;
    for (const Value& item : evaluator.iterate(value, span)) {
        if (!item.is(ValueKind::Int))
            fail(DiagId::BadShape, span, cat("a dimension must be an int, not '", type_name(item), "'"));
        out.push_back(item.as_int());
    }
    return out;
}

} // namespace hidet::lang
