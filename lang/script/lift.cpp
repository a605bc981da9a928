// SPDX-License-Identifier: Apache-2.0
#include "lang/script/lift.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/names.h"
#include "compiler/ir/text/print.h"
#include "lang/base/transformed.h"
#include "lang/host/interpreter.h"
#include "lang/host/objects.h"
#include "lang/host/tensors/tensor_data.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/script/objects.h"

namespace hidet::lang {

namespace {

ir::ExprRef integer_literal(std::int64_t value) {
    bool fits = value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
    return ir::int_constant(value, fits ? ir::DType::I32 : ir::DType::I64);
}

std::vector<std::string> dtype_names() {
    std::vector<std::string> names;
    for (const ir::DTypeInfo& row : ir::all_dtypes()) {
        names.emplace_back(row.name);
        names.emplace_back(row.short_name);
    }
    return names;
}

} // namespace

std::string python_type_name(const Value& value) {
    return value.is(ValueKind::Class) && as_class(value).is_builtin ? as_class(value).name : "";
}

bool is_too_deep(const InternalError& error) {
    return Evaluator::Impl::is_too_deep(error);
}

bool can_be_expr(const Value& value) {
    return value.is_number() || value.is(ValueKind::Expr) || value.is(ValueKind::Str);
}

std::string kernel_text(std::string text, Span span) {
    constexpr std::size_t longest = std::size_t{64} << 10;
    if (text.size() > longest)
        fail(DiagId::ScriptLongText, span, text.size(), longest);
    return text;
}

ir::ExprRef to_expr(const Value& value, Span span) {
    ir::ExprRef out;
    switch (value.kind()) {
    case ValueKind::Bool: out = ir::bool_constant(value.as_bool()); break;
    case ValueKind::Int: out = integer_literal(value.as_int()); break;
    case ValueKind::Float: out = ir::float_constant(value.as_double()); break;
    case ValueKind::Str: out = ir::string_constant(kernel_text(value.as_str(), span)); break;
    case ValueKind::Expr: out = value.as_expr(); break;
    case ValueKind::Unknown: throw UnknownValue{};
    default: break;
    }
    if (!out) {
        if (auto* object = value.extension<Dim3Object>())
            fail(DiagId::ScriptDimWithoutAxis, span, object->name(), object->name());
        fail(DiagId::ScriptNotAValue, span, describe(value));
    }
    ir::set_origin(out, {span, 0});
    return out;
}

std::optional<ir::TypeRef> try_type(const Value& value) {
    if (value.is(ValueKind::Type))
        return value.as_type();
    if (auto* declaration = value.extension<Declaration>())
        return declaration->type;
    if (const auto* dtype = value.extension<TorchDType>())
        return ir::data_type(dtype->dtype);
    std::string name = python_type_name(value);
    if (name == "int")
        return ir::data_type(ir::DType::I32);
    if (name == "float")
        return ir::data_type(ir::DType::F32);
    if (name == "bool")
        return ir::data_type(ir::DType::Bool);
    return std::nullopt;
}

ir::TypeRef to_type(const Value& value, Span span) {
    want_known(value);
    if (value.is(ValueKind::Str))
        return ir::data_type(to_dtype(value, span));
    if (auto type = try_type(value))
        return *type;
    fail(DiagId::ScriptNotAType, span, describe(value));
}

ir::DType to_dtype(const Value& value, Span span) {
    if (value.is(ValueKind::Str)) {
        if (auto dtype = ir::find_dtype(value.as_str()))
            return *dtype;
        throw DiagnosticError(Diagnostic::make(DiagId::ScriptUnknownDtype, span, value.as_str())
                                  .suggest(span, value.as_str(), dtype_names()));
    }
    auto type = to_type(value, span);
    if (const auto* data = ir::as<ir::DataType>(type))
        return data->dtype;
    fail(DiagId::ScriptNotADtype, span, type_text(type));
}

std::int64_t to_int(const Value& value, Span span, std::string_view what) {
    want_known(value);
    if (value.is(ValueKind::Int) || value.is(ValueKind::Bool))
        return value.as_int();
    if (value.is(ValueKind::Expr))
        if (auto number = ir::constant_int(value.as_expr()))
            return *number;
    fail(DiagId::ScriptNeedsConstant, span, what, describe(value));
}

bool to_bool(const Value& value, Span span, std::string_view what) {
    return to_int(value, span, what) != 0;
}

std::string to_text(const Value& value, Span span, std::string_view what) {
    want_known(value);
    if (value.is(ValueKind::Str))
        return value.as_str();
    fail(DiagId::ScriptNeedsText, span, what, describe(value));
}

bool is_sequence(const Value& value) {
    return value.is(ValueKind::List) || value.is(ValueKind::Tuple);
}

ir::ExprRef to_extent(const Value& value, Span span) {
    if (!value.is_number() && !value.is(ValueKind::Expr) && !value.is(ValueKind::Unknown))
        fail(DiagId::ScriptBadExtent, span, describe(value));
    ir::ExprRef expr = to_expr(value, span);
    auto dtype = ir::scalar_of(expr->type);
    if (!dtype || !ir::is_integer(*dtype) || *dtype == ir::DType::Bool)
        fail(DiagId::ScriptBadExtent, span, describe(value));
    auto number = ir::constant_int(expr);
    if (number && *number < 0)
        fail(DiagId::ScriptNegativeExtent, span, *number);
    return number ? integer_literal(*number) : expr;
}

ir::ExprVec to_shape(const Value& value, Span span) {
    ir::ExprVec shape;
    if (!is_sequence(value))
        return {to_extent(value, span)};
    check_rank(value.items().size(), span);
    for (const Value& item : value.items())
        shape.push_back(to_extent(item, span));
    return shape;
}

std::string extents_text(const ir::ExprVec& shape) {
    std::vector<std::string> extents;
    for (const ir::ExprRef& extent : shape)
        if (const auto number = ir::constant_int(extent))
            extents.push_back(std::to_string(*number));
        else
            extents.push_back(ir::to_string(extent));
    return "[" + join(extents, ", ") + "]";
}

static bool is_countable(const ir::ExprVec& extents) {
    constexpr std::int64_t most = std::int64_t{1} << 58; // so that the bytes of a tensor can be counted, too
    std::int64_t count = 1;
    return std::ranges::all_of(extents, [&](const ir::ExprRef& extent) {
        const std::int64_t known = std::max<std::int64_t>(ir::constant_int(extent).value_or(1), 1);
        return !__builtin_mul_overflow(count, known, &count) && count <= most;
    });
}

ir::ExprVec of_a_tensor(ir::ExprVec shape, Span span) {
    if (!is_countable(shape))
        fail(DiagId::ScriptShapeTooLarge, span, extents_text(shape));
    return shape;
}

void want_countable_tasks(const ir::ExprVec& extents, Span span) {
    if (!is_countable(extents))
        fail(DiagId::BadShape, span,
             cat("a task mapping over ", extents_text(extents), " has more tasks than are counted"));
}

std::vector<std::int64_t> to_ints(const Value& value, Span span, std::string_view what) {
    std::vector<std::int64_t> numbers;
    if (!is_sequence(value))
        return {to_int(value, span, what)};
    for (const Value& item : value.items())
        numbers.push_back(to_int(item, span, what));
    return numbers;
}

Value from_expr(const ir::ExprRef& expr) {
    auto dtype = ir::scalar_of(expr->type);
    auto number = ir::constant_int(expr);
    if (number && dtype && (*dtype == ir::DType::I32 || *dtype == ir::DType::I64))
        return Value::integer(*number);
    return Value::expr(expr);
}

Value from_exprs(const ir::ExprVec& exprs) {
    return Value::tuple(transformed(exprs, [&](const ir::ExprRef& expr) { return from_expr(expr); }));
}

std::string type_text(const ir::TypeRef& type) {
    if (const auto* pointer = ir::as<ir::TensorPointerType>(type))
        return ir::to_string(pointer->tensor); // users write no star
    return ir::to_string(type);
}

// "an 'i32'", "a 'list'": by how the first letter is read.
static std::string with_article(const std::string& quoted) {
    char first = quoted.size() > 1 ? quoted[1] : ' ';
    bool digit_follows = quoted.size() > 2 && quoted[2] >= '0' && quoted[2] <= '9';
    bool is_vowel =
        std::string_view("aeioAEIO").find(first) != std::string_view::npos || (first == 'f' && digit_follows);
    return (is_vowel ? "an " : "a ") + quoted;
}

std::string describe(const Value& value) {
    switch (value.kind()) {
    case ValueKind::Expr: return with_article("'" + type_text(value.as_expr()->type) + "' value");
    case ValueKind::Type: return "the type '" + type_text(value.as_type()) + "'";
    case ValueKind::Layout: return "a layout";
    case ValueKind::Mapping: return "a task mapping";
    case ValueKind::None: return "None";
    case ValueKind::Class: return "the class '" + as_class(value).name + "'";
    default: break;
    }
    if (auto* object = value.extension<NativeObject>())
        return "'" + object->type_name() + "'";
    return with_article("'" + type_name(value) + "'");
}

std::string count_of(std::size_t count, std::string_view one, std::string_view several) {
    return cat(count, " ", count == 1 ? one : several);
}

// What a C compiler would do silently, but a Python programmer would not expect.
static bool loses_fraction(const ir::ExprRef& value, const ir::TypeRef& to) {
    auto source = ir::scalar_of(value->type);
    auto target = ir::scalar_of(to);
    if (!source || !target || !ir::is_float(*source) || !ir::is_integer(*target) || *target == ir::DType::Bool)
        return false;
    auto number = ir::constant_number(value);
    return !number || std::floor(*number) != *number;
}

// A constant that the type cannot hold.
static bool is_out_of_range(const ir::ExprRef& value, const ir::TypeRef& to) {
    auto target = ir::scalar_of(to);
    if (!target || *target == ir::DType::Bool || !ir::as<ir::Constant>(value))
        return false;
    auto source = ir::scalar_of(value->type);
    auto whole = ir::constant_int(value);
    if (whole && source == ir::DType::U64 && *whole < 0) // its bits
        return ir::is_integer(*target) && *target != ir::DType::U64;
    if (whole && (ir::is_integer(*target) || ir::is_subbyte(*target))) {
        auto range = ir::integer_range(*target);
        return *whole < range.lowest || (*whole >= 0 && static_cast<std::uint64_t>(*whole) > range.highest);
    }
    auto number = ir::constant_number(value);
    return number && ir::is_float(*target) && std::isfinite(*number) && std::abs(*number) > ir::float_max(*target);
}

static std::string constant_text(const ir::ExprRef& value) {
    auto whole = ir::constant_int(value);
    return whole ? cat(*whole) : ir::to_string(value);
}

ir::ExprRef convert_to(const ir::ExprRef& value, const ir::TypeRef& type, Span span, DiagnosticSink& sink) {
    if (is_out_of_range(value, type))
        fail(DiagId::ScriptConstantRange, span, constant_text(value), type_text(type));
    if (loses_fraction(value, type))
        sink.report(DiagId::ScriptFractionLost, span, type_text(value->type), type_text(type));
    return typed(span, [&] { return ir::convert(value, type); });
}

ir::VarRef var_at(Span span, std::string name, ir::TypeRef type) {
    ir::VarRef var = ir::make_var(std::move(name), std::move(type));
    ir::set_origin(var, {span, 0});
    return var;
}

void need_name(std::string_view name, Span span) {
    constexpr std::size_t longest = 128;
    if (name.size() > longest || !ir::is_identifier(name))
        fail(DiagId::ScriptBadName, span, quote(name.substr(0, longest)), longest);
}

void need_extern_function(std::string_view name, Span span) {
    if (!ir::is_extern_function(name))
        throw DiagnosticError(Diagnostic::make(DiagId::ScriptExternFunction, span, quote(name.substr(0, 128)))
                                  .suggest(span, name, ir::extern_functions()));
}

} // namespace hidet::lang
