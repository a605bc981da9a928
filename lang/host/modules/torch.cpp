// SPDX-License-Identifier: Apache-2.0
// A small torch: plain C++ over our tensors, sums in double. It is the reference that kernels are checked against, so
// nothing of it ever goes through our compiler.
#include <cmath>

#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/creators.h"
#include "lang/host/modules/no_effect.h"
#include "lang/host/modules/torch_functions.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

// torch.exp(x, ...) is x.exp(...).
static void forward_to_method(HostModule& module, const char* function, const char* method) {
    module.function(function, [function, method](Evaluator& evaluator, Args& args, Span span) {
        Args rest = args;
        Value self;
        if (!rest.positional.empty()) {
            self = args.positional[0];
            rest = behind_first(args);
        } else if (!rest.keywords.empty() && rest.keywords[0].first == "input") {
            self = rest.keywords[0].second;
            rest.keywords.erase(rest.keywords.begin());
            if (!rest.keyword_spans.empty())
                rest.keyword_spans.erase(rest.keyword_spans.begin());
            if (!rest.keyword_name_spans.empty())
                rest.keyword_name_spans.erase(rest.keyword_name_spans.begin());
        } else {
            fail(DiagId::MissingArgument, span, function, "input");
        }
        if (self.is(ValueKind::Unknown))
            return self;
        if (!self.is(ValueKind::Tensor))
            fail(DiagId::WrongArgumentType, args.span_of(0, span), function, "a tensor", "input", type_name(self));
        return evaluator.call(evaluator.attribute(self, method, span), rest, span);
    });
}

// ---- functions of several tensors ---------------------------------------------------------------------------------

template <bool stack>
static Value concatenate(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, stack ? "stack" : "cat", {"tensors", "dim="});
    std::vector<TensorRef> parts;
    for (const Value& item : evaluator.iterate(a[0], a.span(0))) {
        if (item.is(ValueKind::Unknown))
            return item;
        if (!item.is(ValueKind::Tensor))
            a.wrong_type(0, "tensors");
        parts.push_back(item.as_tensor());
    }
    if (parts.empty())
        fail(DiagId::BadValue, a.span(0), "a list of tensors that is not empty is wanted");
    auto dim =
        static_cast<std::size_t>(checked_dim(a.integer(1, 0), parts[0]->shape.size() + (stack ? 1 : 0), a.span(1)));
    Shape shape = parts[0]->shape;
    if (stack)
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim), 0);
    if (shape.empty())
        fail(DiagId::BadShape, a.span(0), "tensors without dimensions cannot be concatenated");
    shape[dim] = 0;
    for (TensorRef& part : parts) {
        Shape own = part->shape;
        if (stack)
            own.insert(own.begin() + static_cast<std::ptrdiff_t>(dim), 1);
        Shape expected = shape, found = own;
        expected[dim] = 0;
        if (found.size() == expected.size())
            found[dim] = 0;
        if (found != expected)
            fail(DiagId::ShapeMismatch, a.span(0), stack ? "stack" : "cat", shape_text(parts[0]->shape),
                 shape_text(part->shape));
        if (__builtin_add_overflow(shape[dim], own[dim], &shape[dim]))
            fail(DiagId::BadShape, a.span(0), "the result has more elements than can be counted");
        part = view_of(part, own);
    }
    TensorRef out = new_tensor(evaluator, shape, kind_of(*parts[0]), span);
    std::int64_t at = 0;
    for (const TensorRef& part : parts) {
        Ref<SliceObject> slice(new SliceObject);
        slice->start = Value::integer(at);
        slice->stop = Value::integer(at += part->shape[dim]);
        std::vector<Value> index(dim, Value::object(ValueKind::Slice, Ref<SliceObject>(new SliceObject)));
        index.push_back(Value::object(ValueKind::Slice, slice));
        if (!part->has_data())
            out->storage = nullptr;
        tensor_assign(evaluator, Value::tensor(out), Value::tuple(std::move(index)), Value::tensor(part), span);
    }
    return Value::tensor(out);
}

static Value where(Evaluator& evaluator, const Arguments& a, Span span) {
    TensorKind kind = kind_of(*tensor_argument(a, 0));
    std::optional<ir::DType> dtype;
    for (std::size_t i : {1u, 2u})
        if (a[i].is(ValueKind::Tensor))
            dtype = a[i].as_tensor()->dtype;
    auto side = [&](std::size_t i) {
        return a[i].is(ValueKind::Tensor) ? a[i]
                                          : Value::tensor(tensor_of_data(evaluator, a[i], dtype, kind, a.span(i)));
    };
    return tensor_where(evaluator, a[0], side(1), side(2), span);
}

