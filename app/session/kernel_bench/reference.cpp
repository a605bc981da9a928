// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/reference.h"

#include <algorithm>

#include "app/session/work/refusal.h"
#include "lang/base/ranges.h"
#include "lang/host/objects.h"

namespace hidet::session {

using Accesses = std::vector<compiler::ParameterAccess>;

namespace {

// Which of the arguments a host function is called with: for each of its parameters an argument, or -1 for its default.
enum class Pass : std::uint8_t { Nothing, ByName, Inputs, All };

std::size_t required_of(const lang::HostFunction& host) {
    return static_cast<std::size_t>(
        std::ranges::count_if(host.params, [](const auto& param) { return param.required; }));
}

bool is_input(const ParameterView& parameter) {
    return parameter.read || !parameter.written;
}

// Names say most; without them the number of parameters decides, inputs before all.
Pass way_to_call(const lang::HostFunction& host, const std::vector<ParameterView>& parameters) {
    auto has = [&](const std::string& name) {
        return std::ranges::any_of(parameters, [&](const auto& p) { return p.name == name; });
    };
    bool any_name = false, all_names = true;
    for (const auto& param : host.params) {
        any_name = any_name || has(param.name);
        all_names = all_names && (has(param.name) || !param.required);
    }
    if (any_name && all_names)
        return Pass::ByName;
    auto fits = [&](std::size_t count) {
        return count >= required_of(host) && (count <= host.params.size() || host.takes_more);
    };
    auto inputs = static_cast<std::size_t>(std::ranges::count_if(parameters, is_input));
    if (fits(inputs))
        return Pass::Inputs;
    return fits(parameters.size()) ? Pass::All : Pass::Nothing;
}

lang::Value value_of(const lang::CallArgument& arg, const ir::Var& parameter) {
    if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value))
        return *tensor ? lang::Value::tensor(*tensor) : lang::Value();
    if (const auto* text = std::get_if<std::string>(&arg.value))
        return lang::Value::str(*text);
    if (const auto* real = std::get_if<double>(&arg.value))
        return lang::Value::real(*real);
    std::int64_t integer = std::get<std::int64_t>(arg.value);
    return ir::scalar_of(parameter.type) == ir::DType::Bool ? lang::Value::boolean(integer != 0)
                                                            : lang::Value::integer(integer);
}

std::vector<ParameterView> views_of(const Callable& callable, const Accesses& accesses) {
    std::vector<ParameterView> views;
    for (std::size_t i = 0; i < accesses.size(); ++i)
        views.push_back(view_of(*callable.function->params[i], accesses[i]));
    return views;
}

std::string names_of(const std::vector<ParameterView>& views) {
    return join(transformed(views, &ParameterView::name), ", ");
}

std::string names_of(const lang::HostFunction& host) {
    return join(transformed(host.params, [](const auto& param) { return param.name; }), ", ");
}

lang::Args args_of(const lang::HostFunction& host, Pass way, const Callable& callable,
                   const std::vector<ParameterView>& views, const Arguments& args) {
    lang::Args out;
    for (std::size_t i = 0; i < views.size(); ++i) {
        bool wanted = way == Pass::All || (way == Pass::Inputs && is_input(views[i]));
        lang::Value value = value_of(args[i], *callable.function->params[i]);
        if (way == Pass::ByName) {
            bool named =
                std::ranges::any_of(host.params, [&](const auto& param) { return param.name == views[i].name; });
            if (named)
                out.keywords.emplace_back(views[i].name, std::move(value));
        } else if (wanted) {
            out.positional.push_back(std::move(value));
        }
    }
    return out;
}

// None, a tensor, or several; nothing: something else was returned.
std::optional<std::vector<lang::TensorRef>> tensors_of(const lang::Value& value) {
    if (value.is(lang::ValueKind::None))
        return std::vector<lang::TensorRef>();
    if (value.is(lang::ValueKind::Tensor))
        return std::vector<lang::TensorRef>{value.as_tensor()};
    if (!value.is(lang::ValueKind::Tuple) && !value.is(lang::ValueKind::List))
        return std::nullopt;
    std::vector<lang::TensorRef> out;
    for (const lang::Value& item : value.items()) {
        if (!item.is(lang::ValueKind::Tensor))
            return std::nullopt;
        out.push_back(item.as_tensor());
    }
    return out;
}

std::string count_text(std::size_t count) {
    return count == 1 ? "1 tensor" : cat(count, " tensors");
}

std::size_t written_count(const Accesses& accesses) {
    return static_cast<std::size_t>(std::ranges::count_if(accesses, [](const auto& access) { return access.written; }));
}

// What the arguments hold after they were written to.
Expected written_in(const Arguments& args, const Accesses& accesses) {
    Expected out;
    out.ok = true;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const auto* tensor = std::get_if<lang::TensorRef>(&args[i].value);
        out.tensors.push_back(tensor && accesses[i].written ? *tensor : nullptr);
    }
    return out;
}

