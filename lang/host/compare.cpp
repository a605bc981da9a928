// SPDX-License-Identifier: Apache-2.0
// Equality, order, membership and hashes.
#include <bit>
#include <cmath>

#include "lang/host/interpreter.h"
#include "lang/host/ir_operations.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/typing.h"

#include "compiler/ir/structure.h"

namespace hidet::lang {

using ast::CompareOp;

bool identical(const Value& a, const Value& b) {
    if (a.kind() != b.kind())
        return false;
    switch (a.kind()) {
    case ValueKind::None:
    case ValueKind::Ellipsis: return true;
    case ValueKind::Bool:
    case ValueKind::Int: return a.as_int() == b.as_int();
    case ValueKind::Float:
        return std::bit_cast<std::uint64_t>(a.as_double()) == std::bit_cast<std::uint64_t>(b.as_double());
    case ValueKind::Tensor: return a.as_tensor() == b.as_tensor();
    case ValueKind::Str: return a.object() == b.object() || a.as_str() == b.as_str();
    case ValueKind::Type: return ir::structural_equal(a.as_type(), b.as_type());
    case ValueKind::Extension:
        return static_cast<NativeObject*>(a.object())->equals(*static_cast<NativeObject*>(b.object()));
    default: return a.object() == b.object();
    }
}

static std::uint64_t tree_size(const Value& value) {
    switch (value.kind()) {
    case ValueKind::Expr: return value.as_expr()->size;
    case ValueKind::Stmt: return value.as_stmt()->size;
    case ValueKind::Type: return value.as_type()->size;
    case ValueKind::Layout: return value.as_layout()->size;
    case ValueKind::Mapping: return value.as_mapping()->size;
    default: return 0;
    }
}

void charge_tree(Evaluator& evaluator, const Value& value, std::uint64_t steps, Span span) {
    evaluator.charge_steps(tree_size(value) / 8 * steps, span);
}

static bool equal_items(Evaluator& evaluator, const Value& a, const Value& b, Span span) {
    const auto& left = a.items();
    const auto& right = b.items();
    if (left.size() != right.size())
        return false;
    std::size_t i = 0;
    for (; i < left.size() && i < right.size(); ++i) {
        evaluator.charge_steps(1, span);
        if (!same_key(evaluator, left[i], right[i], span))
            break;
    }
    return i >= std::min(left.size(), right.size()) && left.size() == right.size();
}

static bool int_equals_float(std::int64_t i, double d) {
    return d == static_cast<double>(i) && std::fabs(d) < 9.3e18 && static_cast<std::int64_t>(d) == i;
}

bool same_key(Evaluator& evaluator, const Value& a, const Value& b, Span span) {
    return (a.kind() == b.kind() && a.object() && a.object() == b.object()) || equal(evaluator, a, b, span);
}

// The __eq__ of a script may change both tables, so entries are copied.
static bool holds_all(Evaluator& evaluator, ValueTable& table, const ValueTable& keys, Span span) {
    for (std::size_t i = 0; i < keys.entries().size(); ++i) {
        ValueTable::Entry entry = keys.entries()[i];
        evaluator.charge_steps(1, span);
        if (entry.alive && !table.find(evaluator, entry.key, span))
            return false;
    }
    return true;
}

// `==` where a decision is needed. Both sides are held: the code of a script may drop them from where they were found.
bool equal(Evaluator& evaluator, const Value& left_side, const Value& right_side, Span span) {
    const Value a = left_side, b = right_side;
    want_known(a, b);
    if (a.is_number() && b.is_number()) {
        bool a_float = a.is(ValueKind::Float), b_float = b.is(ValueKind::Float);
        if (a_float && b_float)
            return a.as_double() == b.as_double();
        if (a_float || b_float)
            return a_float ? int_equals_float(b.as_int(), a.as_double()) : int_equals_float(a.as_int(), b.as_double());
        return a.as_int() == b.as_int();
    }
    evaluator.impl().check_stack(span);
    if (a.is(ValueKind::Instance) || b.is(ValueKind::Instance)) {
        Evaluator::Impl& impl = evaluator.impl();
        if (auto result = impl.call_method(a, "__eq__", {b}, span); result && !is_not_implemented(*result))
            return evaluator.truth(*result, span);
        if (auto result = impl.call_method(b, "__eq__", {a}, span); result && !is_not_implemented(*result))
            return evaluator.truth(*result, span);
        return identical(a, b);
    }
    if (a.kind() != b.kind()) {
        if (a.is(ValueKind::Expr) || b.is(ValueKind::Expr))
            return evaluator.truth(evaluator.ir().compare(CompareOp::Eq, a, b, span, span), span);
        return false;
    }
    charge_tree(evaluator, a, 2, span);
    switch (a.kind()) {
    case ValueKind::Str: evaluator.impl().charge_text(a, span); return a.as_str() == b.as_str();
    case ValueKind::List:
    case ValueKind::Tuple: return equal_items(evaluator, a, b, span);
    case ValueKind::Dict: {
        ValueTable& left = as_dict(a).table;
        ValueTable& right = as_dict(b).table;
        if (left.size() != right.size())
            return false;
        for (std::size_t i = 0; i < left.entries().size(); ++i) {
            ValueTable::Entry entry = left.entries()[i];
            evaluator.charge_steps(1, span);
            if (!entry.alive)
                continue;
            const Value* other = right.find(evaluator, entry.key, span);
            if (!other || !same_key(evaluator, entry.value, Value(*other), span))
                return false;
        }
        return true;
    }
    case ValueKind::Set: {
        ValueTable& left = as_set(a).table;
        ValueTable& right = as_set(b).table;
        if (left.size() != right.size())
            return false;
        return holds_all(evaluator, right, left, span);
    }
    case ValueKind::Range: {
        const RangeObject& left = as_range(a);
        const RangeObject& right = as_range(b);
        std::int64_t size = left.size();
        return size == right.size() &&
               (size == 0 || (left.start == right.start && (size == 1 || left.step == right.step)));
    }
    case ValueKind::BoundMethod: {
        const auto& left = object_of<BoundMethodObject>(a);
        const auto& right = object_of<BoundMethodObject>(b);
        return identical(left.self, right.self) && identical(left.function, right.function);
    }
    case ValueKind::Type: return ir::structural_equal(a.as_type(), b.as_type());
    case ValueKind::Layout: return ir::structural_equal(a.as_layout(), b.as_layout());
    case ValueKind::Mapping: return ir::structural_equal(a.as_mapping(), b.as_mapping());
    case ValueKind::Expr: return evaluator.truth(evaluator.ir().compare(CompareOp::Eq, a, b, span, span), span);
    case ValueKind::Tensor: return evaluator.truth(*tensor_compare(evaluator, CompareOp::Eq, a, b, span, span), span);
    default: return identical(a, b);
    }
}

[[noreturn]] static void unordered(CompareOp op, const Value& a, const Value& b, Span span) {
    fail(DiagId::UnsupportedCompare, span, ast::spelling(op), type_name(a), type_name(b));
}

static bool order_numbers(CompareOp op, const Value& a, const Value& b) {
    if (!a.is(ValueKind::Float) && !b.is(ValueKind::Float)) {
        std::int64_t x = a.as_int(), y = b.as_int();
        return op == CompareOp::Lt ? x < y : op == CompareOp::Le ? x <= y : op == CompareOp::Gt ? x > y : x >= y;
    }
    double x = a.as_double(), y = b.as_double();
    return op == CompareOp::Lt ? x < y : op == CompareOp::Le ? x <= y : op == CompareOp::Gt ? x > y : x >= y;
}

static bool order_sets(Evaluator& evaluator, CompareOp op, const Value& a, const Value& b, Span span) {
    bool forward = op == CompareOp::Lt || op == CompareOp::Le;
    ValueTable& small = as_set(forward ? a : b).table;
    ValueTable& large = as_set(forward ? b : a).table;
    if (!holds_all(evaluator, large, small, span))
        return false;
    return op == CompareOp::Le || op == CompareOp::Ge || small.size() < large.size();
}

static bool order(Evaluator& evaluator, CompareOp op, const Value& left_side, const Value& right_side, Span span) {
    const Value a = left_side, b = right_side; // held, as by equal()
    want_known(a, b);
    if (a.is_number() && b.is_number())
        return order_numbers(op, a, b);
    if (a.is(ValueKind::Str) && b.is(ValueKind::Str)) {
        evaluator.impl().charge_items(std::min(a.as_str().size(), b.as_str().size()) / 16, span);
        int c = a.as_str().compare(b.as_str()); // the order of UTF-8 is that of code points
        return op == CompareOp::Lt ? c < 0 : op == CompareOp::Le ? c <= 0 : op == CompareOp::Gt ? c > 0 : c >= 0;
    }
    evaluator.impl().check_stack(span);
    if (a.kind() == b.kind() && (a.is(ValueKind::List) || a.is(ValueKind::Tuple))) {
        const auto& x = a.items();
        const auto& y = b.items();
        for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
            evaluator.charge_steps(1, span);
            const Value left = x[i], right = y[i];
            if (same_key(evaluator, left, right, span))
                continue;
            if (i >= x.size() || i >= y.size()) // the comparison has shortened them
                break;
            return order(evaluator, op, left, right, span);
        }
        return op == CompareOp::Lt   ? x.size() < y.size()
               : op == CompareOp::Le ? x.size() <= y.size()
               : op == CompareOp::Gt ? x.size() > y.size()
                                     : x.size() >= y.size();
    }
    if (a.is(ValueKind::Set) && b.is(ValueKind::Set))
        return order_sets(evaluator, op, a, b, span);
    if (a.is(ValueKind::Instance) || b.is(ValueKind::Instance)) {
        static constexpr const char* names[] = {"__lt__", "__le__", "__gt__", "__ge__"};
        static constexpr const char* reflected[] = {"__gt__", "__ge__", "__lt__", "__le__"};
        auto i = static_cast<std::size_t>(op) - static_cast<std::size_t>(CompareOp::Lt);
        Evaluator::Impl& impl = evaluator.impl();
        if (auto result = impl.call_method(a, names[i], {b}, span); result && !is_not_implemented(*result))
            return evaluator.truth(*result, span);
        if (auto result = impl.call_method(b, reflected[i], {a}, span); result && !is_not_implemented(*result))
            return evaluator.truth(*result, span);
    }
    if (a.is(ValueKind::Expr) || b.is(ValueKind::Expr))
        return evaluator.truth(evaluator.ir().compare(op, a, b, span, span), span);
    if (a.is(ValueKind::Tensor) || b.is(ValueKind::Tensor))
        if (auto result = tensor_compare(evaluator, op, a, b, span, span))
            return evaluator.truth(*result, span);
    unordered(op, a, b, span);
}

