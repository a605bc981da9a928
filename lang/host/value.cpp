// SPDX-License-Identifier: Apache-2.0
#include "lang/host/value.h"

#include "compiler/ir/type.h"
#include "lang/base/check.h"

namespace hidet::lang {

void HeapLink::leave() {
    if (!next)
        return;
    previous->next = next;
    next->previous = previous;
    previous = next = nullptr;
}

void Heap::track(Object& object, HeapLink& link) {
    link.owner = &object;
    link.previous = m_head.previous;
    link.next = &m_head;
    m_head.previous->next = &link;
    m_head.previous = &link;
}

// Emptying one object may free others, so each is held until all are empty.
void Heap::clear() {
    std::vector<Ref<Object>> all;
    while (m_head.next != &m_head) {
        HeapLink* link = m_head.next;
        all.emplace_back(link->owner);
        link->leave();
    }
    for (const Ref<Object>& object : all)
        object->clear();
    m_head.previous = m_head.next = &m_head;
}

std::unique_ptr<Value> NativeObject::attribute(Evaluator&, std::string_view, Span) {
    return nullptr;
}
std::unique_ptr<Value> NativeObject::call(Evaluator&, Args&, Span) {
    return nullptr;
}
std::unique_ptr<Value> NativeObject::subscript(Evaluator&, const Value&, Span) {
    return nullptr;
}
std::unique_ptr<std::vector<Value>> NativeObject::iterate(Evaluator&, Span) {
    return nullptr;
}
std::unique_ptr<Value> NativeObject::enter(Evaluator&, Span) {
    return nullptr;
}
std::unique_ptr<Value> NativeObject::unary(Evaluator&, ast::UnaryOp, Span) {
    return nullptr;
}
std::unique_ptr<Value> NativeObject::binary(Evaluator&, ast::BinaryOp, const Value&, bool, Span) {
    return nullptr;
}
std::unique_ptr<Value> NativeObject::compare(Evaluator&, ast::CompareOp, const Value&, bool, Span) {
    return nullptr;
}

Value Value::boolean(bool b) {
    Value value;
    value.m_kind = ValueKind::Bool;
    value.m_int = b ? 1 : 0;
    return value;
}
Value Value::integer(std::int64_t i) {
    Value value;
    value.m_kind = ValueKind::Int;
    value.m_int = i;
    return value;
}
Value Value::real(double d) {
    Value value;
    value.m_kind = ValueKind::Float;
    value.m_real = d;
    return value;
}
Value Value::ellipsis() {
    return object(ValueKind::Ellipsis, nullptr);
}
Value Value::unbound() {
    return object(ValueKind::Unbound, nullptr);
}
Value Value::unknown() {
    return object(ValueKind::Unknown, nullptr);
}
Value Value::object(ValueKind kind, Ref<Object> object) {
    Value value;
    value.m_kind = kind;
    value.m_object = std::move(object);
    return value;
}
Value Value::str(std::string text) {
    Ref<StrObject> object(new StrObject);
    object->text = std::move(text);
    return Value::object(ValueKind::Str, std::move(object));
}

static Value sequence(ValueKind kind, std::vector<Value> items) {
    Ref<SequenceObject> object(new SequenceObject);
    object->items = std::move(items);
    return Value::object(kind, std::move(object));
}
Value Value::list(std::vector<Value> items) {
    return sequence(ValueKind::List, std::move(items));
}
Value Value::tuple(std::vector<Value> items) {
    return sequence(ValueKind::Tuple, std::move(items));
}

template <class T>
static Value wrap(ValueKind kind, T ref) {
    HIDET_CHECK(ref, "a value of a null handle");
    return Value::object(kind, Ref<Object>(new RefObject<T>(std::move(ref))));
}
Value Value::expr(ir::ExprRef expr) {
    return wrap(ValueKind::Expr, std::move(expr));
}
Value Value::stmt(ir::StmtRef stmt) {
    return wrap(ValueKind::Stmt, std::move(stmt));
}
Value Value::type(ir::TypeRef type) {
    return wrap(ValueKind::Type, std::move(type));
}
Value Value::layout(ir::LayoutRef layout) {
    return wrap(ValueKind::Layout, std::move(layout));
}
Value Value::mapping(ir::MappingRef mapping) {
    return wrap(ValueKind::Mapping, std::move(mapping));
}
Value Value::tensor(TensorRef tensor) {
    return wrap(ValueKind::Tensor, std::move(tensor));
}
Value Value::extension(Ref<NativeObject> object) {
    return Value::object(ValueKind::Extension, std::move(object));
}
Value Value::native(std::string name, NativeFunction function) {
    Ref<NativeFunctionObject> object(new NativeFunctionObject);
    object->name = std::move(name);
    object->function = std::move(function);
    return Value::object(ValueKind::Native, std::move(object));
}

const std::string& Value::as_str() const {
    HIDET_CHECK(m_kind == ValueKind::Str);
    return static_cast<const StrObject&>(*m_object).text;
}
const std::vector<Value>& Value::items() const {
    HIDET_CHECK(m_kind == ValueKind::List || m_kind == ValueKind::Tuple);
    return static_cast<const SequenceObject&>(*m_object).items;
}

template <class T>
static const T& unwrap(const Value& value, ValueKind kind) {
    HIDET_CHECK(value.is(kind));
    return static_cast<const RefObject<T>&>(*value.object()).ref;
}
const ir::ExprRef& Value::as_expr() const {
    return unwrap<ir::ExprRef>(*this, ValueKind::Expr);
}
const ir::StmtRef& Value::as_stmt() const {
    return unwrap<ir::StmtRef>(*this, ValueKind::Stmt);
}
const ir::TypeRef& Value::as_type() const {
    return unwrap<ir::TypeRef>(*this, ValueKind::Type);
}
const ir::LayoutRef& Value::as_layout() const {
    return unwrap<ir::LayoutRef>(*this, ValueKind::Layout);
}
const ir::MappingRef& Value::as_mapping() const {
    return unwrap<ir::MappingRef>(*this, ValueKind::Mapping);
}
const TensorRef& Value::as_tensor() const {
    return unwrap<TensorRef>(*this, ValueKind::Tensor);
}

} // namespace hidet::lang
