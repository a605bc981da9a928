// SPDX-License-Identifier: Apache-2.0
// hidet and its modules for tensors, devices and building; the language itself is hidet.lang, in lang/script.
#include <algorithm>
#include <span>

#include "compiler/ir/type.h"
#include "lang/host/arguments.h"
#include "lang/host/build_request.h"
#include "lang/host/compiled_module.h"
#include "lang/host/graph_language.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/benchmark.h"
#include "lang/host/modules/creators.h"
#include "lang/host/modules/integers.h"
#include "lang/host/modules/no_effect.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

static void refuse(HostModule& module, const char* function, const char* why) {
    module.function(function, [name = cat(module.name, ".", function), why](Evaluator&, Args&, Span span) -> Value {
        fail(DiagId::RefusedFunction, span, name, why);
    });
}

// Tensors of the other libraries are tensors of ours under another name.
static void add_from_others(HostModule& module) {
    for (auto [function, parameter] : {std::pair("from_torch", "torch_tensor"), std::pair("from_numpy", "nparray")})
        module.function(function, {parameter}, [function, parameter](Evaluator&, const Arguments& a, Span) {
            if (a[0].is(ValueKind::Unknown)) // of a file, which a preview does not read
                return a[0];
            if (!a[0].is(ValueKind::Tensor))
                a.wrong_type(0, "a tensor");
            TensorRef same(new Tensor(*a[0].as_tensor()));
            same->is_torch = false;
            return Value::tensor(same);
        });
}

static constexpr std::string_view from_lang[] = {"script", "script_module", "symbol_var", "data_type"};

void make_hidet(Evaluator& evaluator, HostModule& module) {
    add_creators(module, false);
    module.add("__version__", Value::str("0.6.0"));
    module.add("Tensor", Value::object(ValueKind::Class, tensor_class(evaluator, false)));
    add_from_others(module);
    module.function("load_compiled_module", load_compiled_module);
    module.function("capture", {"folder", "values=", "limit="},
                    [](Evaluator&, const Arguments&, Span) -> Value { return new_extension<NoEffect>(); });
    refuse(module, "from_dlpack", "only tensors of this program exist: use hidet.from_torch");
    if (GraphLanguage* graphs = evaluator.options().graphs.get())
        graphs->extend(evaluator, module);
    // The rest is the language: script, script_module, symbol_var, data types.
    module.resolve = [](Evaluator& evaluator, std::string_view attribute) -> std::unique_ptr<Value> {
        if (auto dtype = ir::find_dtype(attribute))
            return boxed(Value::type(ir::data_type(*dtype)));
        if (attribute == "boolean")
            return boxed(Value::type(ir::data_type(ir::DType::Bool)));
        for (std::string_view known : from_lang)
            if (attribute == known)
                for (const char* home : {"hidet.lang", "hidet.ir"})
                    if (auto value =
                            evaluator.impl().module_attribute(*evaluator.impl().import_module(home, {}), attribute, {}))
                        return boxed(*value);
        return nullptr;
    };
    module.resolve_all = [all = &module](Evaluator& evaluator) {
        for (const ir::DTypeInfo& dtype : ir::all_dtypes())
            for (std::string_view known : {dtype.name, dtype.short_name})
                evaluator.impl().module_attribute(*all, known, {});
        evaluator.impl().module_attribute(*all, "boolean", {});
        for (std::string_view known : from_lang)
            evaluator.impl().module_attribute(*all, known, {});
    };
    module.refusal = [](std::string_view wanted) {
        static constexpr std::string_view of_graphs[] = {
            "symbol",   "symbol_like",         "trace_from",          "graph",      "Operator",
            "template", "load_compiled_graph", "save_compiled_graph", "load_graph", "save_graph"};
        static constexpr std::string_view of_torch[] = {"torch", "apps"};
        const auto is_one_of = [wanted](std::span<const std::string_view> names) {
            return std::ranges::find(names, wanted) != names.end();
        };
        return std::string(is_one_of(of_graphs)  ? "whole models are not part of this evaluation"
                           : is_one_of(of_torch) ? "models come as ONNX files"
                                                 : "");
    };
}

