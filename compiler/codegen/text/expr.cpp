// SPDX-License-Identifier: Apache-2.0
// Expressions but for arithmetic: names, constants, memory, calls, conversions.
#include <cmath>

#include "compiler/codegen/text/emitter.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/packing.h"
#include "lang/base/check.h"
#include "lang/base/print_format.h"

namespace hidet::compiler::text {

using namespace ir;

namespace {

std::string hex(std::uint64_t value) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    do
        text.insert(text.begin(), digits[value % 16]);
    while (value /= 16);
    return "0x" + text;
}

// Masks are read in hexadecimal, numbers in decimal.
std::string unsigned_number(std::uint64_t value) {
    bool is_mask = value > 0xff && (value & (value + 1)) == 0;
    return is_mask ? hex(value) : std::to_string(value);
}

// 1e-06 is what the standard library prints for 1e-6.
std::string short_exponent(std::string text) {
    std::size_t e = text.find('e');
    if (e == std::string::npos)
        return text;
    std::size_t digits = e + 1;
    if (text[digits] == '+')
        text.erase(digits, 1);
    else if (text[digits] == '-')
        ++digits;
    while (digits + 1 < text.size() && text[digits] == '0')
        text.erase(digits, 1);
    return text;
}

} // namespace

void ExprEmitter::expr(const ExprRef& e, Level place) {
    Writer::At at(m_out, e->kind == Kind::Var ? Origin{} : e->origin); // that of a Var is its definition
    switch (kind_of(*e)) {
    case ExprKind::Var: return put(m_names.of(static_cast<const Var&>(*e)));
    case ExprKind::BuiltinVar: return builtin(static_cast<const BuiltinVar&>(*e));
    case ExprKind::Constant: return constant(static_cast<const Constant&>(*e), place);
    case ExprKind::Unary: return unary(static_cast<const Unary&>(*e), place);
    case ExprKind::Binary: return binary(static_cast<const Binary&>(*e), place);
    case ExprKind::TensorElement: {
        const auto& element = static_cast<const TensorElement&>(*e);
        HIDET_CHECK(element.indices.size() == 1 && !element.is_protected, "an element that was not lowered");
        expr(element.base, Level::Postfix);
        put("[");
        expr(element.indices[0]);
        return put("]");
    }
    case ExprKind::Call: return call(static_cast<const Call&>(*e));
    case ExprKind::Intrinsic: return intrinsic(static_cast<const Intrinsic&>(*e), place);
    case ExprKind::Let: return let(static_cast<const Let&>(*e));
    case ExprKind::Cast: return cast(static_cast<const Cast&>(*e), place);
    case ExprKind::Select: return select(static_cast<const Select&>(*e), place);
    case ExprKind::Deref:
        open(Level::Prefix, place);
        put("*");
        expr(static_cast<const Deref&>(*e).pointer, Level::Prefix);
        return close(Level::Prefix, place);
    case ExprKind::Address: return address(static_cast<const Address&>(*e), place);
    case ExprKind::SymbolVar:
    case ExprKind::TensorSlice: return unsupported(*e, cat("a ", kind_name(e->kind), " here"));
    }
}

void ExprEmitter::exprs(const ExprVec& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        put(i ? ", " : "");
        expr(list[i]);
    }
}

void ExprEmitter::builtin(const BuiltinVar& e) {
    auto syntax = m_dialect.builtin(e.which);
    if (!syntax)
        return unsupported(e, cat("'", builtin_name(e.which), "'"));
    need(*syntax, e);
    put(syntax->text);
}

// ---- constants ----------------------------------------------------------------------------------------------------------

void ExprEmitter::constant(const Constant& e, Level place) {
    auto scalar = scalar_of(e.type);
    if (const auto* text = std::get_if<std::string>(&e.value))
        return m_out.token(c_string(*text));
    if (!scalar) {
        const auto* bits = std::get_if<std::int64_t>(&e.value);
        if (e.type->kind == Kind::VoidType)
            return put("(void)0");
        if (!bits || !is_pointer(e.type))
            return unsupported(e, "a constant of this type");
        if (*bits == 0)
            return put("nullptr");
        put(cat("reinterpret_cast<", type(e.type, e), ">("));
        return put(hex(static_cast<std::uint64_t>(*bits)) + "ull)");
    }
    if (has_lanes(*scalar)) { // of a vector all are the same
        const DType own = info(*scalar).lane;
        const TypeRef type = data_type(is_subbyte(own) ? carrier_of(own) : own);
        ExprVec lanes(static_cast<std::size_t>(lanes_of(*scalar)), make_constant(e.value, type));
        if (is_complex(*scalar))
            lanes[1] = float_constant(0, own);
        return expr(keep(make_intrinsic(IntrinsicId::MakeVector, std::move(lanes), e.type)), place);
    }
    if (const auto* number = std::get_if<double>(&e.value))
        return real(*number, *scalar, place, e);
    std::int64_t value = std::get<std::int64_t>(e.value);
    if (is_float(*scalar))
        return real(static_cast<double>(value), *scalar, place, e);
    integer(wrap_to(value, *scalar), *scalar, place);
}

