// SPDX-License-Identifier: Apache-2.0
#include "lang/host/data_model.h"

#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/operators.h"
#include "lang/host/watching_context.h"

namespace hidet::lang {

DataModel::DataModel(Evaluator& evaluator, Span site) : m_evaluator(evaluator), m_site(site) {
    evaluator.impl().begin_stack();
}

Value DataModel::import(std::string_view module) {
    return m_evaluator.import(module, {});
}

Value DataModel::builtin(std::string_view name) {
    return m_evaluator.impl().builtin(name);
}

std::optional<Value> DataModel::attribute(const Value& object, std::string_view name) {
    return m_evaluator.impl().get_attribute(object, name, {});
}

void DataModel::set_attribute(const Value& object, std::string_view name, const Value& value) {
    m_evaluator.impl().set_attribute(object, ast::Ident{name, {}}, value);
}

std::vector<std::string> DataModel::attribute_names(const Value& object) {
    return m_evaluator.impl().attribute_names(object);
}

Value DataModel::call(const Value& callee, Args args) {
    return m_evaluator.impl().call(callee, args, m_site);
}

std::optional<std::vector<std::string>> DataModel::parameters(const Value& callee) {
    if (!callee.is(ValueKind::Native))
        return std::nullopt;
    Args args;
    args.asks_signature = true;
    try {
        call(callee, std::move(args));
    } catch (const SignatureAnswer& answer) {
        return answer.parameters;
    } catch (const DiagnosticError&) {
    } catch (const RaisedError&) {
    } catch (const UnknownValue&) {
    }
    m_evaluator.impl().begin_stack();
    m_evaluator.sink().take();
    return std::nullopt;
}

Value DataModel::unary(ast::UnaryOp op, const Value& a) {
    return lang::unary(m_evaluator, op, a, m_site);
}

Value DataModel::binary(ast::BinaryOp op, const Value& a, const Value& b) {
    return lang::binary(m_evaluator, op, a, b, m_site, m_site);
}

Value DataModel::compare(ast::CompareOp op, const Value& a, const Value& b) {
    return lang::compare(m_evaluator, op, a, b, m_site, m_site);
}

Value DataModel::item(const Value& object, const Value& index) {
    return m_evaluator.impl().subscript(object, index, m_site, m_site);
}

void DataModel::set_item(const Value& object, const Value& index, const Value& value) {
    m_evaluator.impl().set_item(object, index, value, {}, {});
}

void DataModel::delete_item(const Value& object, const Value& index) {
    m_evaluator.impl().delete_item(object, index, {}, {});
}

std::vector<Value> DataModel::items(const Value& iterable) {
    return m_evaluator.iterate(iterable, {});
}

std::vector<std::pair<Value, Value>> DataModel::entries(const Value& dict) {
    std::vector<std::pair<Value, Value>> out;
    for (const Value& key : items(dict))
        out.emplace_back(key, item(dict, key));
    return out;
}

Value DataModel::enter(const Value& context) {
    if (context.is(ValueKind::Extension)) {
        if (auto entered = static_cast<NativeObject*>(context.object())->enter(m_evaluator, {}))
            return *entered;
    } else if (auto entered = m_evaluator.impl().call_method(context, "__enter__", {}, {})) {
        return *entered;
    }
    fail(DiagId::NoContextManager, {}, type_name(context));
}

void DataModel::leave(const Value& context, bool by_exception) {
    Evaluator::Impl& impl = m_evaluator.impl();
    Value exception;
    if (by_exception)
        exception = Value::object(ValueKind::Instance, impl.make_exception(impl.exception_class("Exception"), {}, {}));
    if (context.is(ValueKind::Extension))
        leave_context(m_evaluator, *static_cast<NativeObject*>(context.object()), exception, {});
    else
        impl.call_method(context, "__exit__", {Value(), exception, Value()}, {});
}

Value DataModel::slice(Value start, Value stop, Value step) {
    Ref<SliceObject> slice(new SliceObject);
    slice->start = std::move(start);
    slice->stop = std::move(stop);
    slice->step = std::move(step);
    return Value::object(ValueKind::Slice, std::move(slice));
}

Value DataModel::dict(const std::vector<std::pair<Value, Value>>& entries) {
    Value out = m_evaluator.impl().new_dict();
    for (const auto& [key, value] : entries)
        set_item(out, key, value);
    return out;
}

std::uint64_t DataModel::hash(const Value& value) {
    return hash_value(m_evaluator, value, {});
}

Value DataModel::script(const ast::FunctionDef& def, Environment& environment) {
    return m_evaluator.ir().define_script(def, environment);
}

namespace {

std::string shown(const Diagnostic& diagnostic, const SourceMap& sources) {
    return diagnostic.span.known() ? cat(diagnostic.message, "\n", render(diagnostic, sources)) : diagnostic.message;
}

} // namespace

Value DataModel::derived(std::string name, const Value& base,
                         const std::vector<std::pair<std::string, Value>>& members) {
    if (!base.is(ValueKind::Class) || as_class(base).construct)
        fail(DiagId::UnsupportedBase, {},
             cat("'", base.is(ValueKind::Class) ? as_class(base).name : type_name(base), "'"));
    Ref<ClassObject> type = m_evaluator.impl().new_class(std::move(name), Ref<ClassObject>(&as_class(base)));
    for (const auto& [member, value] : members)
        type->table.set(member, value);
    return Value::object(ValueKind::Class, type);
}

Value DataModel::allocated(const Value& type) {
    if (!type.is(ValueKind::Class) || as_class(type).is_builtin)
        fail(DiagId::BadType, {}, cat("a class that was derived is wanted, not '", type_name(type), "'"));
    return m_evaluator.impl().new_instance(Ref<ClassObject>(&as_class(type)));
}

PythonError DataModel::error_of(std::exception_ptr error) {
    Evaluator::Impl& impl = m_evaluator.impl();
    try {
        std::rethrow_exception(std::move(error));
    } catch (const DiagnosticError& found) {
        return {impl.exception_of(found)->type->name, shown(found.diagnostic, impl.sources)};
    } catch (const RaisedError& raised) {
        const Ref<ExceptionObject> exception = raised.exception;
        return {exception->type->name,
                exception->diagnostic ? shown(*exception->diagnostic, impl.sources) : impl.exception_text(*exception)};
    } catch (const UnknownValue&) {
        if (m_evaluator.sink().has_errors()) { // why it is not known
            try {
                throw_reported();
            } catch (...) {
                return error_of(std::current_exception());
            }
        }
        return {"RuntimeError", "the value depends on data that is not there"};
    }
}

void DataModel::throw_reported() {
    DiagnosticSink& sink = m_evaluator.sink();
    if (!sink.has_errors())
        return;
    sink.sort();
    std::vector<Diagnostic> all = sink.take();
    std::erase_if(all, [](const Diagnostic& each) { return each.severity != Severity::Error; });
    Diagnostic first = all.front();
    if (all.size() > 1) { // the others with their lines
        all.erase(all.begin());
        first.message += cat("\n", render(all, m_evaluator.sources()));
    }
    throw DiagnosticError(std::move(first));
}

} // namespace hidet::lang
