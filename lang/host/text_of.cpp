// SPDX-License-Identifier: Apache-2.0
#include "lang/host/text_of.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "compiler/ir/type.h"
#include "lang/host/interpreter.h"
#include "lang/host/ir_operations.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

// Python writes fixed notation for exponents -4 to 15, and the shortest digits that read back.
std::string python_float(double value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    char buffer[64];
    char* end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    std::string text(buffer, end);
    std::size_t e = text.find('e');
    int exponent = std::atoi(text.c_str() + e + 1);
    std::string digits = text.substr(0, e);
    if (exponent < -4 || exponent >= 16)
        return cat(digits, exponent < 0 ? "e-" : "e+", std::abs(exponent) < 10 ? "0" : "", std::abs(exponent));
    end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
    text.assign(buffer, end);
    return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string type_name(const Value& value) {
    switch (value.kind()) {
    case ValueKind::None: return "NoneType";
    case ValueKind::Bool: return "bool";
    case ValueKind::Int: return "int";
    case ValueKind::Float: return "float";
    case ValueKind::Ellipsis: return "ellipsis";
    case ValueKind::Str: return "str";
    case ValueKind::Bytes: return "bytes";
    case ValueKind::List: return "list";
    case ValueKind::Tuple: return "tuple";
    case ValueKind::Dict: return as_dict(value).factory.is(ValueKind::None) ? "dict" : "defaultdict";
    case ValueKind::Set: return as_set(value).frozen ? "frozenset" : "set";
    case ValueKind::Range: return "range";
    case ValueKind::Slice: return "slice";
    case ValueKind::Iterator: return as_iterator(value).name;
    case ValueKind::Function: return "function";
    case ValueKind::Native: return "builtin_function_or_method";
    case ValueKind::BoundMethod: return "method";
    case ValueKind::Class: return "type";
    case ValueKind::Instance: return as_instance(value).type->name;
    case ValueKind::Module: return "module";
    case ValueKind::Tensor: return "Tensor";
    case ValueKind::Unknown: return "unknown value";
    case ValueKind::Expr: {
        const ir::TypeRef& type = value.as_expr()->type;
        auto dtype = type ? ir::scalar_of(type) : std::nullopt;
        if (dtype)
            return cat(ir::info(*dtype).name, " expression");
        return type && ir::tensor_of(type)    ? "tensor expression"
               : type && ir::is_pointer(type) ? "pointer expression"
                                              : "expression";
    }
    case ValueKind::Stmt: return "statement";
    case ValueKind::Type: return "type of the IR";
    case ValueKind::Layout: return "layout";
    case ValueKind::Mapping: return "task mapping";
    case ValueKind::ScriptFunction: return "script function";
    case ValueKind::Extension: return static_cast<NativeObject*>(value.object())->type_name();
    case ValueKind::Unbound: return "nothing";
    }
    return "object";
}

namespace {

class Writer {
public:
    explicit Writer(Evaluator& evaluator) : m_evaluator(evaluator) {}

    // What a container holds, or an ellipsis where it is within itself.
    template <class Items>
    void enclosed(std::string& out, const Value& owner, const char* open, const char* close, const Items& items) {
        const OpenText text(m_evaluator, owner);
        out += open;
        if (text.is_within_itself())
            out += "...";
        else
            items();
        out += close;
    }

    void sequence(std::string& out, const Value& owner, const char* open, const char* close) {
        enclosed(out, owner, open, close, [&] {
            const std::vector<Value>& items = owner.items();
            for (std::size_t i = 0; i < items.size(); ++i) {
                if (i > 0)
                    out += ", ";
                repr(out, Value(items[i]));
            }
            if (owner.is(ValueKind::Tuple) && items.size() == 1)
                out += ',';
        });
    }

    void table(std::string& out, const ValueTable& table, const Value& owner, bool values) {
        enclosed(out, owner, "{", "}", [&] {
            bool first = true;
            for (std::size_t i = 0; i < table.entries().size(); ++i) {
                ValueTable::Entry entry = table.entries()[i];
                if (!entry.alive)
                    continue;
                if (!std::exchange(first, false))
                    out += ", ";
                repr(out, entry.key);
                if (values) {
                    out += ": ";
                    repr(out, entry.value);
                }
            }
        });
    }

    void repr(std::string& out, const Value& value) {
        m_evaluator.impl().check_stack(m_evaluator.impl().current);
        m_evaluator.charge_steps(1, m_evaluator.impl().current);
        m_evaluator.impl().check_bytes(out.size(), m_evaluator.impl().current);
        switch (value.kind()) {
        case ValueKind::Str:
            m_evaluator.impl().charge_items(value.as_str().size(), m_evaluator.impl().current);
            out += quote(value.as_str());
            return;
        case ValueKind::List: sequence(out, value, "[", "]"); return;
        case ValueKind::Tuple: sequence(out, value, "(", ")"); return;
        case ValueKind::Dict: {
            const DictObject& dict = as_dict(value);
            if (dict.factory.is(ValueKind::None)) {
                table(out, dict.table, value, true);
                return;
            }
            out += "defaultdict(";
            repr(out, dict.factory);
            out += ", ";
            table(out, dict.table, value, true);
            out += ')';
            return;
        }
        case ValueKind::Set:
            if (as_set(value).frozen)
                out += "frozenset(";
            if (as_set(value).table.size() == 0)
                out += as_set(value).frozen ? "" : "set()";
            else
                table(out, as_set(value).table, value, false);
            if (as_set(value).frozen)
                out += ')';
            return;
        default: out += repr_of(m_evaluator, value); return;
        }
    }

private:
    Evaluator& m_evaluator;
};

std::string class_text(const ClassObject& type) {
    return type.is_builtin ? cat("<class '", type.name, "'>") : cat("<class '__main__.", type.name, "'>");
}

std::string instance_repr(Evaluator& evaluator, const Value& value) {
    Evaluator::Impl& impl = evaluator.impl();
    if (auto text = impl.call_method(value, "__repr__", {}, impl.current)) {
        if (!text->is(ValueKind::Str))
            fail(DiagId::BadType, impl.current, cat("__repr__ returned '", type_name(*text), "', not a str"));
        return text->as_str();
    }
    const InstanceObject& instance = as_instance(value);
    if (const auto* exception = dynamic_cast<const ExceptionObject*>(&instance)) {
        const Value* found = exception->fields.find("args");
        const Value args = found ? *found : Value::tuple({}); // held: __repr__ may give the exception others
        if (args.is(ValueKind::Tuple) && args.items().size() == 1)
            return cat(instance.type->name, "(", evaluator.repr(args.items()[0]), ")");
        return instance.type->name + evaluator.repr(args);
    }
    return cat("<", instance.type->name, " object>");
}

} // namespace

std::string repr_of(Evaluator& evaluator, const Value& given) {
    const Value value = given; // held, as by equal()
    evaluator.charge_steps(2, evaluator.impl().current);
    evaluator.impl().check_stack(evaluator.impl().current);
    switch (value.kind()) {
    case ValueKind::None: return "None";
    case ValueKind::Bool: return value.as_bool() ? "True" : "False";
    case ValueKind::Int: return std::to_string(value.as_int());
    case ValueKind::Float: return python_float(value.as_double());
    case ValueKind::Ellipsis: return "Ellipsis";
    case ValueKind::Str:
    case ValueKind::List:
    case ValueKind::Tuple:
    case ValueKind::Dict:
    case ValueKind::Set: {
        std::string out;
        Writer(evaluator).repr(out, value);
        return out;
    }
    case ValueKind::Bytes: return "b" + quote(value.as_str());
    case ValueKind::Range: {
        const RangeObject& range = as_range(value);
        return range.step == 1 ? cat("range(", range.start, ", ", range.stop, ")")
                               : cat("range(", range.start, ", ", range.stop, ", ", range.step, ")");
    }
    case ValueKind::Slice: {
        const auto& slice = object_of<SliceObject>(value);
        return cat("slice(", evaluator.repr(slice.start), ", ", evaluator.repr(slice.stop), ", ",
                   evaluator.repr(slice.step), ")");
    }
    case ValueKind::Iterator: return cat("<", as_iterator(value).name, " object>");
    case ValueKind::Function: return cat("<function ", as_function(value).name, ">");
    case ValueKind::Native: return cat("<built-in function ", object_of<NativeFunctionObject>(value).name, ">");
    case ValueKind::BoundMethod: return "<bound method>";
    case ValueKind::Class: return class_text(as_class(value));
    case ValueKind::Instance: return instance_repr(evaluator, value);
    case ValueKind::Module: return cat("<module '", as_module(value).name, "'>");
    case ValueKind::Tensor: return tensor_text(value.as_tensor());
    case ValueKind::Unknown: return "<unknown>";
    case ValueKind::Type:
        if (const auto* data = ir::as<ir::DataType>(value.as_type()))
            return ir::info(data->dtype).name;
        return evaluator.ir().repr(value);
    case ValueKind::Expr:
    case ValueKind::Stmt:
    case ValueKind::Layout:
    case ValueKind::Mapping:
    case ValueKind::ScriptFunction: return evaluator.ir().repr(value);
    case ValueKind::Extension: {
        auto& native = *static_cast<NativeObject*>(value.object());
        std::string name = native.type_name();
        if (name.starts_with("dict_"))
            return cat(name, "(", evaluator.repr(Value::list(std::move(*native.iterate(evaluator, {})))), ")");
        return native.repr();
    }
    case ValueKind::Unbound: return "<unbound>";
    }
    return "<object>";
}

OpenText::OpenText(Evaluator& evaluator, const Value& owner) : m_all(evaluator.impl().written) {
    evaluator.charge_steps(1 + m_all.size() / 8, evaluator.impl().current); // all are looked through
    m_open = std::ranges::find(m_all, owner.object()) == m_all.end();
    if (m_open)
        m_all.push_back(owner.object());
}

OpenText::~OpenText() {
    if (m_open)
        m_all.pop_back();
}

std::string text_of(Evaluator& evaluator, const Value& given) {
    const Value value = given;
    evaluator.impl().check_stack(evaluator.impl().current);
    if (value.is(ValueKind::Str))
        return value.as_str();
    if (!value.is(ValueKind::Instance))
        return repr_of(evaluator, value);
    Evaluator::Impl& impl = evaluator.impl();
    if (auto text = impl.call_method(value, "__str__", {}, impl.current)) {
        if (!text->is(ValueKind::Str))
            fail(DiagId::BadType, impl.current, cat("__str__ returned '", type_name(*text), "', not a str"));
        return text->as_str();
    }
    if (const auto* exception = dynamic_cast<const ExceptionObject*>(value.object()))
        return impl.exception_text(*exception);
    return instance_repr(evaluator, value);
}

} // namespace hidet::lang
