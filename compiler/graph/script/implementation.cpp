// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/implementation.h"

#include <set>

#include "compiler/graph/passes/pass.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/schedule_text.h"
#include "lang/base/text.h"
#include "lang/host/compiled_module.h"
#include "lang/host/data_model.h"
#include "lang/host/interpreter.h"
#include "lang/host/typing.h"
#include "lang/script/module.h"

namespace hidet::graph {

namespace {

constexpr std::array<const char*, 2> method_names = {"implement_cpu", "implement_cuda"};

// What tune.extract_ir_modules() gives: modules that are made when somebody wants them.
class TunedModules : public lang::NativeObject {
public:
    TunedModules(HostValue function, TuningSpaces spaces) : function(std::move(function)), spaces(std::move(spaces)) {}
    std::string type_name() const override { return "list of tuned modules"; }
    const HostValue function;
    const TuningSpaces spaces;
};

bool is_module(const HostValue& value) {
    return value.extension<lang::IrModuleValue>() || value.extension<lang::CompiledModule>() ||
           value.extension<lang::ScriptModule>();
}

bool has_known_extents(const AnchorTask& task) {
    const Node& node = task.graph.node(task.node);
    const auto is_known = [&](ValueId value) { return constant_shape(task.graph.value(value).spec.shape).has_value(); };
    return std::ranges::all_of(node.inputs, is_known) && std::ranges::all_of(node.outputs, is_known);
}

class ScriptImplementation : public Implementation {
public:
    ScriptImplementation(const ScriptGraphs& graphs, std::size_t row, std::string name)
        : m_graphs(graphs.itself), m_row(row), m_name(std::move(name)) {}

    std::string key() const override { return cat("#", m_row); }
    const std::string& name() const override { return m_name; }
    std::vector<std::string> schedules(const AnchorTask& task, std::int64_t level) const override;
    std::optional<AnchorSchedule> schedule(const AnchorTask& task, const std::string& text) const override;
    ScheduleAttempt attempt(const AnchorTask& task, const std::string& text) const override;
    std::string source() const override;
    [[noreturn]] void refuse(const AnchorTask& task, const std::string& why) const override;

private:
    struct Open {
        std::shared_ptr<ScriptGraphs*> alive;
        ScriptGraphs& graphs;
        WrittenKernels& kernels;
        std::size_t which = 0;
        const WrittenKernels::Method* method = nullptr; // null: there is none for the machine
        void guarded(const std::function<void()>& body) const {
            graphs.guarded(*kernels.evaluator, method->place, body);
        }
    };
    Open open(bool is_for_gpu) const {
        auto alive = m_graphs.lock();
        if (!alive)
            throw OpError("the script that has the kernels of '", m_name, "' is gone");
        WrittenKernels& kernels = *(*alive)->written[m_row];
        const std::size_t which = is_for_gpu ? 1 : 0;
        const auto& method = kernels.methods[which];
        return {alive, **alive, kernels, which, method ? &*method : nullptr};
    }
    std::string schedule_name(const Open& open) const { return cat(m_name, ".", method_names[open.which]); }
    AnchorSchedule made(const Open& open, const std::string& text) const;