void ExprEmitter::integer(std::int64_t value, DType dtype, Level place) {
    auto bits = static_cast<std::uint64_t>(value);
    if (dtype == DType::Bool)
        return m_out.token(value ? "true" : "false");
    if (dtype == DType::U64)
        return m_out.token(unsigned_number(bits) + "ull");
    if (dtype == DType::U32)
        return m_out.token(unsigned_number(bits & 0xffffffffu) + "u");
    std::string suffix = dtype == DType::I64 ? "ll" : "";
    if (value >= 0)
        return m_out.token(std::to_string(value) + suffix);
    IntegerRange range = integer_range(dtype);
    if (value == range.lowest && bytes_of(dtype) >= 4) // the number alone does not fit
        return m_out.token("(-" + std::to_string(range.highest) + suffix + " - 1)");
    open(Level::Prefix, place);
    m_out.token(std::to_string(value) + suffix);
    close(Level::Prefix, place);
}

void ExprEmitter::real(double value, DType dtype, Level place, const Node& node) {
    if (auto syntax = m_dialect.literal(value, dtype)) {
        need(*syntax, node);
        return put(syntax->text);
    }
    if (dtype != DType::F32 && dtype != DType::F64)
        return unsupported(node, cat("values of type '", info(dtype).name, "'"));
    bool is_negative = std::signbit(value);
    if (is_negative) {
        open(Level::Prefix, place);
        put("-");
    }
    double magnitude = std::fabs(value);
    std::string digits = dtype == DType::F32 ? shortest_float(static_cast<float>(magnitude)) : shortest(magnitude);
    m_out.token(short_exponent(digits) + (dtype == DType::F32 ? "f" : ""));
    if (is_negative)
        close(Level::Prefix, place);
}

// ---- target syntax ----------------------------------------------------------------------------------------------------------

void TypeEmitter::need(const TargetSyntax& syntax, const Node& place) {
    m_snippets.insert(syntax.needs.begin(), syntax.needs.end());
    if (syntax.capability.arch.number != 0)
        check_capability(syntax.capability, place);
}

// Target syntax are calls, or as good as one, and their holes stand alone: no side needs parentheses.
void ExprEmitter::write_syntax(const TargetSyntax& syntax, const ExprVec& args) {
    std::string_view text = syntax.text;
    std::size_t written = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::size_t end = at + 1;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9')
            ++end;
        if (text[at] != '{' || end == at + 1 || end == text.size() || text[end] != '}')
            continue;
        auto number = static_cast<std::size_t>(std::stoi(std::string(text.substr(at + 1, end - at - 1))));
        HIDET_CHECK(number < args.size(), "a syntax with more holes than arguments: " + syntax.text);
        put(text.substr(written, at - written));
        argument(args[number]);
        written = end + 1;
        at = end;
    }
    put(text.substr(written));
}

// Whether the text of an expression of a narrow integer type has the type int.
static bool is_promoted(const ExprRef& e) {
    switch (kind_of(*e)) {
    case ExprKind::Constant: return scalar_of(e->type) != DType::Bool;
    case ExprKind::Select:
    case ExprKind::Intrinsic:
    case ExprKind::Let: return true;
    case ExprKind::Cast: {
        const auto& cast = static_cast<const Cast&>(*e);
        return scalar_of(cast.a->type) == scalar_of(e->type) && is_promoted(cast.a);
    }
    case ExprKind::Binary: {
        BinOp op = static_cast<const Binary&>(*e).op;
        return op == BinOp::Div || op == BinOp::Mod || op == BinOp::FloorDiv || op == BinOp::FloorMod ||
               op == BinOp::BitAnd || op == BinOp::BitOr || op == BinOp::BitXor || op == BinOp::Shr;
    }
    case ExprKind::Var:
    case ExprKind::SymbolVar:
    case ExprKind::BuiltinVar:
    case ExprKind::Unary:
    case HIDET_MEMORY_EXPRS:
    case ExprKind::TensorSlice:
    case ExprKind::Call:
    case ExprKind::Address: return false;
    }
    no_such_kind(*e);
}

