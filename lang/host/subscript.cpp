// SPDX-License-Identifier: Apache-2.0
// object[index]: read, write, delete.
#include <algorithm>

#include "lang/host/interpreter.h"
#include "lang/host/ir_operations.h"
#include "lang/host/operators.h"
#include "lang/host/slices.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/typing.h"

namespace hidet::lang {

static std::int64_t bound_of(const Value& value, std::int64_t otherwise, std::int64_t lowest, std::int64_t highest,
                             std::int64_t length, Span span) {
    if (value.is(ValueKind::None))
        return otherwise;
    if (!value.is(ValueKind::Int) && !value.is(ValueKind::Bool))
        fail(DiagId::BadIndexType, span, "slice", type_name(value));
    std::int64_t at = value.as_int();
    if (at < 0)
        at += length;
    return std::clamp(at, lowest, highest);
}

SliceBounds slice_bounds(const SliceObject& slice, std::int64_t length, Span span) {
    want_known(slice.start, slice.stop, slice.step);
    SliceBounds out;
    if (!slice.step.is(ValueKind::None)) {
        if (!slice.step.is(ValueKind::Int) && !slice.step.is(ValueKind::Bool))
            fail(DiagId::BadIndexType, span, "slice", type_name(slice.step));
        out.step = slice.step.as_int();
        if (out.step == 0)
            fail(DiagId::BadValue, span, "slice step cannot be zero");
    }
    bool forward = out.step > 0;
    std::int64_t lowest = forward ? 0 : -1, highest = forward ? length : length - 1;
    out.start = bound_of(slice.start, forward ? 0 : length - 1, lowest, highest, length, span);
    std::int64_t stop = bound_of(slice.stop, forward ? length : -1, lowest, highest, length, span);
    if (forward)
        out.count = out.start < stop ? (stop - out.start - 1) / out.step + 1 : 0;
    else if (out.start > stop) // the step may be the lowest number, which has no negative
        out.count = static_cast<std::int64_t>(static_cast<std::uint64_t>(out.start - stop - 1) /
                                              (0 - static_cast<std::uint64_t>(out.step))) +
                    1;
    return out;
}

std::int64_t checked_index(const Value& index, std::int64_t length, const char* what, Span span) {
    want_known(index);
    if (!index.is(ValueKind::Int) && !index.is(ValueKind::Bool))
        fail(DiagId::BadIndexType, span, what, type_name(index));
    std::int64_t at = index.as_int();
    if (at < -length || at >= length)
        fail(DiagId::IndexOutOfRange, span, what, at, length);
    return at < 0 ? at + length : at;
}

static Value sequence_item(Evaluator::Impl& impl, const Value& object, const Value& index, Span index_span) {
    const std::vector<Value>& items = object.items();
    bool is_list = object.is(ValueKind::List);
    if (!index.is(ValueKind::Slice))
        return items[static_cast<std::size_t>(
            checked_index(index, static_cast<std::int64_t>(items.size()), is_list ? "list" : "tuple", index_span))];
    SliceBounds bounds =
        slice_bounds(object_of<SliceObject>(index), static_cast<std::int64_t>(items.size()), index_span);
    impl.check_bytes(static_cast<std::uint64_t>(bounds.count) * sizeof(Value), index_span);
    impl.current = index_span;
    std::vector<Value> out;
    out.reserve(static_cast<std::size_t>(bounds.count));
    for (std::int64_t i = 0; i < bounds.count; ++i)
        out.push_back(items[static_cast<std::size_t>(bounds.start + i * bounds.step)]);
    return impl.new_sequence(is_list ? ValueKind::List : ValueKind::Tuple, std::move(out));
}

static Value str_item(Evaluator::Impl& impl, const Value& object, const Value& index, Span index_span) {
    const std::string& text = object.as_str();
    impl.charge_items(text.size(), index_span);
    const bool ascii = is_ascii(text);
    const std::int64_t length = ascii ? static_cast<std::int64_t>(text.size()) : code_point_count(text);
    if (!index.is(ValueKind::Slice)) {
        const std::int64_t at = checked_index(index, length, "string", index_span);
        const std::size_t first = ascii ? static_cast<std::size_t>(at) : byte_offset(text, at);
        const std::size_t bytes = byte_offset(std::string_view(text).substr(first, 4), 1);
        return Value::str(text.substr(first, bytes));
    }
    const std::u32string wide = ascii ? std::u32string() : decode(text);
    SliceBounds bounds = slice_bounds(object_of<SliceObject>(index), length, index_span);
    std::string out;
    for (std::int64_t i = 0; i < bounds.count; ++i) {
        auto at = static_cast<std::size_t>(bounds.start + i * bounds.step);
        if (ascii)
            out += text[at];
        else
            append_code_point(out, wide[at]);
    }
    return impl.self.new_str(std::move(out));
}

static Value range_item(const RangeObject& range, const Value& index, Span index_span) {
    if (!index.is(ValueKind::Slice))
        return Value::integer(range.at(checked_index(index, range.size(), "range", index_span)));
    SliceBounds bounds = slice_bounds(object_of<SliceObject>(index), range.size(), index_span);
    Ref<RangeObject> out(new RangeObject);
    out->start = range.at(bounds.start);
    if (__builtin_mul_overflow(range.step, bounds.step, &out->step) ||
        __builtin_mul_overflow(out->step, bounds.count, &out->stop) ||
        __builtin_add_overflow(out->stop, out->start, &out->stop))
        fail(DiagId::IntegerOverflow, index_span, "a slice of a range");
    return Value::object(ValueKind::Range, out);
}

Value Evaluator::Impl::subscript(const Value& object, const Value& index, Span object_span, Span index_span) {
    if (index.is(ValueKind::Unknown))
        return index;
    switch (object.kind()) {
    case ValueKind::Unknown: return object;
    case ValueKind::List:
    case ValueKind::Tuple:
        if (index.is(ValueKind::Expr))
            return ir->subscript(object, index, object_span, index_span);
        return sequence_item(*this, object, index, index_span);
    case ValueKind::Str: return str_item(*this, object, index, index_span);
    case ValueKind::Range: return range_item(as_range(object), index, index_span);
    case ValueKind::Dict: {
        if (const Value* found = as_dict(object).table.find(self, index, index_span))
            return *found;
        if (const Value* factory = dict_factory(object)) {
            Value made = self.call(*factory, {}, index_span);
            as_dict(object).table.set(self, index, made, index_span);
            return made;
        }
        throw HostError(Diagnostic::make(DiagId::KeyNotFound, index_span, self.repr(index)), {index});
    }
    case ValueKind::Tensor: return tensor_index(self, object, index, index_span);
    case ValueKind::Expr:
    case ValueKind::Stmt:
    case ValueKind::Type:
    case ValueKind::Layout:
    case ValueKind::Mapping: return ir->subscript(object, index, object_span, index_span);
    case ValueKind::Class:
        if (as_class(object).is_builtin) // list[int]
            return new_extension<TypingForm>(as_class(object).name, index);
        break;
    case ValueKind::Instance:
        if (auto result = call_method(object, "__getitem__", {index}, index_span))
            return *result;
        break;
    case ValueKind::Extension:
        current = index_span;
        if (auto result = static_cast<NativeObject*>(object.object())->subscript(self, index, index_span))
            return *result;
        break;
    default: break;
    }
    fail(DiagId::NotSubscriptable, object_span, type_name(object));
}

static void set_slice(Evaluator::Impl& impl, std::vector<Value>& items, const SliceObject& slice, const Value& value,
                      Span span) {
    std::vector<Value> fresh = impl.self.iterate(value, span); // first: it may change the list
    SliceBounds bounds = slice_bounds(slice, static_cast<std::int64_t>(items.size()), span);
    impl.charge_items(items.size() + fresh.size(), span);
    if (bounds.step == 1) {
        auto first = items.begin() + bounds.start;
        first = items.erase(first, first + bounds.count);
        items.insert(first, fresh.begin(), fresh.end());
        return;
    }
    if (static_cast<std::int64_t>(fresh.size()) != bounds.count)
        fail(DiagId::BadValue, span,
             cat("attempt to assign sequence of size ", fresh.size(), " to extended slice of size ", bounds.count));
    for (std::int64_t i = 0; i < bounds.count; ++i)
        items[static_cast<std::size_t>(bounds.start + i * bounds.step)] = fresh[static_cast<std::size_t>(i)];
}

void Evaluator::Impl::set_item(const Value& object, const Value& index, const Value& value, Span object_span,
                               Span index_span) {
    if (object.is(ValueKind::Unknown))
        return;
    switch (object.kind()) {
    case ValueKind::List: {
        std::vector<Value>& items = as_sequence(object).items;
        if (index.is(ValueKind::Slice)) {
            set_slice(*this, items, object_of<SliceObject>(index), value, index_span);
            return;
        }
        items[static_cast<std::size_t>(
            checked_index(index, static_cast<std::int64_t>(items.size()), "list", index_span))] = value;
        return;
    }
    case ValueKind::Dict: as_dict(object).table.set(self, index, value, index_span); return;
    case ValueKind::Tensor: tensor_assign(self, object, index, value, index_span); return;
    case ValueKind::Instance: {
        if (call_method(object, "__setitem__", {index, value}, index_span))
            return;
        break;
    }
    default: break;
    }
    fail(DiagId::NoItemAssignment, object_span, type_name(object), "assignment");
}

void Evaluator::Impl::delete_item(const Value& object, const Value& index, Span object_span, Span index_span) {
    if (object.is(ValueKind::Unknown))
        return;
    if (object.is(ValueKind::Dict)) {
        if (!as_dict(object).table.erase(self, index, index_span))
            throw HostError(Diagnostic::make(DiagId::KeyNotFound, index_span, self.repr(index)), {index});
        return;
    }
    if (object.is(ValueKind::List)) {
        std::vector<Value>& items = as_sequence(object).items;
        auto length = static_cast<std::int64_t>(items.size());
        charge_items(items.size(), index_span);
        if (!index.is(ValueKind::Slice)) {
            items.erase(items.begin() + checked_index(index, length, "list", index_span));
            return;
        }
        SliceBounds bounds = slice_bounds(object_of<SliceObject>(index), length, index_span);
        if (bounds.step == 1) {
            items.erase(items.begin() + bounds.start, items.begin() + bounds.start + bounds.count);
            return;
        }
        std::vector<bool> gone(items.size());
        for (std::int64_t i = 0; i < bounds.count; ++i)
            gone[static_cast<std::size_t>(bounds.start + i * bounds.step)] = true;
        std::vector<Value> kept;
        kept.reserve(items.size());
        for (std::size_t i = 0; i < items.size(); ++i)
            if (!gone[i])
                kept.push_back(items[i]);
        items.swap(kept);
        return;
    }
    if (call_method(object, "__delitem__", {index}, index_span))
        return;
    fail(DiagId::NoItemAssignment, object_span, type_name(object), "deletion");
}

} // namespace hidet::lang
