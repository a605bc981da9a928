// SPDX-License-Identifier: Apache-2.0
// Values of the host language: what Python code of a script computes with while the script is compiled, IR included.
//
// Small values are held in place, the others are counted objects. Objects that can form cycles (lists, dicts, instances,
// closures) are also listed in the evaluator's Heap, which empties them when the evaluation ends, so nothing leaks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/func.h"
#include "lang/ast/ast.h"
#include "lang/tensor/tensor.h"

namespace hidet::lang {

class Evaluator;
class Value;
struct Args;
class Arguments;
class Parameters;
using NativeFunction = std::function<Value(Evaluator&, Args&, Span)>;
using BoundFunction = std::function<Value(Evaluator&, const Arguments&, Span)>; // gets what its parameters stand for

enum class ValueKind : std::uint8_t {
    None,
    Bool,
    Int,
    Float,
    Ellipsis, // in place
    Str,
    Bytes,
    List,
    Tuple,
    Dict,
    Set,
    Range,
    Slice,
    Iterator,
    Function, // def or lambda of host code
    Native,   // function of ours
    BoundMethod,
    Class,
    Instance,
    Module,
    Tensor,
    Unknown, // preview: a value that depends on data
    // IR values (made by lang/script):
    Expr,
    Stmt,
    Type,
    Layout,
    Mapping,
    ScriptFunction, // a translated @hidet.script function
    Extension,      // any other native object: see NativeObject
    Unbound,        // the slot of a local name before its first assignment; never seen by scripts
};

// The base of every object. NativeObject lets a module add kinds of values (script modules, compiled modules, loop
// iterables, declarations, contexts, events, ...) without a row here.
class Object : public RefCounted {
public:
    virtual void clear() {} // drop references; called once when the heap is torn down
};

// Membership in a Heap: intrusive, so that an object that dies early leaves the list at once.
struct HeapLink {
    HeapLink() = default;
    HeapLink(const HeapLink&) = delete;
    HeapLink& operator=(const HeapLink&) = delete;
    ~HeapLink() { leave(); }
    void leave();
    Object* owner = nullptr;
    HeapLink* previous = nullptr;
    HeapLink* next = nullptr;
};

// The objects of one evaluation that may be parts of cycles. Its end empties all of them; counted handles do the rest.
class Heap {
public:
    Heap() { m_head.previous = m_head.next = &m_head; }
    ~Heap() { clear(); }
    void track(Object& object, HeapLink& link);
    void clear();

private:
    HeapLink m_head;
};

class NativeObject : public Object {
public:
    virtual std::string type_name() const = 0; // "CompiledModule"
    virtual std::string repr() const { return "<" + type_name() + ">"; }
    // Null result: there is no such attribute; the evaluator reports it with a suggestion from attributes().
    virtual std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span span);
    virtual std::vector<std::string> attributes() const { return {}; }
    virtual bool set_attribute(Evaluator&, std::string_view, const Value&, Span) { return false; }
    virtual std::unique_ptr<Value> call(Evaluator&, Args&, Span);                   // null: not callable
    virtual std::unique_ptr<Value> subscript(Evaluator&, const Value& index, Span); // null: not subscriptable
    virtual std::unique_ptr<std::vector<Value>> iterate(Evaluator&, Span);          // null: not iterable
    virtual std::unique_ptr<Value> enter(Evaluator&, Span);                         // `with`: null: no context manager
    virtual void exit(Evaluator&, Span) {}
    // Operators with the object on the left, or on the right of `other`. Null: it has none of this kind.
    virtual std::unique_ptr<Value> unary(Evaluator&, ast::UnaryOp, Span);
    virtual std::unique_ptr<Value> binary(Evaluator&, ast::BinaryOp, const Value& other, bool on_right, Span);
    virtual std::unique_ptr<Value> compare(Evaluator&, ast::CompareOp, const Value& other, bool on_right, Span);
    virtual bool equals(const NativeObject& other) const { return this == &other; }
    virtual std::size_t hash() const { return 0; } // equal objects have equal hashes
};