Expected returned(const std::vector<lang::TensorRef>& tensors, const Accesses& accesses) {
    Expected out;
    out.ok = true;
    std::size_t next = 0;
    for (const auto& access : accesses)
        out.tensors.push_back(access.written ? tensors[next++] : nullptr);
    return out;
}

} // namespace

bool could_be_reference(const lang::HostFunction& host, const std::vector<ParameterView>& parameters) {
    return !host.makes_kernels && !host.params.empty() && way_to_call(host, parameters) != Pass::Nothing;
}

bool is_reference_name(std::string_view name) {
    return name.find("expected") != std::string_view::npos || name.find("reference") != std::string_view::npos;
}

std::vector<std::string> references_of(const Callable& callable, KernelBenchScript& script) {
    std::vector<std::string> named, others;
    const std::optional<Accesses> accesses = accesses_of(callable);
    if (!accesses)
        return {};
    const std::vector<ParameterView> views = views_of(callable, *accesses);
    for (const lang::HostFunction& host : script.evaluator().global_functions())
        if (is_reference_name(host.name) && could_be_reference(host, views))
            named.push_back(host.name);
        else if (!host.makes_kernels && way_to_call(host, views) == Pass::ByName)
            others.push_back(host.name);
    named.insert(named.end(), others.begin(), others.end());
    return named;
}

ReferenceRunner::ReferenceRunner(Work& work, const KernelBenchRequest& request, KernelBenchScript& script)
    : m_work(work), m_request(request), m_script(script), m_other_run(request.run), m_emulated_run(request.run) {}
ReferenceRunner::~ReferenceRunner() = default;

std::string ReferenceRunner::name() const {
    const Reference& reference = m_request.reference;
    switch (reference.kind) {
    case ReferenceKind::None: return "";
    case ReferenceKind::ScriptFunction: return cat("'", reference.function, "'");
    case ReferenceKind::Variant:
        return cat(reference.function.empty() ? "the same function" : "'" + reference.function + "'",
                   reference.module > 0 ? cat(" of module ", reference.module) : "",
                   reference.script ? " of '" + reference.script->name + "'" : "");
    case ReferenceKind::Automatic:
    case ReferenceKind::Emulator: return "the emulator";
    case ReferenceKind::ScriptChecks: return "the script's own checks";
    }
    return "";
}

Expected ReferenceRunner::expect(const Callable& callable, const Accesses& accesses, const Arguments& args) {
    m_work.enter("computing the reference");
    Work::Clock clock(m_work, "reference");
    switch (m_request.reference.kind) {
    case ReferenceKind::ScriptFunction: return of_script_function(callable, accesses, copy_of(args));
    case ReferenceKind::Variant: return of_variant(callable, accesses, copy_of(args), nullptr);
    case ReferenceKind::Automatic:
    case ReferenceKind::Emulator: return of_emulator(callable, accesses, copy_of(args));
    default: return {};
    }
}

Expected ReferenceRunner::expect_emulated(const Callable& callable, const Accesses& accesses, const Arguments& args) {
    if (m_request.reference.kind != ReferenceKind::Variant)
        return expect(callable, accesses, args);
    return of_variant(callable, accesses, copy_of(args), &emulator());
}

bool ReferenceRunner::takes(const Callable& callable, const Accesses& accesses, std::size_t parameter) const {
    if (m_request.reference.kind != ReferenceKind::ScriptFunction)
        return true;
    const std::vector<lang::HostFunction> functions = m_script.evaluator().global_functions();
    const auto host = std::ranges::find(functions, m_request.reference.function, &lang::HostFunction::name);
    if (host == functions.end())
        return false;
    const std::vector<ParameterView> views = views_of(callable, accesses);
    switch (way_to_call(*host, views)) {
    case Pass::ByName:
        return std::ranges::any_of(host->params,
                                   [&](const auto& param) { return param.name == views[parameter].name; });
    case Pass::Inputs: return is_input(views[parameter]);
    default: return true;
    }
}

