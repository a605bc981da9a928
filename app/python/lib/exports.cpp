// SPDX-License-Identifier: Apache-2.0
// What the library exports: one function for each thing that Python asks of a value. Nothing of C++ crosses but what tvm-ffi
// carries; an error arrives as the Python exception of its kind.
#include <map>

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include "app/python/lib/entered.h"
#include "app/python/lib/recorded_calls.h"
#include "app/python/lib/shared_tensor.h"
#include "app/python/lib/value_object.h"
#include "app/session/package/graph_file.h"
#include "app/session/tools/tools.h"
#include "compiler/graph/document/document.h"
#include "compiler/graph/script/compiled_graph.h"
#include "compiler/graph/script/values.h"
#include "compiler/ir/text/print.h"
#include "lang/ast/walk.h"
#include "lang/host/compiled_module.h"
#include "lang/host/data_model.h"
#include "lang/host/evaluator.h"
#include "lang/host/objects.h"
#include "lang/tensor/npy.h"

namespace hidet::python {

namespace ast = lang::ast;
namespace ffi = tvm::ffi;
using lang::DataModel;
using lang::Value;
using lang::ValueKind;
using Any = ffi::Any;
using AnyView = ffi::AnyView;

namespace {

// Where a function of CPython's that we translate stands: its text, and the names around it as CPython has them.
//
// Asks CPython for each name once. What it does not know is a builtin of ours, or unknown.
class CallerScope final : public lang::Environment {
public:
    CallerScope(std::shared_ptr<PythonSession> session, ffi::Function resolve)
        : m_session(std::move(session)), m_resolve(std::move(resolve)) {}
    Value* find(std::string_view name) override;
    void bind(const ast::Ident& name, Value value) override { m_known[std::string(name.text)] = value; }
    void names(std::vector<std::string>& out) const override;

private:
    std::shared_ptr<PythonSession> m_session;
    ffi::Function m_resolve;
    std::map<std::string, std::optional<Value>, std::less<>> m_known; // nothing: there is no such name
};

Value* CallerScope::find(std::string_view name) {
    const auto [known, is_new] = m_known.try_emplace(std::string(name));
    std::optional<Value>& value = known->second;
    if (is_new) {
        const auto answer = m_resolve(ffi::String(known->first)).cast<ffi::Array<ffi::Any>>();
        if (answer[0].cast<bool>())
            value = from_python(m_session, answer[1]);
        else if (const Value* builtin = m_session->evaluator().builtin(name))
            value = *builtin;
    }
    return value ? &*value : nullptr;
}

void CallerScope::names(std::vector<std::string>& out) const {
    for (const auto& [name, value] : m_known)
        if (value)
            out.push_back(name);
}

const ast::FunctionDef* find_in(ast::Block block, const SourceMap& sources, int line, std::string_view name);

const ast::FunctionDef* find_below(const ast::Stmt& stmt, const SourceMap& sources, int line, std::string_view name) {
    const ast::FunctionDef* found = nullptr;
    ast::each_child(
        stmt, [](const ast::Expr&) {},
        [&](const ast::Stmt& below) {
            auto* one = const_cast<ast::Stmt*>(&below);
            if (!found)
                found = find_in(ast::Block(&one, 1), sources, line, name);
        });
    return found;
}

const ast::FunctionDef* find_in(ast::Block block, const SourceMap& sources, int line, std::string_view name) {
    for (const ast::Stmt* stmt : block) {
        if (const auto* def = ast::as<ast::FunctionDef>(stmt); def && def->name.text == name) {
            const Span first = def->decorators.empty() ? def->span : def->decorators.front()->span;
            const SourceFile& file = sources.file(first.file);
            const int begin = file.position(first.begin).line, end = file.position(def->name.span.begin).line;
            if (begin <= line && line <= end)
                return def;
        }
        if (const ast::FunctionDef* below = find_below(*stmt, sources, line, name))
            return below;
    }
    return nullptr;
}

// The definition of `name` whose decorators or `def` begin in the line (from 1 on). Throws a DiagnosticError: what our
// parser says of the function, or that it is not there.
const ast::FunctionDef& find_definition(PythonSession& session, const std::string& file, const std::string& text,
                                        int line, const std::string& name) {
    const ast::Module& module = session.parsed(file, text);
    std::vector<Diagnostic> said = session.work().sink.take(); // of the whole file, which CPython could read
    const ast::FunctionDef* found = find_in(module.body, session.work().sources, line, name);
    if (!found)
        fail(DiagId::BadValue, Span{}, cat("the text of '", name, "' is not in ", file, " at line ", line));
    for (Diagnostic& each : said)
        if (each.severity == Severity::Error && each.span.begin >= found->span.begin &&
            each.span.end <= found->span.end)
            throw DiagnosticError(std::move(each));
    return *found;
}

// open(target, print): print(text) is called with what kernels print.
ffi::ObjectRef open(const ffi::String& target, const ffi::Function& print) {
    try {
        return ffi::ObjectRef(
            ffi::make_object<SessionObject>(std::string_view(target.data(), target.size()),
                                            [print](std::string_view text) { print(ffi::String(std::string(text))); }));
    } catch (const std::invalid_argument& error) {
        throw ffi::Error("ValueError", error.what(), "");
    }
}

// Why nothing can be compiled for the CPU, or "".
ffi::String cpu_problem(const AnyView& session) {
    const toolchain::Finding found =
        session_of(session)->request().tools->toolchain().locate(toolchain::Tool::CxxCompiler);
    return found.state == toolchain::State::Found ? std::string() : cat(found.problem, ": ", found.advice);
}

// What was found and is no error: [text, file, line, ...]; each is said once.
ffi::Array<Any> take_warnings(const AnyView& session) {
    const SessionPtr in = session_of(session);
    const std::lock_guard lock(in->mutex());
    ffi::Array<Any> out;
    for (const Diagnostic& each : in->work().sink.take()) {
        const SourceMap& sources = in->work().sources;
        const bool is_known = sources.holds(each.span);
        out.push_back(Any(ffi::String(render(each, sources))));
        out.push_back(Any(ffi::String(is_known ? sources.file(each.span.file).name() : "<hidet>")));
        out.push_back(Any(std::int64_t{is_known ? sources.file(each.span.file).position(each.span.begin).line : 1}));
    }
    return out;
}

Any import_module(const AnyView& session, const ffi::String& name) {
    return with_session(session, [&](const SessionPtr& in, DataModel& model) {
        return to_python(in, model.import(std::string(name)));
    });
}

Any builtin(const AnyView& session, const ffi::String& name) {
    return with_session(session, [&](const SessionPtr& in, DataModel& model) {
        return to_python(in, model.builtin(std::string(name)));
    });
}

ffi::String kind_of(const AnyView& value) {
    switch (object_of(value).value.kind()) {
    case ValueKind::List: return "list";
    case ValueKind::Tuple: return "tuple";
    case ValueKind::Dict: return "dict";
    case ValueKind::Set: return "set";
    case ValueKind::Ellipsis: return "ellipsis";
    case ValueKind::Tensor: return "tensor";
    case ValueKind::Module: return "module";
    case ValueKind::Class:
        return lang::as_class(object_of(value).value).find("__python_class__") ? "derived class" : "";
    case ValueKind::Instance: // of a class that Python derived (new_class)
        return lang::as_instance(object_of(value).value).type->find("__python_class__") ? "derived" : "";
    default: return "";
    }
}

ffi::String type_name_of(const AnyView& value) {
    return lang::type_name(object_of(value).value);
}

// [found, value]
ffi::Array<Any> attribute(const AnyView& object, const ffi::String& name) {
    return with_value(object, [&](const ValueObject& of, DataModel& model) {
        const std::optional<Value> found = model.attribute(of.value, std::string(name));
        return found ? ffi::Array<Any>{Any(true), to_python(of.session, *found)} : ffi::Array<Any>{Any(false)};
    });
}

void set_attribute(const AnyView& object, const ffi::String& name, const AnyView& value) {
    with_value(object, [&](const ValueObject& of, DataModel& model) {
        model.set_attribute(of.value, std::string(name), from_python(of.session, value));
    });
}

ffi::Array<ffi::String> attribute_names(const AnyView& object) {
    return with_value(object, [&](const ValueObject& of, DataModel& model) {
        ffi::Array<ffi::String> out;
        for (const std::string& name : model.attribute_names(of.value))
            out.push_back(name);
        return out;
    });
}

// Null: what it launches is not for it alone to say.
RecordedCalls* recorded_calls(const ValueObject& callee) {
    if (!callee.calls && callee.value.is(ValueKind::Extension) &&
        (lang::type_name(callee.value) == "CompiledModule" || lang::type_name(callee.value) == "CompiledFunction"))
        callee.calls = std::make_unique<RecordedCalls>();
    return callee.calls.get();
}

// call(callee, number of positional arguments, arguments..., name, value, ...)
void call(ffi::PackedArgs args, Any* result) {
    const ValueObject& callee = object_of(args[0]);
    const auto positional = args[1].cast<std::int64_t>();
    *result = entered(callee.session, [&](DataModel& model) {
        const bool is_plain = args.size() == 2 + positional;
        RecordedCalls* recorded = is_plain ? recorded_calls(callee) : nullptr;
        const RecordedCalls::Arguments views(args.data() + 2, static_cast<std::size_t>(positional));
        if (recorded && recorded->launch(*callee.session, views))
            return Any(nullptr);
        Any out;
        const auto make = [&] {
            lang::Args given;
            for (const AnyView& each : views)
                given.positional.push_back(from_python(callee.session, each));
            for (auto i = static_cast<std::int32_t>(2 + positional); i + 1 < args.size(); i += 2)
                given.keywords.emplace_back(std::string(args[i].cast<ffi::String>()),
                                            from_python(callee.session, args[i + 1]));
            out = to_python(callee.session, model.call(callee.value, std::move(given)));
        };
        if (recorded)
            recorded->make(*callee.session, views, make);
        else
            make();
        return out;
    });
}

// None: it does not say.
Any parameters(const AnyView& object) {
    return with_value(object, [&](const ValueObject& of, DataModel& model) {
        const auto listed = model.parameters(of.value);
        if (!listed)
            return Any(nullptr);
        ffi::Array<ffi::String> out;
        for (const std::string& each : *listed)
            out.push_back(each);
        return Any(out);
    });
}

template <class Op>
Op op_of(std::int64_t number, Op last) {
    if (number < 0 || number > static_cast<std::int64_t>(last))
        throw ffi::Error("ValueError", "there is no such operator", "");
    return static_cast<Op>(number);
}

Any unary(const AnyView& a, std::int64_t op) {
    return with_value(a, [&](const ValueObject& of, DataModel& model) {
        return to_python(of.session, model.unary(op_of(op, lang::ast::UnaryOp::Not), of.value));
    });
}

Any binary(const AnyView& session, std::int64_t op, const AnyView& a, const AnyView& b) {
    return with_session(session, [&](const SessionPtr& in, DataModel& model) {
        return to_python(in,
                         model.binary(op_of(op, lang::ast::BinaryOp::BitXor), from_python(in, a), from_python(in, b)));
    });
}

Any compare(const AnyView& session, std::int64_t op, const AnyView& a, const AnyView& b) {
    return with_session(session, [&](const SessionPtr& in, DataModel& model) {
        return to_python(in,
                         model.compare(op_of(op, lang::ast::CompareOp::IsNot), from_python(in, a), from_python(in, b)));
    });
}

Any item(const AnyView& object, const AnyView& index) {
    return with_value(object, [&](const ValueObject& of, DataModel& model) {
        return to_python(of.session, model.item(of.value, from_python(of.session, index)));
    });
}

void set_item(const AnyView& object, const AnyView& index, const AnyView& value) {
    with_value(object, [&](const ValueObject& of, DataModel& model) {
        model.set_item(of.value, from_python(of.session, index), from_python(of.session, value));
    });
}

void delete_item(const AnyView& object, const AnyView& index) {
    with_value(object, [&](const ValueObject& of, DataModel& model) {
        model.delete_item(of.value, from_python(of.session, index));
    });
}

ffi::Array<Any> items(const AnyView& object) {
    return with_value(object, [&](const ValueObject& of, DataModel& model) {
        ffi::Array<Any> out;
        for (const Value& each : model.items(of.value))
            out.push_back(to_python(of.session, each));
        return out;
    });
}

ffi::Array<Any> entries(const AnyView& object) { // key, value, key, value, ...
    return with_value(object, [&](const ValueObject& of, DataModel& model) {
        ffi::Array<Any> out;
        for (const auto& [key, value] : model.entries(of.value)) {
            out.push_back(to_python(of.session, key));
            out.push_back(to_python(of.session, value));
        }
        return out;
    });
}

Any enter(const AnyView& object) {
    return with_value(
        object, [&](const ValueObject& of, DataModel& model) { return to_python(of.session, model.enter(of.value)); });
}

void leave(const AnyView& object, bool by_exception) {
    with_value(object, [&](const ValueObject& of, DataModel& model) { model.leave(of.value, by_exception); });
}

std::int64_t hash(const AnyView& object) {
    return with_value(object, [&](const ValueObject& of, DataModel& model) {
        return static_cast<std::int64_t>(model.hash(of.value));
    });
}

// make("list", session, items...); "dict": key, value, ...; "slice": start, stop, step
void make(ffi::PackedArgs args, Any* result) {
    const std::string kind = args[0].cast<ffi::String>();
    const SessionPtr in = session_of(args[1]);
    *result = entered(in, [&](DataModel& model) {
        std::vector<Value> values;
        for (std::int32_t i = 2; i < args.size(); ++i)
            values.push_back(from_python(in, args[i]));
        Value out = Value::ellipsis();
        if (kind == "list")
            out = in->evaluator().new_list(std::move(values));
        else if (kind == "tuple")
            out = Value::tuple(std::move(values));
        else if (kind == "slice" && values.size() == 3)
            out = model.slice(values[0], values[1], values[2]);
        else if (kind == "dict" && values.size() % 2 == 0) {
            std::vector<std::pair<Value, Value>> pairs;
            for (std::size_t i = 0; i < values.size(); i += 2)
                pairs.emplace_back(values[i], values[i + 1]);
            out = model.dict(pairs);
        } else if (kind != "ellipsis") {
            throw ffi::Error("ValueError", "hidet makes no such value", "");
        }
        return Any(ffi::ObjectRef(ffi::make_object<ValueObject>(in, std::move(out))));
    });
}

// new_class(name, base, name of a member, it, ...)
void new_class(ffi::PackedArgs args, Any* result) {
    const ValueObject& base = object_of(args[1]);
    *result = entered(base.session, [&](DataModel& model) {
        std::vector<std::pair<std::string, Value>> members;
        for (std::int32_t i = 2; i + 1 < args.size(); i += 2)
            members.emplace_back(args[i].cast<std::string>(), from_python(base.session, args[i + 1]));
        return to_python(base.session, model.derived(args[0].cast<std::string>(), base.value, members));
    });
}

Any new_instance(const AnyView& type) {
    return with_value(type, [&](const ValueObject& of, DataModel& model) {
        return to_python(of.session, model.allocated(of.value));
    });
}

// script(session, file, text, line, name, resolve): the function of that name whose first line that is; resolve(name) gives
// [found, value] for the names of its surroundings.
Any script(const AnyView& session, const ffi::String& file, const ffi::String& text, std::int64_t line,
           const ffi::String& name, const ffi::Function& resolve) {
    return with_session(session, [&](const SessionPtr& in, DataModel& model) {
        const lang::ast::FunctionDef& found =
            find_definition(*in, std::string(file), std::string(text), static_cast<int>(line), std::string(name));
        Ref<CallerScope> scope(new CallerScope(in, resolve));
        return to_python(in, model.script(found, *scope));
    });
}

Any tensor_from(const AnyView& session, const ffi::Tensor& tensor) {
    return with_session(
        session, [&](const SessionPtr& in, DataModel&) { return to_python(in, from_python(in, AnyView(tensor))); });
}

const ValueObject& tensor_object_of(const AnyView& tensor) {
    const ValueObject& of = object_of(tensor);
    if (!of.value.is(ValueKind::Tensor))
        throw ffi::Error("TypeError", cat("a '", lang::type_name(of.value), "' is no tensor with data"), "");
    return of;
}

ffi::Tensor tensor_to(const AnyView& tensor) {
    const ValueObject& of = tensor_object_of(tensor);
    return entered(of.session, [&](DataModel&) { return exported_tensor(*of.session, of.value.as_tensor()); });
}

// What is launched from now on comes behind the work of that stream of CUDA, and its later work behind that.
void follow(const AnyView& session, std::int64_t stream) {
    with_session(session, [&](const SessionPtr& in, DataModel&) {
        session::SharedDevice* device = in->device();
        const Result<void> followed = device ? device->follow(reinterpret_cast<void*>(stream)) : Result<void>{};
        if (!followed)
            throw ffi::Error("RuntimeError", followed.error().message, "");
    });
}

// device_call(session, function, numbers...): a call of the GPU's driver (session::SharedDevice::call), and what it gives. Without a
// GPU there are 0 devices and nothing else.
void device_call(ffi::PackedArgs args, Any* result) {
    const SessionPtr in = session_of(args[0]);
    const auto function = args[1].cast<std::string>();
    *result = entered(in, [&](DataModel&) {
        session::SharedDevice* device = in->device();
        if (!device && function == "device_count")
            return Any(ffi::Array<std::int64_t>{0});
        if (!device)
            throw ffi::Error("RuntimeError", "there is no GPU: tensors on 'cuda' are emulated", "");
        std::vector<std::int64_t> numbers;
        for (std::int32_t i = 2; i < args.size(); ++i)
            numbers.push_back(args[i].cast<std::int64_t>());
        const auto given = device->call(function, numbers);
        if (!given)
            throw ffi::Error("RuntimeError", given.error().message, "");
        return Any(ffi::Array<std::int64_t>(given.value().begin(), given.value().end()));
    });
}

// run(callee, tensors...): what it gives, as an array; tensors as tensors of DLPack.
void run(ffi::PackedArgs args, Any* result) {
    const ValueObject& callee = object_of(args[0]);
    const SessionPtr& in = callee.session;
    *result = entered(in, [&](DataModel& model) {
        lang::Args given;
        for (std::int32_t i = 1; i < args.size(); ++i)
            given.positional.push_back(from_python(in, args[i]));
        const Value got = model.call(callee.value, std::move(given));
        const bool is_one = !got.is(ValueKind::List) && !got.is(ValueKind::Tuple);
        ffi::Array<Any> out;
        for (const Value& each : is_one ? std::vector{got} : model.items(got))
            out.push_back(each.is(ValueKind::Tensor) ? Any(exported_tensor(*in, each.as_tensor()))
                                                     : to_python(in, each));
        return Any(out);
    });
}

// What is called from now on stands in that line of the user's program; line 0: nowhere that is known.
void stand_at(const AnyView& session, const ffi::String& file, const ffi::String& text, std::int64_t line) {
    const SessionPtr in = session_of(session);
    const std::lock_guard lock(in->mutex());
    if (line > 0)
        in->stand_at(std::string(file), std::string(text), static_cast<int>(line));
    else
        in->stand_nowhere();
}

// A graph as a document, which the studio opens.
ffi::String graph_document(const AnyView& graph) {
    const ValueObject& of = object_of(graph);
    const graph::ScriptGraph* traced = graph::flow_graph_of(of.value);
    if (!traced)
        throw ffi::Error("TypeError", cat("a '", lang::type_name(of.value), "' is no graph"), "");
    return entered(of.session, [&](DataModel&) {
        return ffi::String(graph::write_document({.graph = traced->graph, .sources = &of.session->work().sources}));
    });
}

// [name, kind, file, line, names of parameters, its IR as text] of each function of a module, built or not, or of that which a built
// function is of.
ffi::Array<Any> functions_of(const AnyView& module) {
    return with_value(module, [&](const ValueObject& of, DataModel&) {
        const lang::CompiledModule* built = lang::module_called_by(of.value);
        const auto* unbuilt = of.value.extension<lang::IrModuleValue>();
        if (!built && !unbuilt)
            throw ffi::Error("TypeError", cat("a '", lang::type_name(of.value), "' is no module"), "");
        const ir::ModuleRef functions = built ? built->module() : unbuilt->module({}, of.session->evaluator());
        ffi::Array<Any> out;
        for (const ir::FunctionRef& each : functions ? functions->functions : std::vector<ir::FunctionRef>()) {
            const session::Place place = session::place_of(each->origin.span, of.session->work().sources);
            ffi::Array<ffi::String> parameters;
            for (const ir::VarRef& parameter : each->params)
                parameters.push_back(parameter->name);
            out.push_back(ffi::Array<Any>{ffi::String(each->name), ffi::String(ir::func_kind_name(each->func_kind)),
                                          ffi::String(place.file), std::int64_t{place.line}, parameters,
                                          ffi::String(ir::print_function(*each).text)});
        }
        return out;
    });
}

// A graph that was traced, or what it was compiled to, as a file that `load_graph` takes.
void save_graph(const AnyView& graph, const ffi::String& path) {
    const ValueObject& of = object_of(graph);
    const graph::ScriptGraph* traced = graph::flow_graph_of(of.value);
    const graph::Compiled* compiled = graph::compiled_graph_of(of.value);
    const graph::Graph* source = traced ? &traced->graph : compiled ? compiled->source() : nullptr;
    if (!source)
        throw ffi::Error("TypeError", cat("a '", lang::type_name(of.value), "' is no graph that was traced here"), "");
    entered(of.session, [&](DataModel&) {
        const Result<void> written = session::write_graph_file(std::string(path), {.graph = *source, .partition = {}});
        if (!written)
            throw ffi::Error("OSError", written.error().message, "");
    });
}

// As a file that NumPy reads, too.
void save_tensor(const AnyView& tensor, const ffi::String& path) {
    const ValueObject& of = tensor_object_of(tensor);
    entered(of.session, [&](DataModel&) {
        const Result<void> written = lang::write_npy(std::string(path), *of.value.as_tensor());
        if (!written)
            throw ffi::Error("OSError", written.error().message, "");
    });
}

const bool types_are_known = (SessionObject::RuntimeTypeIndex(), ValueObject::RuntimeTypeIndex(), true);

} // namespace

// Of any number of arguments, for which tvm-ffi has no macro.
#define HIDET_EXPORT_PACKED(name)                                                                                      \
    extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void*, const TVMFFIAny* args, std::int32_t count,               \
                                                       TVMFFIAny* result) {                                            \
        TVM_FFI_SAFE_CALL_BEGIN();                                                                                     \
        name(ffi::PackedArgs(reinterpret_cast<const AnyView*>(args), count), reinterpret_cast<Any*>(result));          \
        TVM_FFI_SAFE_CALL_END();                                                                                       \
    }

HIDET_EXPORT_PACKED(call)
HIDET_EXPORT_PACKED(device_call)
HIDET_EXPORT_PACKED(make)
HIDET_EXPORT_PACKED(new_class)
HIDET_EXPORT_PACKED(run)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(open, open)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(cpu_problem, cpu_problem)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_warnings, take_warnings)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(import_module, import_module)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(builtin, builtin)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kind_of, kind_of)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(type_name_of, type_name_of)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(attribute, attribute)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_attribute, set_attribute)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(attribute_names, attribute_names)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(parameters, parameters)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(unary, unary)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(binary, binary)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(compare, compare)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(item, item)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_item, set_item)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(delete_item, delete_item)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(items, items)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(entries, entries)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(enter, enter)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(leave, leave)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hash, hash)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(new_instance, new_instance)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(script, script)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tensor_from, tensor_from)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tensor_to, tensor_to)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(follow, follow)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(stand_at, stand_at)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(graph_document, graph_document)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(functions_of, functions_of)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(save_graph, save_graph)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(save_tensor, save_tensor)

} // namespace hidet::python