bool less(Evaluator& evaluator, const Value& a, const Value& b, Span span) {
    return order(evaluator, CompareOp::Lt, a, b, span);
}

bool contains(Evaluator& evaluator, const Value& item, const Value& container, Span item_span, Span container_span) {
    switch (container.kind()) {
    case ValueKind::Str:
        if (!item.is(ValueKind::Str))
            fail(DiagId::BadType, item_span,
                 cat("'in <string>' requires string as left operand, not '", type_name(item), "'"));
        evaluator.impl().charge_search(container, item.as_str().size(), container_span);
        return container.as_str().find(item.as_str()) != std::string::npos;
    case ValueKind::Dict: return as_dict(container).table.find(evaluator, item, item_span) != nullptr;
    case ValueKind::Set: return as_set(container).table.find(evaluator, item, item_span) != nullptr;
    case ValueKind::Range: {
        if (!item.is(ValueKind::Int) && !item.is(ValueKind::Bool))
            break;
        const RangeObject& range = as_range(container);
        std::int64_t at = item.as_int();
        bool inside = range.step > 0 ? at >= range.start && at < range.stop : at <= range.start && at > range.stop;
        return inside && (at - range.start) % range.step == 0;
    }
    case ValueKind::Instance:
        if (auto result = evaluator.impl().call_method(container, "__contains__", {item}, container_span))
            return evaluator.truth(*result, container_span);
        break;
    default: break;
    }
    Ref<IteratorObject> items = evaluator.impl().iterator(container, container_span);
    Value other;
    while (items->next(evaluator, other)) {
        evaluator.charge_steps(1, container_span);
        if (same_key(evaluator, other, item, item_span))
            return true;
    }
    return false;
}

