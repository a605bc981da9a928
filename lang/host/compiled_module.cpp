// SPDX-License-Identifier: Apache-2.0
#include "lang/host/compiled_module.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/ir/packing.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/benchmark.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

namespace {

// What an engine found becomes what the evaluation found; after a failure its last one ends the statement, as any error.
void hand_on(Evaluator& evaluator, DiagnosticSink& sink, bool failed) {
    std::vector<Diagnostic> found = sink.take();
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (failed && i + 1 == found.size())
            throw DiagnosticError(std::move(found[i]));
        evaluator.sink().report(std::move(found[i]));
    }
}

Ref<BuiltModule> build_with(Evaluator& evaluator, Engine& engine, const ir::ModuleRef& module, Span site) {
    DiagnosticSink sink;
    Ref<BuiltModule> built = engine.build(module, site, sink);
    hand_on(evaluator, sink, sink.has_errors() || !built);
    return built;
}

void record_call(Evaluator& evaluator, const ir::ModuleRef& module, const std::string& function,
                 const std::vector<CallArgument>& args, Span site) {
    std::vector<RecordedCall>& calls = evaluator.result().calls;
    bool known = std::ranges::any_of(
        calls, [&](const RecordedCall& call) { return call.module == module && call.function == function; });
    if (!known)
        calls.push_back({module, function, args, site});
}

ir::ModuleRef with_options(const ir::ModuleRef& module, const ir::ModuleOptions& options) {
    std::string text = ir::text_of(options);
    if (text == module->options)
        return module;
    ir::Module asked = *module;
    asked.options = std::move(text);
    return ir::make<ir::Module>(std::move(asked));
}

} // namespace

Value build_module(Evaluator& evaluator, const ir::ModuleRef& plain, const ir::ModuleOptions& options, Span site) {
    const ir::ModuleRef module = with_options(plain, options);
    std::uint64_t nodes = 0;
    for (const ir::FunctionRef& function : module->functions)
        nodes += function->body ? function->body->size : 0;
    if (evaluator.in_preview())
        evaluator.charge_steps(cost::module + cost::module_node * nodes, site);
    evaluator.result().modules.push_back({module, site});
    Ref<BuiltModule> built;
    if (Engine* engine = evaluator.engine(); engine && !evaluator.in_preview()) {
        built = build_with(evaluator, *engine, module, site);
        if (!built)
            return Value::unknown();
    }
    return new_extension<CompiledModule>(module, built, site);
}

namespace {

// module['f']: a function of the module.
class CompiledFunction : public NativeObject {
public:
    CompiledFunction(Ref<CompiledModule> module, std::string name)
        : m_module(std::move(module)), m_name(std::move(name)) {}
    std::string type_name() const override { return "CompiledFunction"; }
    std::unique_ptr<Value> call(Evaluator& evaluator, Args& args, Span span) override {
        return boxed(m_module->call_function(evaluator, m_name, args, span));
    }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override {
        return name == "name" || name == "__name__" ? boxed(Value::str(m_name)) : nullptr;
    }
    std::vector<std::string> attributes() const override { return {"name"}; }
    const CompiledModule& module() const { return *m_module; }

private:
    Ref<CompiledModule> m_module;
    std::string m_name;
};

std::string plural(std::size_t count) {
    return cat(count, count == 1 ? " was" : " were");
}

// Checks arguments against parameters; dimensions that are symbols or parameters must agree with each other.
class Checker {
public:
    Checker(Evaluator& evaluator, const ir::Function& function, Args& args, Span span)
        : m_evaluator(evaluator), m_function(function), m_args(args), m_span(span) {}

    std::vector<CallArgument> run() {
        if (m_args.positional.size() != m_function.params.size())
            fail(DiagId::ArgumentCount, m_span, m_function.name, m_function.params.size(),
                 plural(m_args.positional.size()));
        std::vector<CallArgument> out;
        for (std::size_t i = 0; i < m_function.params.size(); ++i) {
            m_index = i;
            out.push_back(
                {scalar_or_tensor(m_args.positional[i], *m_function.params[i]), m_function.params[i]->name, at()});
        }
        for (std::size_t i = 0; i < m_function.params.size(); ++i) {
            m_index = i;
            if (m_args.positional[i].is(ValueKind::Tensor))
                check_shape(*m_args.positional[i].as_tensor(), m_function.params[i]->type);
        }
        return out;
    }

private:
    using Argument = std::variant<std::int64_t, double, TensorRef, std::string>;