Expected ReferenceRunner::of_script_function(const Callable& callable, const Accesses& accesses,
                                             const Arguments& args) {
    const std::string& name = m_request.reference.function;
    lang::Evaluator& evaluator = m_script.evaluator();
    std::vector<lang::HostFunction> functions = evaluator.global_functions();
    auto host = std::ranges::find_if(functions, [&](const auto& f) { return f.name == name; });
    const lang::Value* callee = evaluator.global(name);
    if (host == functions.end() || !callee) {
        const std::vector<std::string> names = transformed(functions, &lang::HostFunction::name);
        report_wrong_usage(
            m_work, Diagnostic::make(DiagId::TryReferenceMissing, {}, m_script.name(), name).suggest({}, name, names));
        return {};
    }
    std::vector<ParameterView> views = views_of(callable, accesses);
    Pass way = way_to_call(*host, views);
    if (way == Pass::Nothing) {
        m_work.sink.report(DiagId::TryReferenceTakes, callable.site, name, names_of(*host), callable.name,
                           names_of(views));
        return {};
    }
    lang::Args passed = args_of(*host, way, callable, views, args);
    evaluator.enter_run_mode(m_script.engine());
    bool calls_it = false;
    m_script.engine().before_call = [&](const ScriptEngine::KeptCall& call) {
        calls_it |= call.module->script == callable.module && call.function == callable.callee;
    };
    std::optional<lang::Value> value = evaluator.try_call(*callee, passed, callable.site);
    m_script.engine().before_call = nullptr;
    if (!value)
        return {};
    if (calls_it) {
        Expected itself = written_in(args, accesses);
        itself.calls_it = true;
        return itself;
    }
    std::size_t wanted = written_count(accesses);
    std::optional<std::vector<lang::TensorRef>> tensors = tensors_of(*value);
    if (tensors && tensors->empty() && way != Pass::Inputs)
        return written_in(args, accesses);
    if (tensors && tensors->size() == wanted)
        return returned(*tensors, accesses);
    m_work.sink.report(DiagId::TryReferenceGives, callable.site, name,
                       tensors ? count_text(tensors->size()) : cat("a value of type '", lang::type_name(*value), "'"),
                       callable.name, wanted == 1 ? "1" : cat(wanted));
    return {};
}

KernelBenchScript* ReferenceRunner::variant_script() {
    if (!m_request.reference.script)
        return &m_script;
    if (!m_other) {
        m_other_run.source = *m_request.reference.script;
        m_other = std::make_unique<KernelBenchScript>(m_work, m_other_run);
        const int errors = m_work.sink.error_count();
        m_other_is_fine =
            m_other->evaluate(KernelBenchScript::Evaluate::Preview, {}, "") && m_work.sink.error_count() == errors;
    }
    return m_other_is_fine ? m_other.get() : nullptr;
}

// The function that was named, or the one of the same name; of another script that has none, the one that it calls.
std::optional<Callable> ReferenceRunner::variant_of(const Callable& callable, KernelBenchScript& script) {
    const Reference& reference = m_request.reference;
    const bool is_any = reference.function.empty() && reference.script && !script.has(callable.name);
    const std::string name = is_any || !reference.function.empty() ? reference.function : callable.name;
    std::optional<Callable> other = script.find(name, reference.module);
    if (!other || other->function->params.size() == callable.function->params.size())
        return other;
    const auto names = [](const Callable& of) {
        const std::optional<Accesses> accesses = accesses_of(of);
        return names_of(views_of(of, accesses ? *accesses : Accesses(of.function->params.size())));
    };
    m_work.sink.report(DiagId::TryReferenceTakes, other->site, other->name, names(*other), callable.name,
                       names(callable));
    return std::nullopt;
}

std::unique_ptr<Repeat> ReferenceRunner::prepared_variant(const Callable& callable, const Arguments& args) {
    KernelBenchScript* script = variant_script();
    const std::optional<Callable> other = script ? variant_of(callable, *script) : std::nullopt;
    const Ref<Executable> module = other ? script->build(*other) : nullptr;
    if (!module || !script->call(*module, *other, args))
        return nullptr;
    return module->executor.prepare(*module, {other->callee, args, other->site});
}

Expected ReferenceRunner::of_variant(const Callable& callable, const Accesses& accesses, const Arguments& args,
                                     KernelBenchScript* in) {
    const Reference& reference = m_request.reference;
    KernelBenchScript* script = variant_script();
    const std::optional<Callable> other = script ? variant_of(callable, *script) : std::nullopt;
    if (!other)
        return {};
    const bool is_here = !reference.script || is_same_script(*reference.script, m_request.run.source);
    if (is_here && other->number == callable.number && other->callee == callable.callee)
        return {true, true, {}};
    KernelBenchScript& place = in ? *in : *script;
    Ref<Executable> module = place.build(*other);
    if (!module || !place.call(*module, *other, args))
        return {};
    return written_in(args, accesses);
}

KernelBenchScript& ReferenceRunner::emulator() {
    if (!m_emulator) {
        m_emulated_run.target = Target::Emulate;
        m_emulated_run.all_checks = true;
        m_emulated_run.seed = m_request.run.seed + 1;
        m_emulator = std::make_unique<KernelBenchScript>(m_work, m_emulated_run);
    }
    return *m_emulator;
}

Expected ReferenceRunner::of_emulator(const Callable& callable, const Accesses& accesses, const Arguments& args) {
    Ref<Executable> module = emulator().build(callable);
    if (!module || !emulator().call(*module, callable, args))
        return {};
    return written_in(args, accesses);
}

} // namespace hidet::session