static std::unique_ptr<Value> native_compare(Evaluator& evaluator, CompareOp op, const Value& a, const Value& b,
                                             Span span) {
    if (auto* left = a.extension<NativeObject>())
        if (auto result = left->compare(evaluator, op, b, false, span))
            return result;
    auto* right = b.extension<NativeObject>();
    return right ? right->compare(evaluator, op, a, true, span) : nullptr;
}

Value compare(Evaluator& evaluator, CompareOp op, const Value& a, const Value& b, Span a_span, Span b_span) {
    if (op == CompareOp::Is || op == CompareOp::IsNot) {
        bool on_ir = (a.is(ValueKind::Expr) && (b.is(ValueKind::Expr) || b.is_number())) ||
                     (a.is_number() && b.is(ValueKind::Expr));
        if (on_ir) // two objects may be one value at run time
            return evaluator.ir().compare(op, a, b, a_span, b_span);
        bool unknown = a.is(ValueKind::Unknown) != b.is(ValueKind::Unknown) || a.is(ValueKind::Unknown);
        if (a.is(ValueKind::Str))
            evaluator.impl().charge_items(a.as_str().size() / 16, cover(a_span, b_span));
        return unknown ? Value::unknown() : Value::boolean(identical(a, b) == (op == CompareOp::Is));
    }
    if (a.is(ValueKind::Unknown) || b.is(ValueKind::Unknown))
        return Value::unknown();
    Span span = cover(a_span, b_span);
    try {
        if (op == CompareOp::In || op == CompareOp::NotIn)
            return Value::boolean(contains(evaluator, a, b, a_span, b_span) == (op == CompareOp::In));
        if (a.is(ValueKind::Expr) || b.is(ValueKind::Expr)) {
            if ((a.is(ValueKind::None) || b.is(ValueKind::None)) && (op == CompareOp::Eq || op == CompareOp::Ne))
                return Value::boolean(op == CompareOp::Ne);
            return evaluator.ir().compare(op, a, b, a_span, b_span);
        }
        if (auto result = native_compare(evaluator, op, a, b, span))
            return *result;
        if (a.is(ValueKind::Tensor) || b.is(ValueKind::Tensor))
            if (auto result = tensor_compare(evaluator, op, a, b, a_span, b_span))
                return *result;
        if (op == CompareOp::Eq && (a.is(ValueKind::Instance) || b.is(ValueKind::Instance))) {
            // __eq__ may return what it likes
            if (auto result = evaluator.impl().call_method(a, "__eq__", {b}, span);
                result && !is_not_implemented(*result))
                return *result;
        }
        if (op == CompareOp::Ne && a.is(ValueKind::Instance))
            if (auto result = evaluator.impl().call_method(a, "__ne__", {b}, span);
                result && !is_not_implemented(*result))
                return *result;
        if (op == CompareOp::Eq || op == CompareOp::Ne)
            return Value::boolean(equal(evaluator, a, b, span) == (op == CompareOp::Eq));
        return Value::boolean(order(evaluator, op, a, b, span));
    } catch (const UnknownValue&) {
        evaluator.charge_steps(cost::unknown, span);
        return Value::unknown();
    }
}