    Span at() const { return m_args.span_of(m_index, m_span); }
    const std::string& parameter() const { return m_function.params[m_index]->name; }
    [[noreturn]] void wrong_kind(std::string_view wanted, const Value& value) {
        fail(DiagId::ArgumentKind, at(), parameter(), m_function.name, wanted, type_name(value));
    }

    Argument scalar_or_tensor(const Value& value, const ir::Var& param) {
        if (value.is(ValueKind::Unknown))
            return std::int64_t{0};
        if (auto dtype = ir::scalar_of(param.type))
            return scalar(value, *dtype, param);
        if (ir::as<ir::StringType>(param.type)) {
            if (!value.is(ValueKind::Str))
                wrong_kind("a str", value);
            return value.as_str();
        }
        if (value.is(ValueKind::None) && !ir::tensor_of(param.type))
            return TensorRef();
        if (!value.is(ValueKind::Tensor))
            wrong_kind(ir::tensor_of(param.type) ? "a tensor" : "a tensor (or None)", value);
        const Tensor& tensor = *value.as_tensor();
        check_dtype(tensor, param.type);
        check_device(tensor);
        if (tensor.is_strided_view)
            fail(DiagId::ArgumentKind, at(), parameter(), m_function.name, "contiguous: use .contiguous()",
                 "a strided view");
        return value.as_tensor();
    }

    Argument scalar(const Value& given, ir::DType dtype, const ir::Var& param) {
        Value value = given;
        if (value.is(ValueKind::Tensor) && value.as_tensor()->count() == 1 && value.as_tensor()->shape.empty())
            value = m_evaluator.call_method(value, "item", at());
        if (value.is(ValueKind::Unknown))
            return std::int64_t{0};
        if (value.is(ValueKind::Expr))
            if (auto number = ir::constant_number(value.as_expr()))
                value = ir::is_float(dtype) ? Value::real(*number) : Value::integer(static_cast<std::int64_t>(*number));
        const char* name = ir::info(dtype).name;
        if (!value.is_number())
            wrong_kind(cat("a number (", name, ")"), value);
        if (ir::is_float(dtype))
            return value.as_double();
        if (value.is(ValueKind::Float)) {
            if (value.as_double() != std::floor(value.as_double()))
                wrong_kind(cat("an integer (", name, ")"), value);
            value = Value::integer(static_cast<std::int64_t>(value.as_double()));
        }
        if (ir::is_integer(dtype)) {
            ir::IntegerRange range = ir::integer_range(dtype);
            std::int64_t number = value.as_int();
            if (number < range.lowest || (number > 0 && static_cast<std::uint64_t>(number) > range.highest))
                fail(DiagId::ArgumentRange, at(), parameter(), m_function.name, number, name);
        }
        m_scalars.emplace(&param, value.as_int());
        return value.as_int();
    }

    void check_dtype(const Tensor& tensor, const ir::TypeRef& type) {
        ir::TypeRef element = ir::element_of(type);
        if (const auto* shaped = ir::tensor_of(type))
            element = shaped->element;
        auto dtype = element ? ir::scalar_of(element) : std::nullopt;
        if (dtype && is_made_of(*dtype, tensor.dtype))
            return;
        const bool is_pointer = !ir::tensor_of(type); // to memory, of which the tensor is one
        if (dtype && *dtype == ir::DType::TF32 && tensor.dtype == ir::DType::F32) // of which it is the upper bits
            return;
        const bool is_byte_pointer = is_pointer && dtype == ir::DType::U8;
        const bool is_word = is_pointer && dtype && ir::is_integer(*dtype) && ir::is_integer(tensor.dtype) &&
                             ir::info(*dtype).bits == ir::info(tensor.dtype).bits; // with or without a sign
        if (dtype && *dtype != tensor.dtype && !is_byte_pointer && !is_word)
            fail(DiagId::ArgumentDType, at(), parameter(), m_function.name, ir::info(*dtype).name,
                 ir::info(tensor.dtype).name);
    }

