// SPDX-License-Identifier: Apache-2.0
#include "lang/host/modules/creators.h"

#include <cmath>

#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

namespace {

struct Creation {
    Shape shape;
    Span shape_span;
    TensorKind kind;
    const Value* fill = nullptr; // full()
    double first = 0;            // mean, lowest
    double second = 1;           // deviation, highest
};

// torch's functions take the shape as one list or as loose numbers: f(2, 3) and f([2, 3]).
Creation creation(Evaluator& evaluator, const Args& args, Span span, std::string_view name, bool is_torch,
                  bool has_fill) {
    Creation out;
    out.kind.is_torch = is_torch;
    std::size_t next = 0;
    std::optional<Shape> shape;
    const auto& items = args.positional;
    if (!items.empty()) {
        out.shape_span = args.span_of(0, span);
        if (is_torch && items[0].is(ValueKind::Int) && !has_fill) {
            shape.emplace();
            while (next < items.size() && items[next].is(ValueKind::Int))
                out.shape_span = cover(out.shape_span, args.span_of(next, span)), ++next;
            shape = shape_argument(evaluator,
                                   Value::tuple({items.begin(), items.begin() + static_cast<std::ptrdiff_t>(next)}),
                                   out.shape_span);
        } else {
            shape = shape_argument(evaluator, items[next++], out.shape_span);
        }
    }
    if (has_fill && next < items.size())
        out.fill = &items[next++];
    std::size_t loose = 0;
    for (; next < items.size(); ++next, ++loose) { // dtype and device by position
        Span at = args.span_of(next, span);
        bool is_device = loose > 0 || (items[next].is(ValueKind::Str) && !ir::find_dtype(items[next].as_str()));
        if (loose > 1 || is_torch)
            fail(DiagId::TooManyArguments, at, name, cat(next, " positional arguments"), cat(items.size(), " were"));
        if (is_device)
            out.kind.device = device_argument(items[next], at);
        else
            out.kind.dtype = dtype_argument(items[next], at);
    }
    bool has_dtype = loose > 0;
    static const std::vector<std::string> known = {"shape",  "size",       "dtype",     "device", "fill_value",
                                                   "mean",   "stddev",     "low",       "high",   "requires_grad",
                                                   "layout", "pin_memory", "generator", "out"};
    for (std::size_t k = 0; k < args.keywords.size(); ++k) {
        const auto& [key, value] = args.keywords[k];
        Span at = k < args.keyword_spans.size() ? args.keyword_spans[k] : span;
        if (key == (is_torch ? "size" : "shape")) {
            shape = shape_argument(evaluator, value, at);
            out.shape_span = at;
        } else if (key == "dtype") {
            has_dtype = !value.is(ValueKind::None);
            if (has_dtype)
                out.kind.dtype = dtype_argument(value, at);
        } else if (key == "device") {
            out.kind.device = device_argument(value, at);
        } else if (key == "fill_value" && has_fill) {
            out.fill = &value;
        } else if ((key == "mean" || key == "stddev") && value.is_number()) {
            (key == "mean" ? out.first : out.second) = value.as_double();
        } else if (!is_torch ||
                   (key != "requires_grad" && key != "pin_memory" && key != "layout" && key != "generator")) {
            Span name_span = k < args.keyword_name_spans.size() ? args.keyword_name_spans[k] : at;
            throw DiagnosticError(
                Diagnostic::make(DiagId::UnknownKeyword, name_span, name, key).suggest(name_span, key, known));
        }
    }
    if (!shape && is_torch && !has_fill)
        shape = Shape{};
    if (!shape)
        fail(DiagId::MissingArgument, span, name, is_torch ? "size" : "shape");
    if (has_fill && !out.fill)
        fail(DiagId::MissingArgument, span, name, "fill_value");
    if (out.fill && !has_dtype && is_torch)
        out.kind.dtype = out.fill->is(ValueKind::Int)    ? ir::DType::I64
                         : out.fill->is(ValueKind::Bool) ? ir::DType::Bool
                                                         : ir::DType::F32;
    out.shape = *shape;
    return out;
}

void need_numbers(const TensorKind& kind, std::string_view name, Span span) {
    if (!holds_values(kind.dtype))
        fail(DiagId::BadType, span, cat(name, "() cannot make a tensor of ", ir::info(kind.dtype).name));
}

TensorRef filled(Evaluator& evaluator, const Shape& shape, TensorKind kind, const Value& value, Span span) {
    TensorRef tensor = new_tensor(evaluator, shape, kind, span);
    if (!tensor->has_data())
        return tensor;
    auto count = static_cast<std::size_t>(tensor->count());
    if (value.is(ValueKind::Float) || ir::is_float(kind.dtype))
        write_doubles(*tensor, Doubles(count, value.as_double()));
    else
        write_integers(*tensor, Integers(count, value.as_int()));
    return tensor;
}

template <class F>
TensorRef generated(Evaluator& evaluator, const Shape& shape, TensorKind kind, Span span, F&& next) {
    TensorRef tensor = new_tensor(evaluator, shape, kind, span);
    if (!tensor->has_data())
        return tensor;
    evaluator.charge_steps(static_cast<std::uint64_t>(tensor->count()) / 16, span);
    evaluator.impl().check_bytes(static_cast<std::uint64_t>(tensor->count()) * 8, span);
    Doubles values(static_cast<std::size_t>(tensor->count()));
    for (double& value : values)
        value = next();
    write_doubles(*tensor, values);
    return tensor;
}

enum class What : std::uint8_t { Empty, Zeros, Ones, Full, Randn, Rand };
const char* name_of(What what) {
    static constexpr const char* names[] = {"empty", "zeros", "ones", "full", "randn", "rand"};
    return names[static_cast<std::size_t>(what)];
}

TensorRef made(Evaluator& evaluator, What what, const Creation& c, Span span) {
    need_numbers(c.kind, name_of(what), span);
    Span at = c.shape_span.known() ? c.shape_span : span;
    Random& random = evaluator.impl().random;
    switch (what) {
    case What::Empty: {
        TensorRef tensor = new_tensor(evaluator, c.shape, c.kind, at);
        if (tensor->has_data()) {
            tensor->storage->uninitialised = true;
            tensor->storage->device_is_current(); // until the host writes something
        }
        return tensor;
    }
    case What::Zeros: return new_tensor(evaluator, c.shape, c.kind, at);
    case What::Ones: return filled(evaluator, c.shape, c.kind, Value::integer(1), at);
    case What::Full: {
        const Value& value = *c.fill;
        want_known(value);
        if (!value.is_number())
            fail(DiagId::WrongArgumentType, span, "full", "a number", "fill_value", type_name(value));
        return filled(evaluator, c.shape, c.kind, value, at);
    }
    case What::Randn:
        return generated(evaluator, c.shape, c.kind, at, [&] { return c.first + c.second * random.normal(); });
    case What::Rand: return generated(evaluator, c.shape, c.kind, at, [&] { return random.uniform(); });
    }
    return nullptr;
}

Value like(Evaluator& evaluator, What what, Args& args, Span span) {
    Arguments a(args, span, cat(name_of(what), "_like"),
                {"data", "fill_value=", "*", "dtype=", "device=", "shape=", "mean=", "stddev="});
    if (a[0].is(ValueKind::Unknown))
        return a[0];
    if (!a[0].is(ValueKind::Tensor))
        a.wrong_type(0, "a tensor");
    Creation c;
    c.kind = kind_of(*a[0].as_tensor());
    c.shape = a[0].as_tensor()->shape;
    c.fill = a.find(1);
    if (what == What::Full && !c.fill)
        fail(DiagId::MissingArgument, span, "full_like", "fill_value");
    take_kind(a, 2, c.kind);
    if (a.has(4))
        c.shape = shape_argument(evaluator, a[4], a.span(4));
    return Value::tensor(made(evaluator, what, c, span));
}

Value arange(Evaluator& evaluator, bool is_torch, const Arguments& a, Span span) {
    if (a.any_unknown())
        return Value::unknown();
    double start = a.given(1) ? a.real(0) : 0, stop = a.real(a.given(1) ? 1 : 0), step = a.real(2, 1);
    if (step == 0)
        fail(DiagId::BadValue, a.span(2), "arange() step must not be zero");
    bool whole = true;
    for (std::size_t i = 0; i < 3; ++i)
        whole = whole && (!a.given(i) || !a[i].is(ValueKind::Float));
    TensorKind kind{whole ? ir::DType::I64 : ir::DType::F32, Device::Cpu, is_torch};
    take_kind(a, 3, kind);
    need_numbers(kind, "arange", span);
    double count = std::max(0.0, std::ceil((stop - start) / step));
    if (count > 1e12)
        fail(DiagId::BadShape, span, "arange() would have too many elements");
    double at = -1;
    return Value::tensor(
        generated(evaluator, {static_cast<std::int64_t>(count)}, kind, span, [&] { return start + step * ++at; }));
}

Value linspace(Evaluator& evaluator, bool is_torch, const Arguments& a, Span span) {
    if (a.any_unknown())
        return Value::unknown();
    TensorKind kind{ir::DType::F32, Device::Cpu, is_torch};
    take_kind(a, 3, kind);
    need_numbers(kind, "linspace", span);
    std::int64_t count = a.integer(2), i = 0;
    double start = a.real(0), stop = a.real(1);
    return Value::tensor(generated(evaluator, {count}, kind, span, [&] {
        double t = count > 1 ? static_cast<double>(i++) / static_cast<double>(count - 1) : 0;
        return start + (stop - start) * t;
    }));
}

// randint(high, size), randint(low, high, size)
Value randint(Evaluator& evaluator, bool is_torch, const Arguments& a, Span span) {
    if (a.any_unknown())
        return Value::unknown();
    bool two = a.given(1) && !a[1].is(ValueKind::Int) && !a[1].is(ValueKind::None); // (high, size)
    const Value* size = two ? a.find(1) : a.given(2) ? a.find(2) : a.find(3);
    bool has_low = !two && a.has(1);
    std::int64_t low = has_low ? a.integer(0) : 0, high = has_low ? a.integer(1) : a.integer(0);
    if (!size)
        fail(DiagId::MissingArgument, span, "randint", is_torch ? "size" : "shape");
    if (high <= low)
        fail(DiagId::BadValue, span, cat("randint() wants a range that is not empty, not [", low, ", ", high, ")"));
    TensorKind kind{is_torch ? ir::DType::I64 : ir::DType::I32, Device::Cpu, is_torch};
    take_kind(a, 4, kind);
    need_numbers(kind, "randint", span);
    auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    TensorRef tensor = new_tensor(evaluator, shape_argument(evaluator, *size, span), kind, span);
    if (!tensor->has_data())
        return Value::tensor(tensor);
    Integers values(static_cast<std::size_t>(tensor->count()));
    for (std::int64_t& value : values)
        value = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + evaluator.impl().random.next() % width);
    write_integers(*tensor, values);
    return Value::tensor(tensor);
}