class Value {
public:
    Value() = default; // None
    static Value boolean(bool b);
    static Value integer(std::int64_t i);
    static Value real(double d);
    static Value ellipsis();
    static Value unbound();
    static Value unknown(); // spreads through every operation
    static Value str(std::string text);
    static Value list(std::vector<Value> items); // not in a heap: prefer Evaluator::new_list
    static Value tuple(std::vector<Value> items);
    static Value expr(ir::ExprRef expr);
    static Value stmt(ir::StmtRef stmt);
    static Value type(ir::TypeRef type);
    static Value layout(ir::LayoutRef layout);
    static Value mapping(ir::MappingRef mapping);
    static Value tensor(TensorRef tensor);
    static Value object(ValueKind kind, Ref<Object> object);
    static Value extension(Ref<NativeObject> object);
    static Value native(std::string name, NativeFunction function);
    static Value native(std::string name, const Parameters& parameters, BoundFunction function);

    ValueKind kind() const { return m_kind; }
    bool is(ValueKind kind) const { return m_kind == kind; }
    bool is_ir() const { return m_kind >= ValueKind::Expr && m_kind <= ValueKind::Mapping; }
    bool is_number() const {
        return m_kind == ValueKind::Bool || m_kind == ValueKind::Int || m_kind == ValueKind::Float;
    }

    bool as_bool() const { return m_int != 0; }   // Bool
    std::int64_t as_int() const { return m_int; } // Bool, Int
    double as_double() const { return m_kind == ValueKind::Float ? m_real : static_cast<double>(m_int); }
    const std::string& as_str() const;
    const std::vector<Value>& items() const; // List, Tuple
    const ir::ExprRef& as_expr() const;
    const ir::StmtRef& as_stmt() const;
    const ir::TypeRef& as_type() const;
    const ir::LayoutRef& as_layout() const;
    const ir::MappingRef& as_mapping() const;
    const TensorRef& as_tensor() const;
    Object* object() const { return m_object.get(); }
    template <class T>
    T* extension() const { // the native object as T, or null
        return m_kind == ValueKind::Extension ? dynamic_cast<T*>(m_object.get()) : nullptr;
    }

private:
    ValueKind m_kind = ValueKind::None;
    union {
        std::int64_t m_int = 0;
        double m_real;
    };
    Ref<Object> m_object;
};

// Arguments of a call after unpacking.
struct Args {
    std::vector<Value> positional = {};
    std::vector<std::pair<std::string, Value>> keywords = {};
    std::vector<Span> spans = {};              // of the positional arguments
    std::vector<Span> keyword_spans = {};      // of the keywords' values
    std::vector<Span> keyword_name_spans = {}; // of the keywords' names
    bool asks_signature = false;               // not a call: a native function answers by throwing what it takes
    Span span_of(std::size_t i, Span otherwise) const { return i < spans.size() ? spans[i] : otherwise; }
};

// Objects the evaluator and lang/script both look into.
struct StrObject : Object {
    std::string text;
};
struct SequenceObject : Object { // List, Tuple
    std::vector<Value> items;
    HeapLink link;
    void clear() override { std::vector<Value>().swap(items); }
};
template <class T>
struct RefObject : Object { // an IR node or a tensor as a value
    explicit RefObject(T ref) : ref(std::move(ref)) {}
    T ref;
};
struct NativeFunctionObject : Object {
    static constexpr ValueKind kind = ValueKind::Native;
    std::string name; // "min", "math.exp"
    NativeFunction function;
    bool has_ir_form = false; // with an IR argument IrOperations::call_builtin is asked first
};
struct ScriptFunctionObject : Object { // a translated script function
    ir::FunctionRef function;          // null when its translation failed (reported): calls of it are silent
    std::string name;
    Span span;
};

std::string type_name(const Value& value); // as a Python user would name it: "int", "list", "f32 expression"

} // namespace hidet::lang