    // Whether elements may come as the lanes of vectors, the parts of complex numbers, or the units that they are packed in.
    static bool is_made_of(ir::DType element, ir::DType given) {
        return (ir::has_lanes(element) && ir::info(element).lane == given) ||
               (ir::is_subbyte(element) && ir::info(element).storage == given);
    }
    // The shape in elements of the parameter; nothing where it cannot be told. A row of lanes or of units is that much longer
    // or shorter, and complex numbers have a last dimension of two, as torch.view_as_real() gives them.
    static std::optional<Shape> shape_in_elements(const Tensor& tensor, ir::DType element) {
        Shape shape = tensor.shape;
        if (!is_made_of(element, tensor.dtype))
            return shape;
        if (shape.empty())
            return std::nullopt;
        const std::int64_t lanes = ir::lanes_of(element);
        if (ir::is_subbyte(element)) {
            shape.back() *= ir::packing_of(element).per_unit;
        } else if (ir::is_complex(element)) {
            if (shape.back() != lanes)
                return std::nullopt;
            shape.pop_back();
        } else {
            if (shape.back() % lanes != 0)
                return std::nullopt;
            shape.back() /= lanes;
        }
        return shape;
    }

    // Kernels read memory of their own device, and those of a GPU hidet's tensors on the CPU, too. Launch functions hand on
    // what they get, so only kernels can tell.
    void check_device(const Tensor& tensor) {
        bool gpu = ir::runs_on_gpu(m_function.func_kind);
        bool cpu = m_function.func_kind == ir::FuncKind::CpuKernel || m_function.func_kind == ir::FuncKind::CpuInternal;
        Device wanted = gpu ? Device::Cuda : Device::Cpu;
        const bool is_mapped = gpu && !tensor.is_torch;
        if ((gpu || cpu) && tensor.device != wanted && !is_mapped)
            fail(DiagId::ArgumentDevice, at(), parameter(), m_function.name, wanted == Device::Cuda ? "cuda" : "cpu",
                 device_name(tensor.device));
    }

    std::string wanted_shape(const ir::TensorType& type) {
        std::string out = "(";
        for (std::size_t d = 0; d < type.shape.size(); ++d)
            out += (d > 0 ? ", " : "") + dimension_text(type.shape[d]);
        return out + (type.shape.size() == 1 ? ",)" : ")");
    }
    static std::string dimension_text(const ir::ExprRef& dim) {
        if (auto known = ir::constant_int(dim))
            return std::to_string(*known);
        if (const auto* symbol = ir::as<ir::SymbolVar>(dim))
            return symbol->name;
        if (const auto* var = ir::as<ir::Var>(dim))
            return var->name;
        return "?";
    }

    void check_shape(const Tensor& tensor, const ir::TypeRef& type) {
        const ir::TensorType* shaped = ir::tensor_of(type);
        if (!shaped)
            return;
        auto mismatch = [&] {
            fail(DiagId::ArgumentShape, at(), parameter(), m_function.name, wanted_shape(*shaped),
                 shape_text(tensor.shape));
        };
        const auto dtype = ir::scalar_of(shaped->element);
        const std::optional<Shape> given = dtype ? shape_in_elements(tensor, *dtype) : tensor.shape;
        if (!given || shaped->shape.size() != given->size())
            mismatch();
        for (std::size_t d = 0; d < given->size(); ++d) {
            const ir::ExprRef& dim = shaped->shape[d];
            const std::int64_t extent = (*given)[d];
            if (auto known = ir::constant_int(dim)) {
                if (*known != extent)
                    mismatch();
            } else if (const auto* symbol = ir::as<ir::SymbolVar>(dim)) {
                auto [first, fresh] = m_symbols.emplace(symbol->name, std::pair(extent, parameter()));
                if (!fresh && first->second.first != extent)
                    fail(DiagId::SymbolConflict, at(), parameter(), m_function.name, symbol->name, extent,
                         first->second.first, first->second.second);
            } else if (const auto* var = ir::as<ir::Var>(dim)) {
                auto given = m_scalars.find(var);
                if (given != m_scalars.end() && given->second != extent)
                    fail(DiagId::SymbolConflict, at(), parameter(), m_function.name, var->name, extent, given->second,
                         var->name);
            }
        }
    }