template <bool largest>
static Value elementwise(Evaluator& evaluator, const Arguments& a, Span span) {
    Value choose =
        compare(evaluator, largest ? ast::CompareOp::Ge : ast::CompareOp::Le, a[0], a[1], a.span(0), a.span(1));
    return tensor_where(evaluator, choose, a[0], a[1], span);
}

template <bool lower>
static Value triangle(Evaluator& evaluator, const Arguments& a, Span span) {
    TensorRef out = converted(evaluator, tensor_argument(a, 0), kind_of(*tensor_argument(a, 0)), span);
    if (out->shape.size() < 2)
        fail(DiagId::BadShape, a.span(0), "a tensor of at least two dimensions is wanted");
    if (!out->has_data())
        return Value::tensor(out);
    std::int64_t columns = out->shape.back(), rows = out->shape[out->shape.size() - 2], offset = a.integer(1, 0);
    const std::size_t size = element_bytes(*out, span);
    for (std::size_t i = 0, count = static_cast<std::size_t>(out->count()); i < count; ++i) {
        std::int64_t column = static_cast<std::int64_t>(i) % columns,
                     row = static_cast<std::int64_t>(i) / columns % rows;
        if (lower ? column > row + offset : column < row + offset)
            std::fill_n(out->data() + i * size, size, std::byte{0});
    }
    return Value::tensor(out);
}

// a @ w.T + bias
static Value linear(Evaluator& evaluator, const Arguments& a, Span span) {
    TensorRef weight = tensor_argument(a, 1);
    if (weight->shape.size() != 2)
        fail(DiagId::BadShape, a.span(1),
             cat("the weight must have two dimensions, not shape ", shape_text(weight->shape)));
    Value out = Value::tensor(
        tensor_matmul(evaluator, tensor_argument(a, 0), tensor_transpose(evaluator, weight, {1, 0}, span), span));
    return a.has(2) ? evaluator.binary(ast::BinaryOp::Add, out, a[2], span, a.span(2)) : out;
}

// addmm(c, a, b) = beta * c + alpha * a @ b
static Value add_matmul(Evaluator& evaluator, const Arguments& a, Span span) {
    Value product = Value::tensor(tensor_matmul(evaluator, tensor_argument(a, 1), tensor_argument(a, 2), span));
    auto scaled = [&](const Value& value, std::size_t i) {
        return a.given(i) ? evaluator.binary(ast::BinaryOp::Mul, value, a[i], span, span) : value;
    };
    return evaluator.binary(ast::BinaryOp::Add, scaled(a[0], 3), scaled(product, 4), span, span);
}

