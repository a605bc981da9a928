// SPDX-License-Identifier: Apache-2.0
#include "lang/service/facts.h"

#include <algorithm>

#include "compiler/ir/packing.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "lang/base/text.h"
#include "lang/host/compiled_module.h"
#include "lang/host/objects.h"
#include "lang/script/lift.h"
#include "lang/script/objects.h"
#include "lang/service/catalog.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

namespace {

constexpr std::size_t most_values = 4;
constexpr std::size_t longest_value = 80;
constexpr std::size_t most_members = 400;

// repr() of what is worth showing; "" for the rest.
std::string short_repr(const Value& value, int depth) {
    switch (value.kind()) {
    case ValueKind::None: return "None";
    case ValueKind::Bool: return value.as_bool() ? "True" : "False";
    case ValueKind::Int: return std::to_string(value.as_int());
    case ValueKind::Float: return shortest(value.as_double());
    case ValueKind::Ellipsis: return "...";
    case ValueKind::Str: {
        const std::string& text = value.as_str();
        return text.size() <= longest_value ? quote(text) : "";
    }
    case ValueKind::Range: {
        const RangeObject& range = as_range(value);
        return cat("range(", range.start, ", ", range.stop, range.step == 1 ? "" : cat(", ", range.step), ")");
    }
    case ValueKind::List:
    case ValueKind::Tuple: {
        const std::vector<Value>& items = value.items();
        if (items.size() > 16 || depth > 2)
            return "";
        std::string out = value.is(ValueKind::List) ? "[" : "(";
        for (std::size_t i = 0; i < items.size(); ++i) {
            std::string item = short_repr(items[i], depth + 1);
            if (item.empty() || out.size() > longest_value)
                return "";
            out += (i ? ", " : "") + item;
        }
        if (value.is(ValueKind::Tuple) && items.size() == 1)
            out += ",";
        return out + (value.is(ValueKind::List) ? "]" : ")");
    }
    case ValueKind::Layout: return ir::to_string(value.as_layout());
    case ValueKind::Mapping: return ir::to_string(value.as_mapping());
    case ValueKind::Expr: {
        const ir::ExprRef& expr = value.as_expr();
        return ir::as<ir::Constant>(expr) ? ir::to_string(expr) : "";
    }
    default: return "";
    }
}

std::string exprs_text(const ir::ExprVec& exprs) {
    std::string out = "[";
    for (std::size_t i = 0; i < exprs.size(); ++i)
        out += (i ? ", " : "") + ir::to_string(exprs[i]);
    return out + "]";
}

template <class Names>
void take_members(Fact& out, const Names& names) {
    for (const std::string& name : names)
        if (out.members.size() < most_members && !name.starts_with("__") &&
            std::ranges::find(out.members, name) == out.members.end())
            out.members.push_back(name);
}

void describe_ir(Fact& out, const ir::TypeRef& type) {
    out.is_script = true;
    out.type = type_text(type);
    const ir::TensorType* tensor = ir::tensor_of(type);
    if (!tensor)
        return;
    out.kind = ItemKind::Tensor;
    out.type = type_text(tensor->element) + exprs_text(tensor->shape);
    out.shape = exprs_text(tensor->shape);
    out.layout = tensor->layout && !ir::is_row_major(tensor->layout) ? ir::to_string(tensor->layout) : "row_major";
    out.bytes = ir::size_in_bytes(ir::TypeRef(ir::self(*tensor)));
    out.scope = ir::as<ir::TensorType>(ir::value_type(type)) ? "register" : "global";
}

void describe_tensor(Fact& out, const Tensor& tensor) {
    out.kind = ItemKind::Tensor;
    std::vector<std::string> extents;
    for (std::int64_t extent : tensor.shape)
        extents.push_back(std::to_string(extent));
    out.shape = "[" + join(extents, ", ") + "]";
    out.type = std::string(ir::info(tensor.dtype).short_name) + out.shape;
    out.layout = "row_major";
    out.scope = tensor.device == Device::Cuda ? "global" : "host";
    bool whole_bytes = !ir::is_subbyte(tensor.dtype);
    out.bytes = whole_bytes ? ir::packed_bytes(tensor.dtype, tensor.count()) : -1;
}

void describe_object(Fact& out, const Value& value) {
    switch (value.kind()) {
    case ValueKind::Module: {
        const HostModule& module = as_module(value);
        out.kind = ItemKind::Module;
        out.type = "module";
        out.path = module.name;
        if (!Catalog::get().find(module.name)) // beside the script
            take_members(out, module.table.names());
        return;
    }
    case ValueKind::Class:
        out.kind = as_class(value).is_exception ? ItemKind::Exception : ItemKind::Class;
        out.type = "class";
        for (const ClassObject* at = &as_class(value); at; at = at->base.get())
            take_members(out, at->table.names());
        return;
    case ValueKind::Instance:
        out.type = as_instance(value).type->name;
        take_members(out, as_instance(value).fields.names());
        for (const ClassObject* at = as_instance(value).type.get(); at; at = at->base.get())
            take_members(out, at->table.names());
        return;
    case ValueKind::Extension: {
        auto* object = static_cast<NativeObject*>(value.object());
        if (const auto* declaration = value.extension<Declaration>()) {
            describe_ir(out, declaration->type);
            if (declaration->scope != ir::Scope::Default && !out.scope.empty())
                out.scope = ir::scope_name(declaration->scope);
            return;
        }
        take_members(out, object->attributes());
        if (Catalog::get().find(object->type_name()))
            out.path = object->type_name();
        return;
    }
    case ValueKind::Function:
    case ValueKind::BoundMethod:
    case ValueKind::Native: out.kind = ItemKind::Function; return;
    case ValueKind::ScriptFunction: {
        out.kind = ItemKind::Kernel;
        const auto& function = static_cast<const ScriptFunctionObject&>(*value.object());
        if (!function.function)
            return;
        out.type = ir::func_kind_name(function.function->func_kind);
        return;
    }
    default: return;
    }
}

} // namespace