Value from_data(Evaluator& evaluator, Args& args, Span span, bool is_torch) {
    Arguments a(args, span, is_torch ? "tensor" : "asarray",
                {"data", "*", "dtype=", "device=", "requires_grad=", "copy="});
    TensorKind kind{ir::DType::F32, Device::Cpu, is_torch};
    const std::optional<ir::DType> dtype = optional_dtype(a, 1);
    if (a[0].is(ValueKind::Tensor))
        kind.device = a[0].as_tensor()->device;
    if (a.has(2))
        kind.device = device_argument(a[2], a.span(2));
    if (a[0].is(ValueKind::Unknown))
        return a[0];
    TensorRef tensor = tensor_of_data(evaluator, a[0], dtype, kind, a.span(0));
    if (tensor->is_torch != is_torch) {
        tensor = TensorRef(new Tensor(*tensor));
        tensor->is_torch = is_torch;
    }
    return Value::tensor(tensor);
}

Value eye(Evaluator& evaluator, bool is_torch, const Arguments& a, Span span) {
    TensorKind kind{ir::DType::F32, Device::Cpu, is_torch};
    take_kind(a, 2, kind);
    std::int64_t rows = a.integer(0), columns = a.integer(1, rows), i = 0;
    return Value::tensor(generated(evaluator, {rows, columns}, kind, span, [&] {
        bool diagonal = i / columns == i % columns;
        ++i;
        return diagonal ? 1.0 : 0.0;
    }));
}