    std::weak_ptr<ScriptGraphs*> m_graphs;
    const std::size_t m_row;
    const std::string m_name;
};

WrittenKernels::Returned read_returned(Evaluator& evaluator, const HostValue& value, const char* method, Span place) {
    WrittenKernels::Returned out;
    if (value.is(ValueKind::Unknown))
        throw lang::UnknownValue();
    if (lang::is_not_implemented(value))
        return out;
    if (const auto* tuned = value.extension<TunedModules>()) {
        out.tuned = tuned->function;
        out.spaces = tuned->spaces;
        return out;
    }
    out.modules = {value};
    if (value.is(ValueKind::List) || value.is(ValueKind::Tuple))
        out.modules = evaluator.iterate(value, place);
    for (const HostValue& module : out.modules)
        if (!is_module(module))
            fail(DiagId::BadType, place,
                 cat(method, " returns a script module, a list of them, or NotImplemented, not '",
                     lang::type_name(module), "'"));
    if (out.modules.empty())
        fail(DiagId::BadValue, place, cat(method, " returns no module; NotImplemented says that there is none"));
    return out;
}

const WrittenKernels::Returned& returned(Evaluator& evaluator, WrittenKernels& kernels, std::size_t which) {
    auto& known = kernels.returned[which];
    if (known)
        return *known;
    const WrittenKernels::Method& method = *kernels.methods[which];
    Args args;
    if (method.parameters == 1)
        args.positional = {HostValue::str("")}; // scripts have no folder to work in
    else if (method.parameters > 1)
        args.positional = {kernels.inputs, kernels.outputs};
    args.spans.assign(args.positional.size(), method.place);
    known = read_returned(evaluator, evaluator.call(method.function, args, method.place), method_names[which],
                          method.place);
    return *known;
}

std::vector<std::string> ScriptImplementation::schedules(const AnchorTask& task, std::int64_t level) const {
    const Open open = this->open(task.target.is_cuda());
    if (!open.method)
        return {};
    if (!has_known_extents(task)) {
        if (open.kernels.is_opaque)
            throw OpError("the kernels of '", m_name, "' want extents that are numbers");
        return {};
    }
    std::vector<std::string> all;
    open.guarded([&] {
        const WrittenKernels::Returned& modules = returned(*open.kernels.evaluator, open.kernels, open.which);
        if (modules.tuned)
            all = schedules_of(schedule_name(open), modules.spaces, level);
        for (std::size_t i = 0; i < modules.modules.size() && (level > 0 || i == 0); ++i)
            all.push_back(i == 0 ? schedule_name(open)
                                 : write_schedule({schedule_name(open),
                                                   {{"candidate", HostValue::integer(static_cast<std::int64_t>(i))}}}));
    });
    return all;
}

// A mistake in the text, in the script or in the module is a diagnostic.
AnchorSchedule ScriptImplementation::made(const Open& open, const std::string& text) const {
    Evaluator& evaluator = *open.kernels.evaluator;
    const Span place = open.method->place;
    std::optional<ScheduleText> parts = read_schedule(text);
    if (!parts || parts->name != schedule_name(open))
        fail(DiagId::BadValue, place, cat("'", text, "' is no schedule of '", m_name, "'"));
    const WrittenKernels::Returned& known = returned(evaluator, open.kernels, open.which);
    HostValue module;
    if (known.tuned) {
        Args args;
        args.keywords = std::move(parts->parameters);
        args.keyword_spans.assign(args.keywords.size(), place);
        args.keyword_name_spans = args.keyword_spans;
        module = evaluator.call(*known.tuned, args, place);
    } else {
        const bool has_number = parts->parameters.size() == 1 && parts->parameters[0].first == "candidate" &&
                                parts->parameters[0].second.is(ValueKind::Int);
        const std::int64_t i = has_number ? parts->parameters[0].second.as_int() : 0;
        if ((!parts->parameters.empty() && !has_number) || i < 0 ||
            i >= static_cast<std::int64_t>(known.modules.size()))
            fail(DiagId::BadValue, place, cat("'", text, "' is no schedule of '", m_name, "'"));
        module = known.modules[static_cast<std::size_t>(i)];
    }
    AnchorSchedule schedule{module_of(evaluator, module, method_names[open.which], place), text, {}};
    if (!schedule.module)
        throw RuleFailed(cat("the kernels of '", m_name, "' have mistakes"));
    return schedule;
}

std::optional<AnchorSchedule> ScriptImplementation::schedule(const AnchorTask& task, const std::string& text) const {
    const Open open = this->open(task.target.is_cuda());
    std::optional<AnchorSchedule> schedule;
    if (!open.method)
        return schedule;
    open.guarded([&] {
        try {
            schedule = made(open, text);
        } catch (const DiagnosticError& error) {
            if (error.diagnostic.id != DiagId::ScheduleRefused)
                throw;
        }
    });
    return schedule;
}

ScheduleAttempt ScriptImplementation::attempt(const AnchorTask& task, const std::string& text) const {
    const Open open = this->open(task.target.is_cuda());
    ScheduleAttempt out{std::nullopt, cat("'", m_name, "' has no kernels for the machine")};
    if (!open.method)
        return out;
    open.guarded([&] {
        try {
            out.schedule = made(open, text);
            out.refusal = "";
        } catch (const DiagnosticError& error) {
            out.refusal = error.diagnostic.message;
        }
    });
    out.metrics = std::exchange(open.graphs.metrics, {});
    return out;
}

std::string ScriptImplementation::source() const {
    const Open open = this->open(true);
    const FileId file = open.method ? open.method->place.file : 0;
    return open.method ? std::string(open.kernels.evaluator->impl().sources.file(file).text()) : "";
}

void ScriptImplementation::refuse(const AnchorTask& task, const std::string& why) const {
    const Open open = this->open(task.target.is_cuda());
    if (open.method)
        open.guarded([&] { fail(DiagId::OperatorRefused, open.method->place, why); });
    throw OpError(why);
}

// Of a class of the script; null: it has none.
std::optional<WrittenKernels::Method> method_of(Evaluator& evaluator, const HostValue& object, const char* name) {
    if (!object.is(ValueKind::Instance) || !lang::as_instance(object).type->find(name))
        return std::nullopt;
    WrittenKernels::Method method;
    method.function = evaluator.attribute(object, name, {});
    const bool is_bound = method.function.is(ValueKind::BoundMethod);
    const HostValue& function =
        is_bound ? lang::object_of<lang::BoundMethodObject>(method.function).function : method.function;
    if (function.is(ValueKind::Native)) { // of CPython
        const auto names = lang::DataModel(evaluator).parameters(function);
        method.parameters = names && !names->empty() ? names->size() - 1 : 0;
        return method;
    }
    if (!function.is(ValueKind::Function))
        return std::nullopt;
    const lang::FunctionObject& def = lang::as_function(function);
    method.place = def.def ? def.def->name.span : Span{};
    method.parameters = def.params.size() - (is_bound && !def.params.empty() ? 1 : 0);
    return method;
}

} // namespace

std::shared_ptr<const Implementation> implementation_of(ScriptGraphs& graphs, Evaluator& evaluator, const HostValue& op,
                                                        const HostValue& task, bool is_opaque) {
    auto kernels = std::make_unique<WrittenKernels>();
    for (std::size_t i = 0; i < method_names.size(); ++i) {
        kernels->methods[i] = method_of(evaluator, op, method_names[i]);
        if (!kernels->methods[i])
            kernels->methods[i] = method_of(evaluator, task, method_names[i]);
    }
    if (!is_opaque && !kernels->methods[0] && !kernels->methods[1])
        return nullptr;
    kernels->evaluator = &evaluator;
    kernels->name = lang::as_instance(op).type->name;
    kernels->is_opaque = is_opaque;
    graphs.written.push_back(std::move(kernels));
    return std::make_shared<const ScriptImplementation>(graphs, graphs.written.size() - 1, graphs.written.back()->name);
}

void preview_implementations(Evaluator& evaluator, const Graph& graph) {
    std::set<std::string> seen;
    for (const NodeId id : graph.topological()) {
        const Node& node = graph.node(id);
        const Implementation* implementation = node.task ? node.task->implementation.get() : nullptr;
        if (!implementation || !seen.insert(implementation->name()).second)
            continue;
        const bool is_on_gpu = graph.value(node.outputs[0]).device == Device::Cuda;
        const artifact::TargetSpec target = is_on_gpu ? artifact::default_gpu() : artifact::default_cpu();
        const AnchorTask task{graph, id, target};
        for (const std::string& text : implementation->schedules(task, 0))
            if (const auto schedule = implementation->schedule(task, text))
                evaluator.result().modules.push_back({schedule->module, node.site});
    }
}

ir::ModuleRef module_of(Evaluator& evaluator, const HostValue& value, const char* who, Span span) {
    if (const auto* source = value.extension<lang::IrModuleValue>())
        return source->module(span, evaluator);
    if (const auto* built = value.extension<lang::CompiledModule>())
        return built->module();
    if (auto* script = value.extension<lang::ScriptModule>())
        return script->ir_module(span, evaluator);
    fail(DiagId::BadType, span, cat(who, " returns a script module, not '", lang::type_name(value), "'"));
}

HostValue extract_modules(ScriptGraphs& graphs, Args& args, Span span) {
    const Arguments a(args, span, "extract_ir_modules", {"template_func"});
    const bool is_bound = a[0].is(ValueKind::BoundMethod);
    const HostValue& function = is_bound ? lang::object_of<lang::BoundMethodObject>(a[0]).function : a[0];
    TunedFunction tuned = decorated(graphs, function, "extract_ir_modules() takes", a.span(0));
    if (tuned.spaces.empty())
        fail(DiagId::BadValue, a.span(0), "the function has no space to tune: @tune.space gives it one");
    HostValue called = tuned.function; // and not what scripts see, which would choose by itself
    if (is_bound) {
        Ref<lang::BoundMethodObject> method(new lang::BoundMethodObject);
        method->self = lang::object_of<lang::BoundMethodObject>(a[0]).self;
        method->function = std::move(called);
        called = HostValue::object(ValueKind::BoundMethod, method);
    }
    return HostValue::extension(Ref<lang::NativeObject>(new TunedModules(std::move(called), std::move(tuned.spaces))));
}

} // namespace hidet::graph
