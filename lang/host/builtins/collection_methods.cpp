// SPDX-License-Identifier: Apache-2.0
// Methods of list, tuple, dict, set, range, int and float.
#include <algorithm>
#include <bit>
#include <cmath>

#include "lang/host/arguments.h"
#include "lang/host/builtins/sorting.h"
#include "lang/host/interpreter.h"
#include "lang/host/methods.h"
#include "lang/host/operators.h"
#include "lang/host/slices.h"

namespace hidet::lang {

namespace {

// ---- list and tuple -----------------------------------------------------------------------------------------------

Value list_append(Evaluator&, const Value& self, Args& args, Span span) {
    if (args.positional.size() != 1 || !args.keywords.empty())
        Arguments(args, span, "append", {"object"});
    as_sequence(self).items.push_back(args.positional[0]);
    return Value();
}
Value list_extend(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    std::vector<Value> more = evaluator.iterate(a[0], a.span(0));
    evaluator.impl().charge_items(more.size(), span);
    auto& items = as_sequence(self).items;
    items.insert(items.end(), more.begin(), more.end());
    return Value();
}
Value list_insert(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    auto& items = as_sequence(self).items;
    auto length = static_cast<std::int64_t>(items.size());
    std::int64_t at = a.integer(0);
    at = std::clamp<std::int64_t>(at < 0 ? at + length : at, 0, length);
    evaluator.impl().charge_items(static_cast<std::uint64_t>(length - at), span);
    items.insert(items.begin() + at, a[1]);
    return Value();
}
Value list_pop(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    auto& items = as_sequence(self).items;
    if (items.empty())
        throw HostError(Diagnostic::make(DiagId::IndexOutOfRange, span, "pop", a.integer(0, -1), 0),
                        {Value::str("pop from empty list")});
    std::int64_t at = checked_index(a.given(0) ? a[0] : Value::integer(-1), static_cast<std::int64_t>(items.size()),
                                    "pop", a.span(0));
    evaluator.impl().charge_items(items.size() - static_cast<std::size_t>(at), span);
    Value item = items[static_cast<std::size_t>(at)];
    items.erase(items.begin() + at);
    return item;
}
std::optional<std::size_t> position(Evaluator& evaluator, const Value& self, const Arguments& a) {
    auto length = static_cast<std::int64_t>(self.items().size());
    auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + length : at, 0, length); };
    std::int64_t begin = place(a.integer(1, 0)), end = place(a.integer(2, length));
    for (std::int64_t i = begin; i < end && i < static_cast<std::int64_t>(self.items().size()); ++i) {
        evaluator.charge_steps(1, a.span(0));
        if (same_key(evaluator, Value(self.items()[static_cast<std::size_t>(i)]), a[0], a.span(0)))
            return static_cast<std::size_t>(i);
    }
    return std::nullopt;
}
Value sequence_index(Evaluator& evaluator, const Value& self, const Arguments& a, Span) {
    auto at = position(evaluator, self, a);
    if (!at)
        fail(DiagId::BadValue, a.span(0), cat(evaluator.repr(a[0]), " is not in ", type_name(self)));
    return Value::integer(static_cast<std::int64_t>(*at));
}
Value sequence_count(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    std::int64_t count = 0;
    evaluator.impl().check_bytes(self.items().size() * sizeof(Value), span);
    for (const Value& item : std::vector(self.items())) {
        evaluator.charge_steps(1, span);
        count += same_key(evaluator, item, a[0], span) ? 1 : 0;
    }
    return Value::integer(count);
}
Value list_remove(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Args padded = args;
    Arguments a(padded, span, "remove", {"value", "start=", "stop="});
    auto at = position(evaluator, self, a);
    if (!at)
        fail(DiagId::BadValue, a.span(0), "list.remove(x): x not in list");
    std::vector<Value>& items = as_sequence(self).items;
    if (*at >= items.size()) // its comparison has shortened the list
        return Value();
    evaluator.impl().charge_items(items.size() - *at, span);
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(*at));
    return Value();
}
Value list_clear(Evaluator&, const Value& self, const Arguments&, Span) {
    as_sequence(self).items.clear();
    return Value();
}
Value list_copy(Evaluator& evaluator, const Value& self, const Arguments&, Span) {
    return evaluator.new_list(self.items());
}
Value list_reverse(Evaluator& evaluator, const Value& self, const Arguments&, Span span) {
    evaluator.impl().charge_items(self.items().size(), span);
    std::reverse(as_sequence(self).items.begin(), as_sequence(self).items.end());
    return Value();
}
Value list_sort(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    std::vector<Value>& list = as_sequence(self).items;
    std::vector<Value> sorted, before = std::exchange(list, {}); // empty meanwhile, so that what changes it is seen
    try {
        sorted = sorted_values(evaluator, before, a.find(0), a.boolean(1, false), span);
    } catch (...) {
        list = std::move(before);
        throw;
    }
    const bool is_changed = !list.empty();
    list = std::move(sorted);
    if (is_changed)
        fail(DiagId::BadValue, span, "list modified during sort");
    return Value();
}