// Of hidet's tensors, or torch's.
constexpr NativeRow<Evaluator&, bool> creators[] = {
    {"arange", {"start", "end=", "step=", "*", "dtype=", "device="}, arange},
    {"eye", {"n", "m=", "*", "dtype=", "device="}, eye},
    {"linspace", {"start", "stop", "num", "*", "dtype=", "device="}, linspace},
    {"randint", {"low", "high=", "size=", "*", "shape=", "dtype=", "device=", "generator="}, randint},
};

} // namespace

void add_creators(HostModule& module, bool is_torch) {
    for (What what : {What::Empty, What::Zeros, What::Ones, What::Full, What::Randn, What::Rand}) {
        module.function(name_of(what), [what, is_torch](Evaluator& evaluator, Args& args, Span span) {
            return Value::tensor(made(
                evaluator, what, creation(evaluator, args, span, name_of(what), is_torch, what == What::Full), span));
        });
        module.function(cat(name_of(what), "_like"), [what](Evaluator& evaluator, Args& args, Span span) {
            return like(evaluator, what, args, span);
        });
    }
    for (const auto& row : creators)
        module.function(row.name, [&row, is_torch](Evaluator& evaluator, Args& args, Span span) {
            return row(evaluator, is_torch, args, span);
        });
    module.function(is_torch ? "tensor" : "asarray",
                    [is_torch](Evaluator& e, Args& a, Span s) { return from_data(e, a, s, is_torch); });
    if (is_torch)
        for (const char* name : {"as_tensor", "asarray"})
            module.function(name, [](Evaluator& e, Args& a, Span s) { return from_data(e, a, s, true); });
}

