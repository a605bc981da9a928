// SPDX-License-Identifier: Apache-2.0
// A small NumPy. Its arrays are hidet's tensors on the CPU, so they have the methods of those; what has no data type of its
// own is float64 or int64.
#include <cmath>

#include "lang/host/arguments.h"
#include "lang/host/boxed.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/creators.h"
#include "lang/host/modules/limits.h"
#include "lang/host/script_file.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/tensor/npy.h"

namespace hidet::lang {

namespace {

void add_keyword(Args& args, const char* name, Value value, Span span) {
    args.keywords.emplace_back(name, std::move(value));
    args.keyword_spans.resize(args.keywords.size(), span);
    args.keyword_name_spans.resize(args.keywords.size(), span);
}

bool has_keyword(const Args& args, std::string_view name) {
    return std::ranges::any_of(args.keywords, [name](const auto& keyword) { return keyword.first == name; });
}

// hidet's function of the same name, with NumPy's data type where none is given. `loose`: arguments in front of it.
NativeFunction creator(const char* name, std::size_t loose) {
    return [name, loose](Evaluator& evaluator, Args& args, Span span) {
        Args all = args;
        const bool has_fill = loose == 2 && args.positional.size() > 1;
        const bool is_whole = has_fill && args.positional[1].is(ValueKind::Int);
        if (!args.asks_signature && !has_keyword(args, "dtype") && args.positional.size() <= loose)
            add_keyword(all, "dtype", Value::type(ir::data_type(is_whole ? ir::DType::I64 : ir::DType::F64)), span);
        return evaluator.call(evaluator.attribute(evaluator.import("hidet", span), name, span), all, span);
    };
}

// A tensor as it is, numbers and nested lists of them as a new one.
TensorRef array_of(Evaluator& evaluator, const Value& data, std::optional<ir::DType> dtype, Span span) {
    want_known(data);
    TensorRef tensor = tensor_of_data(evaluator, data, dtype, {ir::DType::F64, Device::Cpu, false}, span);
    if (!dtype && !data.is(ValueKind::Tensor) && tensor->dtype == ir::DType::F32) // what lists become elsewhere
        tensor = tensor_of_data(evaluator, data, ir::DType::F64, {ir::DType::F64, Device::Cpu, false}, span);
    if (!tensor->is_torch)
        return tensor;
    TensorRef same(new Tensor(*tensor));
    same->is_torch = false;
    return same;
}

template <bool copies>
Value make_array(Evaluator& evaluator, const Arguments& a, Span span) {
    const std::optional<ir::DType> dtype = optional_dtype(a, 1);
    TensorRef tensor = array_of(evaluator, a[0], dtype, a.span(0));
    if (tensor->device != Device::Cpu)
        fail(DiagId::BadType, a.span(0), "an array is made from a tensor on the CPU: use .cpu()");
    const bool is_shared = a[0].is(ValueKind::Tensor) && tensor->storage == a[0].as_tensor()->storage;
    if (copies && is_shared && tensor->has_data())
        tensor = converted(evaluator, tensor, kind_of(*tensor), span);
    return Value::tensor(tensor);
}

// Unknown in preview, which reads no data file.
Value load(Evaluator& evaluator, const Arguments& a, Span) {
    const std::string path = path_in_folder(evaluator, a.str(0), a.span(0));
    if (evaluator.in_preview())
        return Value::unknown();
    Result<TensorRef> read = read_npy(path, {}, {.bytes = evaluator.options().max_bytes});
    if (!read)
        fail(DiagId::FileUnreadable, a.span(0), a.str(0), read.error().message);
    read.value()->is_torch = false;
    return Value::tensor(std::move(read).value());
}

Value numpy_arange(Evaluator& evaluator, Args& args, Span span) {
    Args all = args;
    const bool is_real =
        std::ranges::any_of(args.positional, [](const Value& value) { return value.is(ValueKind::Float); });
    if (is_real && !has_keyword(args, "dtype"))
        add_keyword(all, "dtype", Value::type(ir::data_type(ir::DType::F64)), span);
    return evaluator.call(evaluator.attribute(evaluator.import("hidet", span), "arange", span), all, span);
}

// np.exp(x, ...) is x.exp(...), and takes lists, too.
NativeFunction forwarded(const char* function, const char* method) {
    return [function, method](Evaluator& evaluator, Args& args, Span span) {
        if (args.asks_signature)
            Arguments(args, span, function, {"a", "*args", "**"});
        if (args.positional.empty())
            fail(DiagId::MissingArgument, span, function, "a");
        Args rest = behind_first(args);
        for (auto& keyword : rest.keywords)
            if (keyword.first == "keepdims")
                keyword.first = "keepdim";
        if (args.positional[0].is(ValueKind::Unknown))
            return args.positional[0];
        const Value array = Value::tensor(array_of(evaluator, args.positional[0], std::nullopt, args.span_of(0, span)));
        return evaluator.call(evaluator.attribute(array, method, span), rest, span);
    };
}

NativeFunction torch_function(const char* name) {
    return [name](Evaluator& evaluator, Args& args, Span span) {
        Args all = args;
        for (auto& keyword : all.keywords)
            if (keyword.first == "axis")
                keyword.first = "dim";
        return evaluator.call(evaluator.attribute(evaluator.import("torch", span), name, span), all, span);
    };
}

Value array_equal(Evaluator& evaluator, const Arguments& a, Span) {
    const TensorRef x = array_of(evaluator, a[0], std::nullopt, a.span(0));
    const TensorRef y = array_of(evaluator, a[1], std::nullopt, a.span(1));
    if (x->shape != y->shape)
        return Value::boolean(false);
    if (!x->has_data() || !y->has_data())
        return Value::unknown();
    return Value::boolean(difference_of(*x, *y, {0, 0, a.boolean(2, false)}).empty());
}

// What both sides are broadcast to; numbers stand for whole arrays.
TensorRef spread_to(Evaluator& evaluator, const TensorRef& tensor, const Shape& shape, Span span) {
    if (tensor->shape == shape || !tensor->has_data())
        return tensor;
    Doubles values = read_doubles(*tensor), all;
    for (std::int64_t i : broadcast_indices(tensor->shape, shape))
        all.push_back(values[static_cast<std::size_t>(i)]);
    return from_doubles(evaluator, shape, kind_of(*tensor), all, span);
}

Value assert_within(Evaluator& evaluator, const Arguments& a, const char* name, Tolerance tolerance, Span span) {
    if (a[0].is(ValueKind::Unknown) || a[1].is(ValueKind::Unknown))
        return {};
    TensorRef x = array_of(evaluator, a[0], std::nullopt, a.span(0));
    TensorRef y = array_of(evaluator, a[1], std::nullopt, a.span(1));
    const bool is_number = x->shape.empty() || y->shape.empty();
    if (x->shape != y->shape && !is_number)
        fail(DiagId::ShapeMismatch, span, name, shape_text(x->shape), shape_text(y->shape));
    if (!x->has_data() || !y->has_data())
        return {};
    const Shape shape = x->shape.empty() ? y->shape : x->shape;
    x = spread_to(evaluator, x, shape, span);
    y = spread_to(evaluator, y, shape, span);
    evaluator.charge_steps(static_cast<std::uint64_t>(x->count()) / 32, span);
    const std::string difference = difference_of(*x, *y, tolerance);
    if (difference.empty())
        return {};
    if (Engine* engine = evaluator.engine())
        engine->differ({x, y, tolerance, span, a.span(0)});
    fail(DiagId::TensorsDiffer, span, difference);
}

Value assert_allclose(Evaluator& evaluator, const Arguments& a, Span span) {
    return assert_within(evaluator, a, "assert_allclose", {a.real(2, 1e-7), a.real(3, 0), a.boolean(4, true)}, span);
}

NativeFunction assert_same(const char* name) {
    return [name](Evaluator& evaluator, Args& args, Span span) {
        Arguments a(args, span, name, {"actual", "desired", "err_msg=", "verbose="});
        return assert_within(evaluator, a, name, {0, 0, true}, span);
    };
}

// |actual - desired| < 1.5 * 10 ** -decimal
NativeFunction assert_almost(const char* name, std::int64_t digits) {
    return [name, digits](Evaluator& evaluator, Args& args, Span span) {
        Arguments a(args, span, name, {"actual", "desired", "decimal=", "err_msg=", "verbose="});
        const double bound = 1.5 * std::pow(10.0, -static_cast<double>(a.integer(2, digits)));
        return assert_within(evaluator, a, name, {0, bound, true}, span);
    };
}

void add_numpy_dtypes(HostModule& module) {
    for (const char* name :
         {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"})
        module.add(name, Value::type(ir::data_type(*ir::find_dtype(name))));
    module.add("bool_", Value::type(ir::data_type(ir::DType::Bool)));
}

} // namespace

void make_numpy(Evaluator& evaluator, HostModule& module) {
    add_numpy_dtypes(module);
    module.add("ndarray", Value::object(ValueKind::Class, tensor_class(evaluator, false)));
    module.add("inf", Value::real(INFINITY));
    module.add("nan", Value::real(NAN));
    module.add("pi", Value::real(3.14159265358979323846));
    module.add("newaxis", Value());
    module.function("array", {"object", "dtype=", "*", "copy="}, make_array<true>);
    module.function("asarray", {"object", "dtype=", "*", "copy="}, make_array<false>);
    for (const char* function : {"zeros", "ones", "empty"})
        module.function(function, creator(function, 1));
    module.function("full", creator("full", 2));
    module.function("eye", creator("eye", 2));
    module.function("linspace", creator("linspace", 3));
    module.function("arange", numpy_arange);
    module.function("load", {"file"}, load);
    for (const char* function : {"zeros_like", "ones_like", "empty_like", "full_like"})
        module.function(function, [function](Evaluator& inner, Args& args, Span span) {
            return inner.call(inner.attribute(inner.import("hidet", span), function, span), args, span);
        });
    for (const char* function :
         {"abs",   "all", "allclose", "any",    "argmax", "argmin", "ceil", "clip", "cos",       "exp",
          "floor", "log", "log2",     "matmul", "max",    "mean",   "min",  "prod", "reshape",   "round",
          "sign",  "sin", "sqrt",     "square", "std",    "sum",    "tanh", "var",  "transpose", "squeeze"})
        module.function(function, forwarded(function, function));
    module.function("dot", forwarded("dot", "matmul"));
    module.function("concatenate", torch_function("cat"));
    for (const char* function : {"stack", "where", "maximum", "minimum", "tril", "triu", "isnan", "isinf", "isfinite"})
        module.function(function, torch_function(function));
    module.function("array_equal", {"a1", "a2", "equal_nan="}, array_equal);
    module.function("finfo", float_limits);
    module.function("iinfo", integer_limits);
    module.refusal = [](std::string_view wanted) -> std::string {
        if (wanted == "save" || wanted == "savez" || wanted == "loadtxt" || wanted == "fromfile")
            return "this NumPy reads .npy files, and writes none";
        return "";
    };
}

void make_numpy_random(Evaluator&, HostModule& module) {
    module.function("seed", {"seed"}, [](Evaluator& evaluator, const Arguments& a, Span) {
        evaluator.impl().random.reseed(static_cast<std::uint64_t>(a.integer(0)));
        return Value();
    });
    // rand(2, 3): the shape as loose numbers
    for (const char* function : {"rand", "randn"})
        module.function(function, {"*shape"}, [function](Evaluator& evaluator, const Arguments& a, Span span) {
            Args all;
            all.positional.push_back(Value::tuple(a.rest()));
            all.spans.push_back(span);
            add_keyword(all, "dtype", Value::type(ir::data_type(ir::DType::F64)), span);
            return evaluator.call(evaluator.attribute(evaluator.import("hidet", span), function, span), all, span);
        });
    module.function("randint", [](Evaluator& evaluator, Args& args, Span span) {
        Arguments a(args, span, "randint", {"low", "high=", "size=", "dtype="});
        Args all = args;
        if (!a.given(3))
            add_keyword(all, "dtype", Value::type(ir::data_type(ir::DType::I64)), span);
        return evaluator.call(evaluator.attribute(evaluator.import("hidet", span), "randint", span), all, span);
    });
}

void make_numpy_testing(Evaluator&, HostModule& module) {
    module.function("assert_allclose", {"actual", "desired", "rtol=", "atol=", "equal_nan=", "err_msg=", "verbose="},
                    assert_allclose);
    for (const char* function : {"assert_equal", "assert_array_equal"})
        module.function(function, assert_same(function));
    module.function("assert_almost_equal", assert_almost("assert_almost_equal", 7));
    module.function("assert_array_almost_equal", assert_almost("assert_array_almost_equal", 6));
}

} // namespace hidet::lang