constexpr MethodRow list_rows[] = {
    {"append", list_append},
    {"clear", {}, list_clear},
    {"copy", {}, list_copy},
    {"count", {"value"}, sequence_count},
    {"extend", {"iterable"}, list_extend},
    {"index", {"value", "start=", "stop="}, sequence_index},
    {"insert", {"index", "object"}, list_insert},
    {"pop", {"index="}, list_pop},
    {"remove", list_remove},
    {"reverse", {}, list_reverse},
    {"sort", {"*", "key=", "reverse="}, list_sort},
};
constexpr MethodRow tuple_rows[] = {{"count", {"value"}, sequence_count},
                                    {"index", {"value", "start=", "stop="}, sequence_index}};

// ---- dict ---------------------------------------------------------------------------------------------------------

Value dict_get(Evaluator& evaluator, const Value& self, const Arguments& a, Span) {
    const Value* found = as_dict(self).table.find(evaluator, a[0], a.span(0));
    return found ? *found : a.or_none(1);
}
// dict.keys() and its like: they follow the dict.
enum class Viewed : std::uint8_t { Keys, Values, Items };
constexpr const char* names_of_views[] = {"dict_keys", "dict_values", "dict_items"};
class View : public NativeObject {
public:
    View(Viewed what, Value dict) : m_what(what), m_dict(std::move(dict)) {}
    std::string type_name() const override { return names_of_views[static_cast<std::size_t>(m_what)]; }
    std::unique_ptr<std::vector<Value>> iterate(Evaluator& evaluator, Span span) override {
        auto out = std::make_unique<std::vector<Value>>();
        const std::size_t size = as_dict(m_dict).table.size();
        evaluator.charge_steps(m_what == Viewed::Items ? cost::iteration * size : size / 8, span);
        evaluator.impl().check_bytes(size * sizeof(Value), span);
        out->reserve(size);
        for (const ValueTable::Entry& entry : as_dict(m_dict).table.living())
            out->push_back(m_what == Viewed::Keys     ? entry.key
                           : m_what == Viewed::Values ? entry.value
                                                      : Value::tuple({entry.key, entry.value}));
        return out;
    }

private:
    Viewed m_what;
    Value m_dict;
};
template <Viewed what>
Value dict_view(Evaluator&, const Value& self, const Arguments&, Span) {
    return new_extension<View>(what, self);
}
Value dict_pop(Evaluator& evaluator, const Value& self, const Arguments& a, Span) {
    const Value* found = as_dict(self).table.find(evaluator, a[0], a.span(0));
    if (!found && a.given(1))
        return a[1];
    if (!found)
        throw HostError(Diagnostic::make(DiagId::KeyNotFound, a.span(0), evaluator.repr(a[0])), {a[0]});
    Value value = *found;
    as_dict(self).table.erase(evaluator, a[0], a.span(0));
    return value;
}
Value dict_popitem(Evaluator& evaluator, const Value& self, const Arguments&, Span span) {
    const auto& entries = as_dict(self).table.entries();
    for (std::size_t i = entries.size(); i-- > 0;) {
        if (!entries[i].alive)
            continue;
        Value key = entries[i].key, value = entries[i].value;
        as_dict(self).table.erase(evaluator, key, span);
        return Value::tuple({key, value});
    }
    throw HostError(Diagnostic::make(DiagId::KeyNotFound, span, "of popitem()"),
                    {Value::str("popitem(): dictionary is empty")});
}
Value dict_setdefault(Evaluator& evaluator, const Value& self, const Arguments& a, Span) {
    if (const Value* found = as_dict(self).table.find(evaluator, a[0], a.span(0)))
        return *found;
    Value value = a.or_none(1);
    as_dict(self).table.set(evaluator, a[0], value, a.span(0));
    return value;
}
Value dict_update(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    fill_dict(evaluator, as_dict(self), args, span, "update");
    return Value();
}
Value dict_clear(Evaluator&, const Value& self, const Arguments&, Span) {
    as_dict(self).table.clear();
    return Value();
}
Value dict_copy(Evaluator& evaluator, const Value& self, const Arguments&, Span span) {
    Value copy = evaluator.impl().new_dict();
    as_dict(copy).factory = as_dict(self).factory;
    evaluator.charge_steps(as_dict(self).table.entries().size() / 2, span);
    as_dict(copy).table = as_dict(self).table;
    return copy;
}