namespace {
// torch.cuda.Event and Stream: times are those of the host.
struct Event : NativeObject {
    std::string type_name() const override { return "Event"; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override {
        if (name != "record" && name != "synchronize" && name != "wait" && name != "elapsed_time" && name != "query")
            return nullptr;
        bool is_time = name == "elapsed_time";
        return boxed(Value::native(
            std::string(name), [is_time](Evaluator&, Args&, Span) { return is_time ? Value::unknown() : Value(); }));
    }
    std::vector<std::string> attributes() const override { return {"record", "synchronize", "elapsed_time"}; }
};
} // namespace

static void add_functions(HostModule& module) {
    for (const char* name :
         {"abs",     "argmax",      "argmin", "argsort", "bincount", "ceil",      "clamp",     "clone",
          "cos",     "cumsum",      "erf",    "exp",     "flatten",  "floor",     "gather",    "log",
          "log2",    "max",         "mean",   "min",     "norm",     "neg",       "permute",   "pow",
          "prod",    "reciprocal",  "relu",   "reshape", "round",    "rsqrt",     "scatter",   "scatter_add",
          "sigmoid", "sign",        "sin",    "softmax", "sort",     "sqrt",      "square",    "squeeze",
          "std",     "sum",         "t",      "tanh",    "topk",     "transpose", "unsqueeze", "var",
          "add",     "sub",         "mul",    "div",     "eq",       "ne",        "lt",        "le",
          "gt",      "ge",          "matmul", "mm",      "bmm",      "allclose",  "equal",     "all",
          "any",     "masked_fill", "numel",  "gelu",    "silu"})
        forward_to_method(module, name, name);
    module.function("cat", concatenate<false>);
    module.function("concat", concatenate<false>);
    module.function("stack", concatenate<true>);
    module.function("where", {"condition", "input", "other"}, where);
    module.function("maximum", {"input", "other"}, elementwise<true>);
    module.function("minimum", {"input", "other"}, elementwise<false>);
    module.function("tril", {"input", "diagonal="}, triangle<true>);
    module.function("triu", {"input", "diagonal="}, triangle<false>);
    module.function("addmm", {"input", "mat1", "mat2", "*", "beta=", "alpha="}, add_matmul);
    module.function("einsum", {"equation", "*operands"}, torch_einsum);
    for (const char* name : {"isnan", "isinf", "isfinite"})
        module.function(name, {"input"}, [name](Evaluator& evaluator, const Arguments& a, Span span) {
            double (*test)(double) =
                std::string_view(name) == "isnan"   ? +[](double x) { return std::isnan(x) ? 1.0 : 0.0; }
                : std::string_view(name) == "isinf" ? +[](double x) { return std::isinf(x) ? 1.0 : 0.0; }
                                                    : +[](double x) { return std::isfinite(x) ? 1.0 : 0.0; };
            TensorRef marks = tensor_map(evaluator, tensor_argument(a, 0), test, span);
            TensorKind kind = kind_of(*marks);
            kind.dtype = ir::DType::Bool;
            return Value::tensor(converted(evaluator, marks, kind, span));
        });
}

static void add_dtypes(HostModule& module) {
    static constexpr std::pair<const char*, ir::DType> names[] = {
        {"float32", ir::DType::F32},        {"float", ir::DType::F32},
        {"float64", ir::DType::F64},        {"double", ir::DType::F64},
        {"float16", ir::DType::F16},        {"half", ir::DType::F16},
        {"bfloat16", ir::DType::BF16},      {"int8", ir::DType::I8},
        {"int16", ir::DType::I16},          {"short", ir::DType::I16},
        {"int32", ir::DType::I32},          {"int", ir::DType::I32},
        {"int64", ir::DType::I64},          {"long", ir::DType::I64},
        {"uint8", ir::DType::U8},           {"uint16", ir::DType::U16},
        {"uint32", ir::DType::U32},         {"uint64", ir::DType::U64},
        {"bool", ir::DType::Bool},          {"float8_e4m3fn", ir::DType::F8E4M3},
        {"float8_e5m2", ir::DType::F8E5M2},
    };
    for (auto [name, dtype] : names)
        module.add(name, dtype_value(dtype, true));
}

void make_torch(Evaluator& evaluator, HostModule& module) {
    add_creators(module, true);
    add_functions(module);
    add_dtypes(module);
    module.add("Tensor", Value::object(ValueKind::Class, tensor_class(evaluator, true)));
    module.add("__version__", Value::str("2.0 (hidet studio)"));
    module.add("inf", Value::real(INFINITY));
    module.add("nan", Value::real(NAN));
    module.add("pi", Value::real(3.14159265358979323846));
    module.function("manual_seed", {"seed"}, [](Evaluator& evaluator, const Arguments& a, Span) {
        evaluator.impl().random.reseed(static_cast<std::uint64_t>(a.integer(0)));
        return Value();
    });
    module.function("device", {"type", "index="}, [](Evaluator&, const Arguments& a, Span) {
        return new_extension<DeviceValue>(device_argument(a[0], a.span(0)), true);
    });
    module.function("from_numpy", {"ndarray"}, [](Evaluator&, const Arguments& a, Span) {
        TensorRef same(new Tensor(*tensor_argument(a, 0)));
        same->is_torch = true;
        return Value::tensor(same);
    });
    module.function("is_tensor", [](Evaluator&, Args& args, Span span) {
        return Value::boolean(Arguments(args, span, "is_tensor", {"obj"})[0].is(ValueKind::Tensor));
    });
    for (const char* context : {"no_grad", "inference_mode", "enable_grad"})
        module.function(context, [](Evaluator&, Args& args, Span) {
            Value effect = new_extension<NoEffect>();
            return args.positional.size() == 1 && args.positional[0].is(ValueKind::Function) ? args.positional[0]
                                                                                             : effect;
        });
    for (const char* setting :
         {"set_printoptions", "set_default_device", "set_float32_matmul_precision", "set_grad_enabled"})
        module.function(setting, [](Evaluator&, Args&, Span) { return Value(); });
    module.refusal = [](std::string_view wanted) -> std::string {
        if (wanted == "compile")
            return "the torch.compile backend is not part of this program";
        if (wanted == "hub" || wanted == "load" || wanted == "save" || wanted == "jit" || wanted == "optim" ||
            wanted == "utils" || wanted == "distributed")
            return "this torch is a reference for kernels only";
        return "";
    };
}

void make_torch_cuda(Evaluator&, HostModule& module) {
    module.function("is_available", [](Evaluator&, Args&, Span) { return Value::boolean(true); });
    module.function("device_count", [](Evaluator&, Args&, Span) { return Value::integer(1); });
    module.function("current_device", [](Evaluator&, Args&, Span) { return Value::integer(0); });
    module.function("get_device_capability", [](Evaluator&, Args&, Span) {
        return Value::tuple({Value::integer(9), Value::integer(0)});
    });
    module.function("get_device_name", [](Evaluator&, Args&, Span) { return Value::str("emulated"); });
    for (const char* function : {"synchronize", "empty_cache", "set_device", "manual_seed", "manual_seed_all", "init"})
        module.function(function, [](Evaluator&, Args&, Span) { return Value(); });
    for (const char* type : {"Event", "Stream"})
        module.function(type, [](Evaluator&, Args&, Span) { return new_extension<Event>(); });
}

// Settings that may be assigned: torch.backends.cuda.matmul.allow_tf32 = True
void make_torch_backends(Evaluator&, HostModule& module) {
    module.add("allow_tf32", Value::boolean(false));
    if (module.name == "torch.backends.cudnn")
        module.add("benchmark", Value::boolean(false));
}

void make_torch_testing(Evaluator&, HostModule& module) {
    module.function("assert_close", assert_close);
    module.function("assert_allclose", assert_close);
}

void make_torch_nn_functional(Evaluator&, HostModule& module) {
    for (const char* function : {"relu", "softmax", "gelu", "silu", "sigmoid", "tanh"})
        forward_to_method(module, function, function);
    add_functional(module);
    module.function("linear", {"input", "weight", "bias="}, linear);
    module.function("log_softmax", {"input", "dim="}, [](Evaluator& evaluator, const Arguments& a, Span span) {
        return Value::tensor(tensor_map(
            evaluator, tensor_softmax(evaluator, tensor_argument(a, 0), a.integer(1, -1), span), std::log, span));
    });
    module.refusal = [](std::string_view wanted) {
        return std::string(wanted.starts_with("conv") || wanted.ends_with("pool2d") ? "write it with matmul and slices"
                                                                                    : "");
    };
}

void make_torch_nn(Evaluator& evaluator, HostModule& module) {
    Ref<ClassObject> type = evaluator.impl().new_class("Module", nullptr);
    type->table.set("__init__", Value::native("__init__", [](Evaluator&, Args&, Span) { return Value(); }));
    type->table.set("__call__", Value::native("__call__", [](Evaluator& evaluator, Args& args, Span span) {
                        const Value& self = self_argument(args, "__call__", 0, span);
                        Args rest = behind_first(args);
                        return evaluator.call(evaluator.attribute(self, "forward", span), rest, span);
                    }));
    for (const char* method : {"cuda", "cpu", "eval", "half", "float", "train", "to"})
        type->table.set(method, Value::native(method, [method](Evaluator&, Args& args, Span span) {
                            return self_argument(args, method, 0, span);
                        }));
    module.add("Module", Value::object(ValueKind::Class, type));
    module.function("Parameter", [](Evaluator&, Args& args, Span span) {
        return Arguments(args, span, "Parameter", {"data", "requires_grad="})[0];
    });
    module.refusal = [](std::string_view) {
        return std::string("this torch is a reference for kernels only: use torch.nn.functional");
    };
}

// What forward() of an autograd function gets first.
namespace {
class Context : public NativeObject {
public:
    std::string type_name() const override { return "FunctionCtx"; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override {
        if (name == "save_for_backward" || name == "mark_dirty" || name == "mark_non_differentiable" ||
            name == "set_materialize_grads")
            return boxed(
                Value::native(std::string(name), [self = Ref<Context>(this),
                                                  keep = name == "save_for_backward"](Evaluator&, Args& args, Span) {
                    if (keep)
                        self->m_fields.set("saved_tensors", Value::tuple(args.positional));
                    return Value();
                }));
        if (const Value* value = m_fields.find(name))
            return boxed(*value);
        return nullptr;
    }
    std::vector<std::string> attributes() const override {
        std::vector<std::string> names = m_fields.names();
        names.push_back("save_for_backward");
        return names;
    }
    bool set_attribute(Evaluator&, std::string_view name, const Value& value, Span) override {
        m_fields.set(name, value);
        return true;
    }
    void clear() override { m_fields.clear(); }

private:
    NameTable m_fields;
};
} // namespace

void make_torch_autograd(Evaluator& evaluator, HostModule& module) {
    Ref<ClassObject> type = evaluator.impl().new_class("Function", nullptr);
    Ref<MethodWrapper> apply(new MethodWrapper);
    apply->what = MethodWrapper::What::Class;
    apply->function = Value::native("apply", [](Evaluator& evaluator, Args& args, Span span) {
        Args call = args;
        Value forward = evaluator.attribute(args.positional.at(0), "forward", span);
        call.positional[0] = new_extension<Context>();
        return evaluator.call(forward, call, span);
    });
    type->table.set("apply", Value::extension(apply));
    module.add("Function", Value::object(ValueKind::Class, type));
}

} // namespace hidet::lang