Value assert_close(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "assert_close",
                {"actual", "expected", "*",
                 "rtol=", "atol=", "equal_nan=", "check_device=", "check_dtype=", "check_stride=", "msg="});
    if (a[0].is(ValueKind::Unknown) || a[1].is(ValueKind::Unknown))
        return Value();
    auto tensor = [&](std::size_t i) {
        return tensor_of_data(evaluator, a[i], std::nullopt, {ir::DType::F32, Device::Cpu, true}, a.span(i));
    };
    TensorRef x = tensor(0), y = tensor(1);
    if (x->shape != y->shape)
        fail(DiagId::ShapeMismatch, span, "assert_close", shape_text(x->shape), shape_text(y->shape));
    bool strict = x->is_torch && y->is_torch && a[0].is(ValueKind::Tensor) && a[1].is(ValueKind::Tensor);
    if (strict && a.boolean(6, true) && x->dtype != y->dtype)
        fail(DiagId::DTypeMismatch, span, "assert_close", ir::info(x->dtype).name, ir::info(y->dtype).name);
    if (strict && a.boolean(5, true) && x->device != y->device)
        fail(DiagId::DeviceMismatch, span, "assert_close", device_name(x->device), device_name(y->device));
    if (!x->has_data() || !y->has_data())
        return Value();
    Tolerance tolerance = default_tolerance(x->dtype, y->dtype);
    tolerance.relative = a.real(2, tolerance.relative);
    tolerance.absolute = a.real(3, tolerance.absolute);
    tolerance.equal_nan = a.boolean(4, false);
    evaluator.charge_steps(static_cast<std::uint64_t>(x->count()) / 32, span);
    std::string difference = difference_of(*x, *y, tolerance);
    if (difference.empty())
        return Value();
    if (Engine* engine = evaluator.engine())
        engine->differ({x, y, tolerance, span, a.span(0)});
    if (a.given(8) && a[8].is(ValueKind::Str))
        difference = a.str(8) + ": " + difference;
    fail(DiagId::TensorsDiffer, span, difference);
}

} // namespace hidet::lang