// Operators that hidet's tensors have as methods, too: computed here when the tensors hold data. The graph layer adds the
// others, and takes symbolic tensors.
static void add_eager_operators(HostModule& module) {
    for (const char* function : {"matmul", "exp",  "relu",  "sqrt",      "tanh",    "sigmoid", "softmax",   "abs",
                                 "sum",    "mean", "max",   "min",       "gelu",    "silu",    "erf",       "log",
                                 "sin",    "cos",  "rsqrt", "transpose", "reshape", "squeeze", "unsqueeze", "flatten"})
        module.function(function, [function](Evaluator& evaluator, Args& args, Span span) {
            if (args.positional.empty() || !args.positional[0].is(ValueKind::Tensor))
                fail(DiagId::BadType, args.span_of(0, span), cat(function, "() wants a tensor"));
            Args rest = behind_first(args);
            return evaluator.call(evaluator.attribute(args.positional[0], function, span), rest, span);
        });
}

// Whole models: what the graph layer knows. Without it, operators on tensors that hold data.
void make_hidet_graph(Evaluator& evaluator, HostModule& module) {
    if (module.name == "hidet.ops" || module.name == "hidet.graph.ops")
        add_eager_operators(module);
    if (module.name == "hidet.graph.tensor" || module.name == "hidet.graph") {
        add_creators(module, false);
        module.add("Tensor", Value::object(ValueKind::Class, tensor_class(evaluator, false)));
        add_from_others(module);
    }
    if (GraphLanguage* graphs = evaluator.options().graphs.get())
        graphs->extend(evaluator, module);
    else
        module.refusal = [](std::string_view) { return std::string("whole models are not part of this evaluation"); };
}