    Evaluator& m_evaluator;
    const ir::Function& m_function;
    Args& m_args;
    Span m_span;
    std::size_t m_index = 0;
    std::map<std::string, std::pair<std::int64_t, std::string>> m_symbols;
    std::map<const ir::Var*, std::int64_t> m_scalars;
};

std::vector<std::string> function_names(const ir::Module& module) {
    std::vector<std::string> names;
    for (const ir::FunctionRef& function : module.functions)
        if (function->func_kind == ir::FuncKind::Public || function->func_kind == ir::FuncKind::CudaKernel ||
            function->func_kind == ir::FuncKind::CpuKernel)
            names.push_back(function->name);
    names.push_back("launch"); // written by the script or generated
    return names;
}

// The function that is meant: by name, or for `launch` the only kernel where the script wrote none.
const ir::Function* target_of(const ir::Module& module, const std::string& name) {
    if (const ir::Function* function = ir::find_function(module, name))
        return function;
    if (name != "launch")
        return nullptr;
    const ir::Function* kernel = nullptr;
    for (const ir::FunctionRef& function : module.functions) {
        if (function->func_kind != ir::FuncKind::CudaKernel && function->func_kind != ir::FuncKind::CpuKernel)
            continue;
        if (kernel)
            return nullptr;
        kernel = function.get();
    }
    return kernel;
}

} // namespace

Value CompiledModule::call_function(Evaluator& evaluator, const std::string& function, Args& args, Span span) {
    const ir::Function* target = target_of(*m_module, function);
    if (!target)
        throw DiagnosticError(
            Diagnostic::make(DiagId::UnknownFunction, span, function).suggest({}, function, function_names(*m_module)));
    if (!args.keywords.empty())
        fail(DiagId::ArgumentByName, args.keyword_name_spans.empty() ? span : args.keyword_name_spans[0], target->name,
             args.keywords[0].first);
    bool unknown =
        std::ranges::any_of(args.positional, [](const Value& value) { return value.is(ValueKind::Unknown); });
    std::vector<CallArgument> arguments = Checker(evaluator, *target, args, span).run();
    bool is_void = !target->ret || ir::as<ir::VoidType>(target->ret);
    // The host launches a kernel through the function that is made for that.
    bool is_kernel = target->func_kind == ir::FuncKind::CudaKernel || target->func_kind == ir::FuncKind::CpuKernel;
    bool is_launched = is_kernel && !ir::find_function(*m_module, "launch") && target_of(*m_module, "launch") == target;
    const std::string called = is_launched ? "launch" : function;
    if (target->func_kind == ir::FuncKind::CudaInternal || target->func_kind == ir::FuncKind::CpuInternal)
        fail(DiagId::FunctionNotPublic, span, function, ir::func_kind_name(target->func_kind));
    if (evaluator.in_preview() && !unknown)
        record_call(evaluator, m_module, called, arguments, span);
    Engine* engine = build(evaluator);
    if (!engine || unknown)
        return is_void ? Value() : Value::unknown();
    std::variant<std::monostate, std::int64_t, double> result;
    DiagnosticSink sink;
    bool fine = engine->call(*m_built, called, arguments, span, result, sink);
    hand_on(evaluator, sink, !fine || sink.has_errors());
    if (std::holds_alternative<double>(result))
        return Value::real(std::get<double>(result));
    if (!std::holds_alternative<std::int64_t>(result))
        return Value();
    std::int64_t number = std::get<std::int64_t>(result);
    return ir::scalar_of(target->ret) == ir::DType::Bool ? Value::boolean(number != 0) : Value::integer(number);
}