// What is given to a template must have its type.
void ExprEmitter::argument(const ExprRef& e) {
    auto scalar = scalar_of(e->type);
    bool is_narrow = scalar && is_integer(*scalar) && bytes_of(*scalar) < 4;
    if (!is_narrow || !is_promoted(e))
        return expr(e);
    put(cat(dtype(*scalar, *e), "("));
    expr(e);
    put(")");
}

// ---- calls --------------------------------------------------------------------------------------------------------------

void ExprEmitter::call(const Call& e) {
    put(function_name(e.callee));
    put("(");
    bool has_prefix = call_prefix(e);
    for (std::size_t i = 0; i < e.args.size(); ++i) {
        put(i || has_prefix ? ", " : "");
        expr(e.args[i]);
    }
    put(")");
}

void ExprEmitter::intrinsic(const Intrinsic& e, Level place) {
    if (intrinsic_special(e, place))
        return;
    auto syntax = m_dialect.intrinsic(e);
    if (!syntax) {
        const IntrinsicInfo& row = info(e.id);
        auto scalar = e.args.empty() ? std::nullopt : scalar_of(e.args[0]->type);
        bool is_by_type = scalar && place_of(row.category) == IntrinsicPlace::Anywhere;
        std::string operand = is_by_type ? cat(" of '", info(*scalar).name, "'") : "";
        m_sink.report(DiagId::CodegenIntrinsic, span_of(e), row.name, operand, language());
        return put("0");
    }
    need(*syntax, e);
    write_syntax(*syntax, e.args);
}

void ExprEmitter::let(const Let& e) {
    std::size_t names = m_names.mark();
    put("[&] { ");
    std::string value_type = type(e.var->type, e);
    put(cat(value_type, " ", m_names.define(*e.var), " = "));
    expr(e.value);
    put("; return ");
    expr(e.body);
    put("; }()");
    m_names.restore(names);
}

// ---- conversions ----------------------------------------------------------------------------------------------------------

// At the beginning of parentheses, `(unsigned(int(x[i])) + y)` is y as a function of an array of int. A sign says that there
// are values.
static const char* sign_before(const ExprRef& operand) {
    const auto* cast = as<Cast>(operand);
    const auto to = cast ? scalar_of(cast->type) : std::nullopt;
    const bool has_sign = to && (is_integer(*to) || *to == DType::F32 || *to == DType::F64) && bytes_of(*to) >= 4;
    return has_sign && (cast->a->kind == Kind::Var || cast->a->kind == Kind::TensorElement) ? "+" : "";
}

void ExprEmitter::cast(const Cast& e, Level place) {
    if (m_legal.has(Mark::Implied, e))
        return expr(e.a, place);
    bool from_address = is_address(e.a->type);
    if (from_address || is_pointer(e.type))
        return pointer_cast(e, place);
    auto to = scalar_of(e.type);
    if (!to || !scalar_of(e.a->type))
        return unsupported(e, "a conversion to this type");
    if (m_legal.has(Mark::Sign, e) && *to == DType::U32)
        return put(cat("unsigned(", sign_before(e.a))), expr(e.a), put(")");
    convert(e.a, *to, place);
}

void ExprEmitter::pointer_cast(const Cast& e, Level place) {
    bool from_address = is_address(e.a->type);
    if (!is_pointer(e.type)) {
        auto to = scalar_of(e.type);
        if (to == DType::Bool) {
            open(Level::Equality, place);
            expr(e.a, Level::Sum);
            put(" != nullptr");
            return close(Level::Equality, place);
        }
        bool is_plain = to == DType::U64;
        if (!is_plain)
            put(cat(dtype(to.value_or(DType::I64), e), "("));
        put(cat("reinterpret_cast<", dtype(DType::U64, e), ">("));
        expr(e.a);
        return put(is_plain ? ")" : "))");
    }
    std::string to = type(e.type, e);
    if (from_address) {
        TypeRef from = element_of(e.a->type);
        TypeRef wanted = element_of(e.type);
        bool is_same = from && wanted && type(from, e) == type(wanted, e);
        if (is_same)
            return expr(e.a, place);
        put(cat("reinterpret_cast<", to, ">("));
        expr(e.a);
        return put(")");
    }
    put(cat("reinterpret_cast<", to, ">("));
    convert(e.a, DType::U64, Level::Any);
    put(")");
}

void ExprEmitter::convert(const ExprRef& value, DType to, Level place) {
    DType from = scalar_of(value->type).value();
    if (from == to)
        return expr(value, place);
    if (auto syntax = m_dialect.cast(from, to)) {
        need(*syntax, *value);
        return write_syntax(*syntax, {value});
    }
    if (is_vector(from) || is_vector(to) || is_complex(from) || is_complex(to)) {
        unsupported(*value, cat("a conversion from '", info(from).name, "' to '", info(to).name, "'"));
        return put("0");
    }
    put(cat(dtype(to, *value), "(", sign_before(value)));
    expr(value);
    put(")");
}