Shift::Shift(std::string_view before, std::string_view now)
    : m_is_none(false), m_before(static_cast<std::uint32_t>(before.size())),
      m_now(static_cast<std::uint32_t>(now.size())) {
    const std::uint32_t shorter = std::min(m_before, m_now);
    while (m_head < shorter && before[m_head] == now[m_head])
        ++m_head;
    while (m_tail < shorter - m_head && before[m_before - 1 - m_tail] == now[m_now - 1 - m_tail])
        ++m_tail;
}

std::optional<Range> Shift::moved(Range range, std::uint32_t head, std::uint32_t tail, std::uint32_t size,
                                  std::uint32_t by) {
    if (range.end <= head)
        return range;
    if (range.begin < size - tail || range.end > size)
        return std::nullopt;
    return Range{range.begin + by, range.end + by};
}

std::optional<Range> Shift::forward(Range before) const {
    return m_is_none ? before : moved(before, m_head, m_tail, m_before, m_now - m_before); // modulo 2^32
}

std::optional<Range> Shift::back(Range now) const {
    return m_is_none ? now : moved(now, m_head, m_tail, m_now, m_before - m_now);
}

const Fact* KnownFacts::find(Range range) const {
    const std::optional<Range> before = m_shift.back(range);
    return m_facts && before ? m_facts->find(*before) : nullptr;
}

const Fact* KnownFacts::ending_at(std::uint32_t end) const {
    const Fact* best = nullptr;
    std::uint32_t begin = 0;
    for_each([&](Range range, const Fact& fact) {
        if (range.end == end && (!best || range.begin > begin)) {
            best = &fact;
            begin = range.begin;
        }
    });
    return best;
}

void KnownFacts::add_missing_to(Facts& others) const {
    for_each([&](Range range, const Fact& fact) {
        if (fact.is_unknown)
            return;
        const Fact* known = others.find(range);
        if (!known || known->is_unknown)
            others.at(range) = fact;
    });
}