constexpr MethodRow dict_rows[] = {
    {"clear", {}, dict_clear},
    {"copy", {}, dict_copy},
    {"get", {"key", "default="}, dict_get},
    {"items", {}, dict_view<Viewed::Items>},
    {"keys", {}, dict_view<Viewed::Keys>},
    {"pop", {"key", "default="}, dict_pop},
    {"popitem", {}, dict_popitem},
    {"setdefault", {"key", "default="}, dict_setdefault},
    {"update", dict_update},
    {"values", {}, dict_view<Viewed::Values>},
};

// ---- set ----------------------------------------------------------------------------------------------------------

SetObject& mutable_set(const Value& self, std::string_view name, Span span) {
    if (as_set(self).frozen)
        fail(DiagId::UnknownAttribute, span, "frozenset", name);
    return as_set(self);
}
Value as_new_set(Evaluator& evaluator, const Value& iterable, Span span) {
    Value set = evaluator.impl().new_set();
    for (const Value& item : evaluator.iterate(iterable, span)) {
        evaluator.charge_steps(1, span);
        as_set(set).table.set(evaluator, item, Value(), span);
    }
    return set;
}
Value set_add(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    mutable_set(self, "add", span).table.set(evaluator, a[0], Value(), a.span(0));
    return Value();
}
Value set_discard(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    mutable_set(self, "discard", span).table.erase(evaluator, a[0], a.span(0));
    return Value();
}
Value set_remove(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    if (!mutable_set(self, "remove", span).table.erase(evaluator, a[0], a.span(0)))
        throw HostError(Diagnostic::make(DiagId::KeyNotFound, a.span(0), evaluator.repr(a[0])), {a[0]});
    return Value();
}
Value set_pop(Evaluator& evaluator, const Value& self, const Arguments&, Span span) {
    for (const ValueTable::Entry& entry : mutable_set(self, "pop", span).table.entries()) {
        evaluator.charge_steps(1, span); // many may be dead
        if (!entry.alive)
            continue;
        Value key = entry.key;
        as_set(self).table.erase(evaluator, key, span);
        return key;
    }
    throw HostError(Diagnostic::make(DiagId::KeyNotFound, span, "of pop()"), {Value::str("pop from an empty set")});
}
Value set_clear(Evaluator&, const Value& self, const Arguments&, Span span) {
    mutable_set(self, "clear", span).table.clear();
    return Value();
}
template <ast::BinaryOp op>
Value folded(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Value result = binary(evaluator, ast::BinaryOp::BitOr, self, evaluator.impl().new_set(), span, span);
    for (std::size_t i = 0; i < args.positional.size(); ++i) {
        Value other = as_new_set(evaluator, args.positional[i], args.span_of(i, span));
        result = binary(evaluator, op, result, other, span, span);
    }
    return result;
}
Value set_copy(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Arguments(args, span, "copy", {});
    return folded<ast::BinaryOp::BitOr>(evaluator, self, args, span);
}
Value set_update(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    Value result = folded<ast::BinaryOp::BitOr>(evaluator, self, args, span);
    std::swap(mutable_set(self, "update", span).table, as_set(result).table);
    return Value();
}
template <ast::CompareOp op>
Value related(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    return compare(evaluator, op, self, as_new_set(evaluator, a[0], a.span(0)), span, a.span(0));
}
Value set_isdisjoint(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    return Value::boolean(as_set(folded<ast::BinaryOp::BitAnd>(evaluator, self, args, span)).table.size() == 0);
}