Engine* CompiledModule::build(Evaluator& evaluator) {
    Engine* engine = evaluator.in_preview() ? nullptr : evaluator.engine();
    if (engine && !m_built) // a function of a script that was previewed runs now
        m_built = build_with(evaluator, *engine, m_module, m_site);
    return m_built ? engine : nullptr;
}

void CompiledModule::save(Evaluator& evaluator, const std::string& path, Span span) {
    if (!m_file.empty())
        fail(DiagId::BadValue, span, cat("this module was loaded from '", m_file, "', which is the package of it"));
    Engine* engine = build(evaluator);
    if (!engine) // a preview, which writes nothing
        return;
    DiagnosticSink found;
    const bool is_saved = engine->save(*m_built, path, span, found);
    hand_on(evaluator, found, !is_saved);
}

const CompiledModule* module_called_by(const Value& value) {
    const auto* function = value.extension<CompiledFunction>();
    return function ? &function->module() : value.extension<CompiledModule>();
}

Value load_compiled_module(Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "load_compiled_module", {"path", "device=", "trust="});
    LoadOptions options;
    options.path = a.str(0);
    if (a.has(1))
        options.device = device_argument(a[1], a.span(1));
    options.trusts = a.boolean(2, false);
    options.site = a.span(0);
    Engine* engine = evaluator.in_preview() ? nullptr : evaluator.engine();
    if (!engine)
        return Value::unknown();
    DiagnosticSink found;
    const Ref<BuiltModule> built = engine->load(options, found);
    hand_on(evaluator, found, !built);
    if (!built) // it was cancelled
        return Value::unknown();
    return new_extension<CompiledModule>(built->lowered(), built, span, options.path);
}

std::unique_ptr<Value> CompiledModule::call(Evaluator& evaluator, Args& args, Span span) {
    return boxed(call_function(evaluator, "launch", args, span));
}

std::unique_ptr<Value> CompiledModule::subscript(Evaluator&, const Value& index, Span span) {
    if (!index.is(ValueKind::Str))
        fail(DiagId::BadIndexType, span, "compiled module", hidet::lang::type_name(index));
    if (!target_of(*m_module, index.as_str()))
        throw DiagnosticError(Diagnostic::make(DiagId::UnknownFunction, span, index.as_str())
                                  .suggest({}, index.as_str(), function_names(*m_module)));
    return boxed(new_extension<CompiledFunction>(Ref<CompiledModule>(this), index.as_str()));
}

Value CompiledModule::functions(Evaluator& evaluator, Span span) {
    Value dict = evaluator.impl().new_dict();
    for (const std::string& name : function_names(*m_module))
        as_dict(dict).table.set(evaluator, Value::str(name),
                                new_extension<CompiledFunction>(Ref<CompiledModule>(this), name), span);
    return dict;
}

std::span<const Member<CompiledModule>> CompiledModule::members() {
    using M = CompiledModule&;
    static constexpr Member<CompiledModule> rows[] = {
        {"functions", [](M self, Evaluator& evaluator, Span span) { return self.functions(evaluator, span); }},
        {"source",
         {"color="},
         [](M self, Evaluator& evaluator, const Arguments& a, Span) {
             if (a.boolean(0, false))
                 without_effect(evaluator, a.span(0), "color", "the text has no colours");
             return self.m_built ? evaluator.new_str(self.m_built->source()) : Value::unknown();
         }},
        {"profile",
         [](M self, Evaluator& evaluator, Args& args, Span span) {
             Args all = args;
             all.positional.insert(all.positional.begin(), Value::extension(Ref<NativeObject>(&self)));
             all.spans.insert(all.spans.begin(), span);
             return benchmark(evaluator, all, span);
         }},
        {"ir_module",
         {},
         [](M self, Evaluator& evaluator, const Arguments&, Span span) {
             if (!self.m_file.empty())
                 fail(DiagId::BadValue, span, cat("'", self.m_file, "' holds machine code, and no IR"));
             return ir_module_of(evaluator, *self.m_module, span);
         }},
        {"save",
         {"path"},
         [](M self, Evaluator& evaluator, const Arguments& a, Span) {
             self.save(evaluator, a.str(0), a.span(0));
             return Value();
         }},
    };
    return rows;
}

} // namespace hidet::lang