KnownFacts KnownFacts::moved_to(std::string_view text, std::string_view later) const {
    if (m_shift.is_none())
        return KnownFacts(m_facts, Shift(text, later));
    Facts here;
    add_missing_to(here);
    return KnownFacts(std::make_shared<const Facts>(std::move(here)), Shift(text, later));
}

Fact fact_of(const Value& value) {
    Fact out;
    out.path = kind_of_value(value);
    out.type = type_name(value);
    out.pictured = pictured_of(value);
    switch (value.kind()) {
    case ValueKind::Unknown:
    case ValueKind::Unbound:
        out.is_unknown = true;
        out.type.clear();
        return out;
    case ValueKind::Expr: describe_ir(out, value.as_expr()->type); break;
    case ValueKind::Type: {
        out.kind = ItemKind::Type;
        out.values.push_back(type_text(value.as_type()));
        return out;
    }
    case ValueKind::Tensor: describe_tensor(out, *value.as_tensor()); return out;
    case ValueKind::Layout: out.shape = exprs_text(ir::shape_of(value.as_layout())); break;
    default: describe_object(out, value); break;
    }
    std::string text = short_repr(value, 0);
    if (!text.empty() && text.size() <= longest_value)
        out.values.push_back(std::move(text));
    return out;
}

constexpr int most_events = 3'000'000;
constexpr std::size_t most_pictured = 8;

static bool same(const Pictured& a, const Pictured& b) {
    if (a.mapping && b.mapping)
        return ir::structural_equal(a.mapping, b.mapping);
    return a.layout && b.layout && a.element_bits == b.element_bits && ir::structural_equal(a.layout, b.layout);
}

// Of a place that was evaluated before, with other arguments perhaps.
static void add_pictured(Fact& fact, const Value& value) {
    for (Pictured& more : pictured_of(value)) {
        const bool is_known = std::ranges::any_of(fact.pictured, [&](const Pictured& old) { return same(old, more); });
        if (!is_known)
            fact.pictured.push_back(std::move(more));
    }
}

FactRecorder::FactRecorder(FileId file) : m_file(file), m_left(most_events) {}
FactRecorder::FactRecorder(const Document& document) : FactRecorder(document.tree().file) {}

void FactRecorder::evaluated(const ast::Expr& expr, const Value& value) {
    const auto* constant = ast::as<ast::Constant>(&expr);
    bool is_plain = constant && constant->what != ast::ConstantKind::String;
    if (expr.span.file == m_file && !is_plain)
        record({expr.span.begin, expr.span.end}, value);
}

void FactRecorder::bound(Span name, const Value& value) {
    if (name.file == m_file)
        record({name.begin, name.end}, value);
}

void FactRecorder::declared(Span name, ir::Scope scope) {
    if (name.file != m_file)
        return;
    Fact& fact = m_out.at({name.begin, name.end});
    if (fact.kind == ItemKind::Tensor && scope != ir::Scope::Default)
        fact.scope = ir::scope_name(scope);
}

// A place is described once; later visits only add to its values.
void FactRecorder::record(Range range, const Value& value) {
    if (m_left <= 0)
        return;
    --m_left;
    const Fact* old = m_out.find(range);
    if (!old || old->is_unknown) {
        m_out.at(range) = fact_of(value);
        return;
    }
    if (!old->pictured.empty() && old->pictured.size() < most_pictured)
        add_pictured(m_out.at(range), value);
    if (old->has_more_values || !(value.is_number() || value.is(ValueKind::Str)))
        return;
    Fact& fact = m_out.at(range);
    std::string text = short_repr(value, 0);
    if (text.empty() || std::ranges::find(fact.values, text) != fact.values.end())
        return;
    if (fact.values.size() < most_values)
        fact.values.push_back(std::move(text));
    else
        fact.has_more_values = true;
}

std::string bytes_text(std::int64_t bytes) {
    std::string out = cat(bytes, bytes == 1 ? " byte" : " bytes");
    for (auto [unit, size] : {std::pair{"GiB", std::int64_t{1} << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}})
        if (bytes >= size && bytes % size == 0)
            return cat(out, " (", bytes / size, " ", unit, ")");
    return out;
}

} // namespace hidet::lang::service