// Equal values have equal hashes, 1 and 1.0 and True included.
std::uint64_t hash_value(Evaluator& evaluator, const Value& value, Span span) {
    evaluator.charge_steps(1, span);
    charge_tree(evaluator, value, 2, span);
    evaluator.impl().check_stack(span);
    switch (value.kind()) {
    case ValueKind::None: return 0x9E37;
    case ValueKind::Ellipsis: return 0x79B9;
    case ValueKind::Bool:
    case ValueKind::Int: return static_cast<std::uint64_t>(value.as_int());
    case ValueKind::Float: {
        double d = value.as_double();
        if (d == std::floor(d) && std::fabs(d) < 9.2e18)
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(d));
        return std::hash<double>{}(d);
    }
    case ValueKind::Str: evaluator.impl().charge_text(value, span); return std::hash<std::string>{}(value.as_str());
    case ValueKind::Tuple: {
        std::uint64_t hash = 0x345678;
        for (const Value& item : value.items())
            hash = (std::rotl(hash, 23) ^ hash_value(evaluator, item, span)) * 0x9E3779B97F4A7C15ull;
        return hash ^ hash >> 29;
    }
    case ValueKind::Range: { // equal ones have equal items
        const RangeObject& range = as_range(value);
        const std::int64_t size = range.size();
        const auto start = static_cast<std::uint64_t>(size > 0 ? range.start : 0);
        const auto step = static_cast<std::uint64_t>(size > 1 ? range.step : 0);
        return ((static_cast<std::uint64_t>(size) * 1000003 ^ start) * 0x9E3779B97F4A7C15ull) ^ std::rotl(step, 32);
    }
    case ValueKind::Set: {
        if (!as_set(value).frozen)
            break;
        std::uint64_t hash = 0;
        evaluator.impl().charge_items(as_set(value).table.size(), span);
        for (const ValueTable::Entry& entry : as_set(value).table.entries())
            if (entry.alive)
                hash += (entry.hash ^ entry.hash >> 29 ^ 0x9E3779B9) * 0xBF58476D1CE4E5B9ull; // in any order
        return hash;
    }
    case ValueKind::Type: return ir::structural_hash(value.as_type());
    case ValueKind::Layout: return ir::structural_hash(value.as_layout());
    case ValueKind::Mapping: return ir::structural_hash(value.as_mapping());
    case ValueKind::Extension: return static_cast<NativeObject*>(value.object())->hash();
    case ValueKind::Unknown: throw UnknownValue{};
    case ValueKind::Instance: {
        if (auto result = evaluator.impl().call_method(value, "__hash__", {}, span))
            if (result->is(ValueKind::Int))
                return static_cast<std::uint64_t>(result->as_int());
        if (as_instance(value).type->find("__eq__"))
            fail(DiagId::Unhashable, span, type_name(value));
        return std::hash<const void*>{}(value.object());
    }
    case ValueKind::List:
    case ValueKind::Dict:
    case ValueKind::Slice: break;
    case ValueKind::Tensor: return std::hash<const void*>{}(value.as_tensor().get());
    default: return std::hash<const void*>{}(value.object());
    }
    fail(DiagId::Unhashable, span, type_name(value));
}

} // namespace hidet::lang