void ExprEmitter::select(const Select& e, Level place) {
    open(Level::Choice, place);
    expr(e.condition, Level::Or);
    put(" ? ");
    expr(e.a, Level::Or);
    put(" : ");
    expr(e.b, Level::Choice);
    close(Level::Choice, place);
}

void ExprEmitter::address(const Address& e, Level place) {
    if (const auto* deref = as<Deref>(e.place))
        return expr(deref->pointer, place);
    if (e.place->kind == Kind::Var && is_address(e.place->type) && !is_pointer(e.place->type))
        return expr(e.place, place); // an array stands for the address of its first element
    open(Level::Prefix, place);
    put("&");
    expr(e.place, Level::Prefix);
    close(Level::Prefix, place);
}

// ---- printf -------------------------------------------------------------------------------------------------------------

// C's conversions on our values: a length that fits the value, a real value where the conversion wants one.
std::string ExprEmitter::print_value(const PrintConversion& wanted, ExprRef value, Print& print) const {
    constexpr std::string_view reals = "fFeEgGaA", unsigned_letters = "puxXo";
    const std::string spec = wanted.letter == 'p' ? "" : wanted.flags + wanted.width + wanted.precision;
    auto scalar = scalar_of(value->type);
    if (as<StringType>(value->type)) {
        print.items.push_back({value, 's'});
        return cat("%", spec, "s");
    }
    if (scalar && is_vector(*scalar)) {
        scalar = info(*scalar).lane;
        value = make_intrinsic(IntrinsicId::VectorLane, {value, int_constant(0)}, data_type(*scalar));
    }
    const bool wants_real = reals.find(wanted.letter) != std::string_view::npos;
    const bool is_real = scalar && is_float(*scalar);
    char letter = wanted.letter;
    if (is_real && !wants_real)
        letter = 'f';
    else if (!wants_real && letter != 'c' && unsigned_letters.find(letter) == std::string_view::npos)
        letter = scalar == DType::U32 ? 'u' : 'd';
    print.items.push_back({value, letter});
    if (letter == 'p')
        return "0x%llx";
    const bool is_long = !scalar || *scalar == DType::I64 || *scalar == DType::U64;
    return cat("%", spec, is_real || wants_real || letter == 'c' || !is_long ? "" : "ll", letter);
}

ExprEmitter::Print ExprEmitter::print_of(const Intrinsic& e) const {
    const auto* format = as<Constant>(e.args.at(0));
    const std::string* text = format ? std::get_if<std::string>(&format->value) : nullptr;
    HIDET_CHECK(text, "printf without a constant format");
    Print print;
    std::size_t next = 1, at = 0;
    for (const PrintConversion& one : print_conversions(*text)) {
        print.format += text->substr(at, one.begin - at);
        at = one.end;
        if (one.letter == 0 || e.args.size() - next < one.stars() + 1) {
            print.format += cat("%", text->substr(one.begin, one.end - one.begin));
            continue;
        }
        const std::size_t value = next + one.stars();
        if (one.letter != 'p') { // which is written in one way
            if (one.width == "*")
                print.items.push_back({e.args[next++], '*'});
            if (one.precision == ".*")
                print.items.push_back({e.args[next], '.'});
        }
        next = value;
        print.format += print_value(one, e.args[next++], print);
    }
    print.format += text->substr(at);
    return print;
}

void ExprEmitter::print_arguments(const Print& print) {
    for (const Print::Item& item : print.items) {
        put(", ");
        auto scalar = scalar_of(item.value->type);
        bool is_real = std::string_view("fFeEgGaA").find(item.conversion) != std::string_view::npos;
        if (item.conversion == 's')
            expr(item.value, Level::Any);
        else if ((item.conversion == '*' || item.conversion == '.') && scalar)
            convert(item.value, DType::I32, Level::Any);
        else if (is_real)
            convert(item.value, scalar == DType::F32 ? DType::F32 : DType::F64, Level::Any);
        else if (!scalar)
            pointer_cast(*as<Cast>(keep(make_cast(item.value, data_type(DType::U64)))), Level::Any);
        else if (item.conversion == 'p')
            convert(item.value, DType::U64, Level::Any);
        else if (bytes_of(*scalar) == 8)
            convert(item.value, item.conversion == 'd' ? DType::I64 : DType::U64, Level::Any);
        else if (std::string_view("uxXo").find(item.conversion) != std::string_view::npos)
            convert(item.value, DType::U32, Level::Any);
        else
            convert(item.value, DType::I32, Level::Any);
    }
}

} // namespace hidet::compiler::text