constexpr MethodRow set_rows[] = {
    {"add", {"element"}, set_add},
    {"clear", {}, set_clear},
    {"copy", set_copy},
    {"difference", folded<ast::BinaryOp::Sub>},
    {"discard", {"element"}, set_discard},
    {"intersection", folded<ast::BinaryOp::BitAnd>},
    {"isdisjoint", set_isdisjoint},
    {"issubset", {"other"}, related<ast::CompareOp::Le>},
    {"issuperset", {"other"}, related<ast::CompareOp::Ge>},
    {"pop", {}, set_pop},
    {"remove", {"element"}, set_remove},
    {"symmetric_difference", folded<ast::BinaryOp::BitXor>},
    {"union", folded<ast::BinaryOp::BitOr>},
    {"update", set_update},
};

// ---- numbers, range -----------------------------------------------------------------------------------------------

Value int_bit_length(Evaluator&, const Value& self, const Arguments&, Span) {
    std::int64_t i = self.as_int();
    return Value::integer(std::bit_width(i < 0 ? 0 - static_cast<std::uint64_t>(i) : static_cast<std::uint64_t>(i)));
}
Value int_bit_count(Evaluator&, const Value& self, const Arguments&, Span) {
    std::int64_t i = self.as_int();
    return Value::integer(std::popcount(i < 0 ? 0 - static_cast<std::uint64_t>(i) : static_cast<std::uint64_t>(i)));
}
Value float_is_integer(Evaluator&, const Value& self, const Arguments&, Span) {
    double d = self.as_double();
    return Value::boolean(self.is(ValueKind::Int) || d == std::floor(d));
}
constexpr MethodRow int_rows[] = {
    {"bit_count", {}, int_bit_count}, {"bit_length", {}, int_bit_length}, {"is_integer", {}, float_is_integer}};
constexpr MethodRow float_rows[] = {{"is_integer", {}, float_is_integer}};

Value range_index(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    if (!contains(evaluator, a[0], self, a.span(0), span))
        fail(DiagId::BadValue, a.span(0), cat(evaluator.repr(a[0]), " is not in range"));
    return Value::integer((a.integer(0) - as_range(self).start) / as_range(self).step);
}
Value range_count(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    return Value::integer(contains(evaluator, a[0], self, a.span(0), span) ? 1 : 0);
}
constexpr MethodRow range_rows[] = {{"count", {"value"}, range_count}, {"index", {"value"}, range_index}};

} // namespace

const Value* dict_factory(const Value& dict) {
    return as_dict(dict).factory.is(ValueKind::None) ? nullptr : &as_dict(dict).factory;
}

std::span<const MethodRow> methods_of(ValueKind kind) {
    switch (kind) {
    case ValueKind::Str: return str_methods();
    case ValueKind::List: return list_rows;
    case ValueKind::Tuple: return tuple_rows;
    case ValueKind::Dict: return dict_rows;
    case ValueKind::Set: return set_rows;
    case ValueKind::Bool:
    case ValueKind::Int: return int_rows;
    case ValueKind::Float: return float_rows;
    case ValueKind::Range: return range_rows;
    case ValueKind::Tensor: return tensor_methods();
    default: return {};
    }
}

// Rows are sorted by name.
const MethodRow* find_method(ValueKind kind, std::string_view name) {
    std::span<const MethodRow> rows = methods_of(kind);
    auto at = std::lower_bound(rows.begin(), rows.end(), name,
                               [](const MethodRow& row, std::string_view key) { return row.name < key; });
    return at != rows.end() && at->name == name ? &*at : nullptr;
}

} // namespace hidet::lang