// hidet.cuda.properties(): what CUDA calls them, as attributes.
class DeviceProperties : public NativeObject {
public:
    explicit DeviceProperties(DeviceFacts facts) : m_facts(std::move(facts)) {}
    std::string type_name() const override { return "hidet.cuda.DeviceProperties"; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override {
        if (name == "name")
            return boxed(Value::str(m_facts.name));
        if (name == "major" || name == "minor")
            return boxed(Value::integer(name == "major" ? m_facts.major : m_facts.minor));
        const auto found =
            std::ranges::find(m_facts.properties, name, [](const auto& row) { return std::string_view(row.first); });
        return found == m_facts.properties.end() ? nullptr : boxed(Value::integer(found->second));
    }
    std::vector<std::string> attributes() const override {
        std::vector<std::string> out{"name", "major", "minor"};
        for (const auto& [name, value] : m_facts.properties)
            out.emplace_back(name);
        return out;
    }

private:
    const DeviceFacts m_facts;
};

// Unknown in a preview, which asks no device.
static std::optional<DeviceFacts> facts_of_device(Evaluator& evaluator, Args& args, const char* function, Span span) {
    const Arguments a(args, span, function, {"device_id="});
    if (a.has(0)) {
        const bool is_first =
            a[0].is(ValueKind::Int) ? a[0].as_int() == 0 : device_argument(a[0], a.span(0)) == Device::Cuda;
        if (!is_first)
            fail(DiagId::BadValue, a.span(0), "one GPU is computed on, which is device 0");
    }
    Engine* engine = evaluator.in_preview() ? nullptr : evaluator.engine();
    return engine ? engine->device_facts() : std::nullopt;
}

void make_hidet_cuda(Evaluator&, HostModule& module) {
    module.function("available", [](Evaluator&, Args&, Span) { return Value::boolean(true); });
    module.function("device_count", [](Evaluator&, Args&, Span) { return Value::integer(1); });
    module.function("current_device", [](Evaluator&, Args&, Span) { return Value::integer(0); });
    for (const char* function : {"synchronize", "set_device"})
        module.function(function, [](Evaluator&, Args&, Span) { return Value(); });
    module.function("compute_capability", [](Evaluator& evaluator, Args& args, Span span) {
        const auto facts = facts_of_device(evaluator, args, "compute_capability", span);
        return Value::tuple({Value::integer(facts ? facts->major : 9), Value::integer(facts ? facts->minor : 0)});
    });
    module.function("properties", [](Evaluator& evaluator, Args& args, Span span) {
        auto facts = facts_of_device(evaluator, args, "properties", span);
        return facts ? new_extension<DeviceProperties>(std::move(*facts)) : Value::unknown();
    });
    refuse(module, "Stream", "kernels run one after the other");
    refuse(module, "Event", "use hidet.utils.benchmark_func");
}

void make_hidet_driver(Evaluator& evaluator, HostModule& module) {
    module.function("build_ir_module", {"ir_module", "output_dir=", "*", "target=", "output_kind=", "force="},
                    [](Evaluator& evaluator, const Arguments& a, Span span) {
                        if (a[0].is(ValueKind::Unknown))
                            return a[0];
                        const auto* source = a[0].extension<IrModuleValue>();
                        if (!source)
                            a.wrong_type(0, "an IR module");
                        const ir::ModuleRef module = source->module(span, evaluator);
                        if (!module)
                            return Value::unknown();
                        if (a.given(3) && a.str(3) != ".so")
                            without_effect(evaluator, a.span(3), "output_kind", "scripts write no files but packages");
                        if (a.boolean(4, false))
                            without_effect(evaluator, a.span(4), "force",
                                           "what was compiled once is not compiled again");
                        return build_module(evaluator, module, build_request(evaluator, *module, a, 1, 2), span);
                    });
    if (GraphLanguage* graphs = evaluator.options().graphs.get())
        graphs->extend(evaluator, module);
}

void make_hidet_runtime(Evaluator& evaluator, HostModule& module) {
    Ref<ClassObject> type = evaluator.impl().new_class("CompiledModule", nullptr);
    type->is_builtin = true;
    type->holds = [](const Value& value) { return value.extension<CompiledModule>() != nullptr; };
    type->construct = [](Evaluator&, Args&, Span span) -> Value {
        fail(DiagId::BadType, span, "a compiled module comes from build()");
    };
    module.add("CompiledModule", Value::object(ValueKind::Class, type));
    module.function("load_compiled_module", load_compiled_module);
    if (GraphLanguage* graphs = evaluator.options().graphs.get())
        graphs->extend(evaluator, module);
}

static Value ceiling_division(Evaluator& evaluator, const Arguments& a, Span span) {
    if (a[0].is(ValueKind::Expr) || a[1].is(ValueKind::Expr)) {
        const Value less_one = evaluator.binary(ast::BinaryOp::Sub, a[1], Value::integer(1), span, a.span(1));
        const Value above = evaluator.binary(ast::BinaryOp::Add, a[0], less_one, span, a.span(0));
        return evaluator.binary(ast::BinaryOp::FloorDiv, above, a[1], span, a.span(0));
    }
    const WideInteger divisor = a.integer(1);
    if (divisor == 0)
        fail(DiagId::DivisionByZero, span, "integer division or modulo");
    const WideInteger quotient = a.integer(0) / divisor, rest = a.integer(0) % divisor;
    return integer_of(quotient + (rest != 0 && (rest > 0) == (divisor > 0) ? 1 : 0), span);
}

static BoundFunction of_two_or_more(IntegerFold fold) {
    return [fold](Evaluator&, const Arguments& a, Span span) {
        std::vector<Value> integers{a[0], a[1]};
        integers.insert(integers.end(), a.rest().begin(), a.rest().end());
        return fold(integers, span);
    };
}

// All divisors, in order.
static Value factorize(Evaluator& evaluator, const Arguments& a, Span span) {
    std::vector<Value> low, high;
    for (std::int64_t i = 1, n = a.integer(0); i <= n / i; ++i) {
        evaluator.charge_steps(1, span);
        if (n % i != 0)
            continue;
        low.push_back(Value::integer(i));
        if (i * i != n)
            high.push_back(Value::integer(n / i));
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return evaluator.new_list(std::move(low));
}

static Value is_power_of_two(Evaluator&, const Arguments& a, Span) {
    return Value::boolean(a.integer(0) > 0 && (a.integer(0) & (a.integer(0) - 1)) == 0);
}

static Value unique(Evaluator& evaluator, const Arguments& a, Span) {
    Value seen = evaluator.impl().new_dict();
    std::vector<Value> out;
    for (const Value& item : evaluator.iterate(a[0], a.span(0))) {
        if (as_dict(seen).table.find(evaluator, item, a.span(0)))
            continue;
        as_dict(seen).table.set(evaluator, item, Value(), a.span(0));
        out.push_back(item);
    }
    return evaluator.new_list(std::move(out));
}

static Value same_list(Evaluator& evaluator, const Arguments& a, Span span) {
    const std::vector<Value> left = evaluator.iterate(a[0], a.span(0)), right = evaluator.iterate(a[1], a.span(1));
    bool same = left.size() == right.size();
    for (std::size_t i = 0; same && i < left.size(); ++i)
        same = same_key(evaluator, left[i], right[i], span);
    return Value::boolean(same);
}

static Value strict_zip(Evaluator& evaluator, const Arguments& a, Span span) {
    const std::vector<Value> left = evaluator.iterate(a[0], a.span(0)), right = evaluator.iterate(a[1], a.span(1));
    if (left.size() != right.size())
        fail(DiagId::BadValue, span, cat("strict_zip() got ", left.size(), " and ", right.size(), " items"));
    std::vector<Value> out;
    for (std::size_t i = 0; i < left.size(); ++i)
        out.push_back(Value::tuple({left[i], right[i]}));
    return evaluator.new_list(std::move(out));
}

void make_hidet_utils(Evaluator&, HostModule& module) {
    module.function("factorize", {"n"}, factorize);
    module.function("gcd", {"a", "b", "*args"}, of_two_or_more(common_divisor));
    module.function("is_power_of_two", {"n"}, is_power_of_two);
    module.function("lcm", {"a", "b", "*args"}, of_two_or_more(common_multiple));
    module.function("same_list", {"lhs", "rhs", "use_equal="}, same_list);
    module.function("strict_zip", {"a", "b"}, strict_zip);
    module.function("unique", {"seq"}, unique);
    module.function("assert_close", assert_close);
    module.function("benchmark_func", benchmark);
    module.function("prod", {"seq"}, [](Evaluator& evaluator, const Arguments& a, Span span) {
        Value result = Value::integer(1);
        for (const Value& item : evaluator.iterate(a[0], a.span(0)))
            result = evaluator.binary(ast::BinaryOp::Mul, result, item, span, a.span(0));
        return result;
    });
    module.function("cdiv", {"a", "b"}, ceiling_division);
    module.function("initialize", [](Evaluator&, Args&, Span) {
        return Value::native("initialize", {"function"}, [](Evaluator& evaluator, const Arguments& a, Span span) {
            return evaluator.call(a[0], {}, span);
        });
    });
}

void make_hidet_utils_benchmark(Evaluator&, HostModule& module) {
    module.function("benchmark_func", benchmark);
    module.function("do_bench", {"fn", "warmup=", "rep=", "percentiles="}, bench_for_a_while);
}

void make_hidet_capture_stdout(Evaluator&, HostModule& module) {
    refuse(module, "capture_stdout", "what kernels print goes to the terminal at once");
}

void make_hidet_testing(Evaluator&, HostModule& module) {
    module.function("assert_close", assert_close);
    module.function("benchmark_func", benchmark);
}

} // namespace hidet::lang
