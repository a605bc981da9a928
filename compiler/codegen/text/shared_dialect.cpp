// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/shared_dialect.h"

#include <charconv>
#include <cmath>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/packing.h"
#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using ir::BinOp;
using ir::DType;
using ir::IntrinsicId;

namespace {

struct TypeRow {
    DType dtype;
    const char* text;
    const char* snippet;
};
constexpr TypeRow type_rows[] = {
#define HIDET_SPELL_TYPE(name, text, snippet) {DType::name, text, snippet},
#include "compiler/codegen/text/types.def"
#undef HIDET_SPELL_TYPE
};

const TypeRow* find_type(DType dtype) {
    for (const TypeRow& row : type_rows)
        if (row.dtype == dtype)
            return &row;
    return nullptr;
}

DType find_vector(std::string_view text) {
    for (const TypeRow& row : type_rows)
        if (row.text == text)
            return row.dtype;
    HIDET_CHECK(false, text);
}

// Floats that are computed with in float and rounded after each operation.
bool is_short(DType dtype) {
    return ir::is_float(dtype) && dtype != DType::F32 && dtype != DType::F64;
}
bool is_narrow(DType dtype) {
    return ir::is_integer(dtype) && ir::info(dtype).bits < 32;
}

// In which a lane is computed, and a part of a complex number.
DType lane_of(DType dtype) {
    const DType lane = ir::info(dtype).lane;
    return ir::is_subbyte(lane) ? ir::carrier_of(lane) : lane;
}

// float1 to float4, which are made by functions.
bool is_built_in(DType dtype) {
    return ir::is_vector(dtype) && ir::info(dtype).lane == DType::F32 && ir::info(dtype).lanes <= 4;
}

// Vectors that the language computes with.
bool has_operators(DType dtype) {
    return ir::is_vector(dtype) && !ir::is_subbyte(ir::info(dtype).lane);
}

std::string complex_operator(BinOp op) {
    switch (op) {
    case BinOp::Mul: return "complex_product";
    case BinOp::Div: return "complex_quotient";
    case BinOp::Eq: return "complex_equality";
    case BinOp::Ne: return "complex_inequality";
    default: return cat("complex_sum(", ir::spelling(op), ")");
    }
}

std::string number_text(double value, DType dtype) {
    char digits[64];
    bool is_double = dtype == DType::F64;
    auto end = is_double ? std::to_chars(digits, digits + sizeof digits, value)
                         : std::to_chars(digits, digits + sizeof digits, static_cast<float>(value));
    std::string text(digits, end.ptr);
    if (text.find_first_of(".en") == std::string::npos)
        text += ".0";
    return is_double ? text : text + "f";
}

} // namespace

std::string_view c_function(IntrinsicId id) {
    switch (id) {
#define HIDET_SPELL_MATH(name, text)                                                                                   \
    case IntrinsicId::name:                                                                                            \
        return text;
#include "compiler/codegen/text/math.def"
#undef HIDET_SPELL_MATH
    default: return {};
    }
}

std::string call_text(std::string_view function, std::size_t arguments) {
    std::string text(function);
    for (std::size_t i = 0; i < arguments; ++i)
        text += cat(i ? ", {" : "({", i, "}");
    return text + (arguments ? ")" : "()");
}

SharedDialect::SharedDialect(SnippetTable snippets) : m_snippets(std::move(snippets)) {
    // Vectors of one type as another: too many pairs for a file.
    m_snippets.add_written("convert(to, from)", {"$to", "$from"}, [this](const std::vector<std::string>& pair) {
        return conversion_text(find_vector(pair.at(0)), find_vector(pair.at(1)));
    });
    m_snippets.add_written("lane_operator(T, op)", {"$T"}, [this](const std::vector<std::string>& use) {
        return lanes_text(find_vector(use.at(0)), use.at(1));
    });
    m_snippets.add_written("lane_negation(T)", {"$T"}, [this](const std::vector<std::string>& use) {
        return lanes_text(find_vector(use.at(0)), "");
    });
    reserve(
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
        "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
        "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
        "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
        "register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch "
        "template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile "
        "wchar_t while xor xor_eq linux unix i386 NULL main size_t ptrdiff_t nullptr_t");
    reserve_declared();
#define HIDET_SPELL_MATH(name, text) reserve(text " " text "f");
#include "compiler/codegen/text/math.def"
#undef HIDET_SPELL_MATH
    reserve("abs labs llabs min max fmod fmodf memcpy memset memmove printf malloc free assert clock");
}

void SharedDialect::reserve(std::string_view words) {
    for (const std::string& word : split(words, ' '))
        if (!word.empty())
            m_reserved.insert(word);
}

void SharedDialect::reserve_outermost(std::string_view words) {
    for (const std::string& word : split(words, ' '))
        if (!word.empty())
            m_library.insert(word);
}

void SharedDialect::reserve_declared() {
    for (const std::string& snippet : m_snippets.names())
        if (snippet.find("convert(") != 0 && snippet.find("lane_") != 0)
            for (const std::string& name : m_snippets.declared_names(snippet))
                m_reserved.insert(name);
    for (const TypeRow& row : type_rows)
        if (ir::is_vector(row.dtype))
            m_reserved.insert(cat("to_", row.text));
}

std::optional<TargetSyntax> SharedDialect::type(DType dtype) const {
    const TypeRow* row = find_type(dtype);
    if (!row)
        return std::nullopt;
    return plain(row->text, snippets_of(row->snippet));
}

std::string SharedDialect::lane_text(DType vector, std::string_view value, int lane) const {
    if (ir::is_complex(vector))
        return cat(value, lane == 0 ? ".real" : ".imag");
    if (is_built_in(vector))
        return cat(value, ".", std::string_view("xyzw").substr(static_cast<std::size_t>(lane), 1));
    return cat(value, "[", lane, "]");
}

// A plain number as another.
std::optional<TargetSyntax> SharedDialect::cast_number(DType from, DType to) const {
    std::string wide = is_short(from) ? "float({0})" : "{0}";
    DType computed = is_short(from) ? DType::F32 : from;
    TargetSyntax target = *type(to);
    auto wrapped = [&](std::string_view function) {
        target.text = cat(target.text, "(", function, function.empty() ? wide : cat("(", wide, ")"), ")");
        return target;
    };
    if (is_short(to)) {
        if (computed == DType::F64) {
            target.needs.insert("round_to_odd");
            return wrapped("round_to_odd");
        }
        // Only integers beyond 2^24 are rounded on their way through float; a format with fewer than 2^24 as its largest
        // number does not mind.
        bool through_double = ir::is_integer(from) && !is_narrow(from) && (to == DType::BF16 || to == DType::TF32);
        if (through_double) {
            wide = "double({0})";
            target.needs.insert("round_to_odd");
            return wrapped("round_to_odd");
        }
        return is_short(from) ? std::optional(wrapped("")) : std::nullopt;
    }
    if (to == DType::Bool && is_short(from)) {
        target.text = "(float({0}) != 0.0f)";
        return target;
    }
    bool to_integer = ir::is_integer(to) && to != DType::Bool;
    if (to_integer && ir::is_float(from)) {
        std::string function = float_to_int(computed, is_narrow(to) ? DType::I32 : to, target.needs);
        if (is_narrow(to))
            return wrapped(function);
        target.text = cat(function, "(", wide, ")");
        return target;
    }
    if (is_short(from) && to == DType::F64)
        return wrapped("");
    return std::nullopt;
}

std::optional<TargetSyntax> SharedDialect::cast(DType from, DType to) const {
    if (from == to || !find_type(from) || !find_type(to))
        return std::nullopt;
    if (ir::is_complex(to))
        return cast_to_complex(from, to);
    if (ir::is_vector(from) && ir::is_vector(to)) {
        auto lane = cast(lane_of(from), lane_of(to));
        Snippets needs = lane ? lane->needs : Snippets{};
        needs.insert(cat("convert(", find_type(to)->text, ", ", find_type(from)->text, ")"));
        return plain(cat("to_", find_type(to)->text, "({0})"), std::move(needs));
    }
    if (ir::has_lanes(from) || ir::has_lanes(to))
        return std::nullopt;
    return cast_number(from, to);
}

std::optional<TargetSyntax> SharedDialect::cast_to_complex(DType from, DType to) const {
    TargetSyntax syntax = *type(to);
    const auto part = ir::is_complex(from) ? std::nullopt : cast(from, lane_of(to));
    const bool is_plain = ir::is_complex(from) || from == lane_of(to);
    syntax.text += cat("(", part ? part->text : is_plain ? "{0}" : cat(type(lane_of(to))->text, "({0})"), ")");
    if (part)
        syntax.needs.insert(part->needs.begin(), part->needs.end());
    return syntax;
}

std::string SharedDialect::conversion_text(DType to, DType from) const {
    std::string lanes;
    for (int lane = 0; lane < ir::info(to).lanes; ++lane) {
        std::string value = lane_text(from, "a", lane);
        auto lane_cast = cast(lane_of(from), lane_of(to));
        std::string text = lane_cast ? lane_cast->text : cat(type(lane_of(to))->text, "({0})");
        lanes += cat(lane ? ", " : "", text.replace(text.find("{0}"), 3, value));
    }
    std::string name = type(to)->text;
    return cat("inline $device ", name, " to_", name, "(", type(from)->text, " a) {\n    return ",
               is_built_in(to) ? "make_" : "", name, "(", lanes, ");\n}\n");
}

// An operator between the lanes of two vectors; without one the negation of those of a vector.
std::string SharedDialect::lanes_text(DType dtype, std::string_view op) const {
    std::string lanes;
    for (int lane = 0; lane < ir::info(dtype).lanes; ++lane)
        lanes += cat(lane ? ", " : "", op.empty() ? "-" : "", lane_text(dtype, "a", lane),
                     op.empty() ? "" : cat(" ", op, " ", lane_text(dtype, "b", lane)));
    const std::string name = type(dtype)->text;
    return cat("inline $device ", name, " operator", op.empty() ? "-" : op, "(", name, " a",
               op.empty() ? "" : cat(", ", name, " b"), ") {\n    return make_", name, "(", lanes, ");\n}\n");
}

std::optional<TargetSyntax> SharedDialect::binary(BinOp op, DType dtype) const {
    if (op == BinOp::Mod && (dtype == DType::F32 || dtype == DType::F64))
        return plain(cat(remainder(dtype), "({0}, {1})"));
    if (op == BinOp::Mod && is_short(dtype)) {
        TargetSyntax syntax = *type(dtype);
        syntax.text += cat("(", remainder(DType::F32), "(float({0}), float({1})))");
        return syntax;
    }
    if ((op == BinOp::FloorDiv || op == BinOp::FloorMod) && ir::is_signed(dtype))
        return op == BinOp::FloorDiv ? plain("floor_div({0}, {1})", {"floor_div"})
                                     : plain("floor_mod({0}, {1})", {"floor_mod"});
    return std::nullopt;
}

Snippets SharedDialect::operators(BinOp op, DType dtype) const {
    std::string_view symbol = ir::spelling(op);
    if (std::string own = own_operator(op, dtype); !own.empty())
        return {own};
    bool is_arithmetic = op == BinOp::Add || op == BinOp::Sub || op == BinOp::Mul || op == BinOp::Div;
    if (has_operators(dtype) && is_arithmetic) {
        Snippets snippets = operators(op, ir::info(dtype).lane);
        snippets.insert(is_built_in(dtype) ? cat("lane_operator(", type(dtype)->text, ", ", symbol, ")")
                                           : cat("vec_operator(", symbol, ")"));
        return snippets;
    }
    if (ir::is_complex(dtype))
        return {complex_operator(op)};
    if (is_short(dtype) && is_arithmetic)
        return {cat("float_operator(", type(dtype)->text, ", ", symbol, ")")};
    if (is_short(dtype) && ir::is_comparison(op))
        return {cat("float_comparison(", type(dtype)->text, ", ", symbol, ")")};
    return {};
}

Snippets SharedDialect::operators(ir::UnOp op, DType dtype) const {
    if (op != ir::UnOp::Neg)
        return {};
    if (has_operators(dtype)) {
        Snippets snippets = operators(op, ir::info(dtype).lane);
        snippets.insert(is_built_in(dtype) ? cat("lane_negation(", type(dtype)->text, ")") : "vec_negation");
        return snippets;
    }
    if (ir::is_complex(dtype))
        return {"complex_negation"};
    if (!is_short(dtype))
        return {};
    std::string text = type(dtype)->text;
    bool has_infinity = dtype == DType::F16 || dtype == DType::BF16; // those of 8 bits saturate
    return {has_infinity ? cat("sign_flip(", text, ", 0x8000)") : cat("float_negation(", text, ")")};
}

std::optional<TargetSyntax> SharedDialect::literal(double value, DType dtype) const {
    if (dtype == DType::F32 || dtype == DType::F64) {
        if (std::isfinite(value))
            return std::nullopt;
        std::string text = std::isnan(value) ? "NAN" : std::signbit(value) ? "(-INFINITY)" : "INFINITY";
        Snippets needs{std::isnan(value) ? "NAN" : "INFINITY"};
        return plain(dtype == DType::F64 ? cat("double(", text, ")") : text, std::move(needs));
    }
    auto own = type(dtype);
    if (!own)
        return std::nullopt;
    if (ir::is_vector(dtype)) {
        DType lane_type = lane_of(dtype);
        auto lane = literal(value, lane_type);
        std::string number =
            ir::is_float(lane_type) ? number_text(value, lane_type) : std::to_string(static_cast<std::int64_t>(value));
        if (is_built_in(dtype))
            own->needs.insert(cat("all_", own->text));
        own->text = cat(is_built_in(dtype) ? "all_" : "", own->text, "(", lane ? lane->text : number, ")");
        if (lane)
            own->needs.merge(lane->needs);
        return own;
    }
    if (!is_short(dtype))
        return std::nullopt;
    auto special = literal(value, DType::F32);
    own->text += cat("(", special ? special->text : number_text(value, DType::F32), ")");
    if (special)
        own->needs.merge(special->needs);
    return own;
}

std::optional<TargetSyntax> SharedDialect::math(IntrinsicId id, DType dtype) const {
    if (dtype == DType::F32 || dtype == DType::F64)
        return real_math(id, dtype);
    if (ir::is_integer(dtype))
        return integer_math(id, dtype);
    if (auto own = own_math(id, dtype))
        return own;
    if (is_short(dtype))
        return short_math(id, dtype);
    if (dtype == DType::F16x2)
        return vector_math(id, dtype);
    return std::nullopt;
}

// Through float: exact but for the one rounding at the end.
std::optional<TargetSyntax> SharedDialect::short_math(IntrinsicId id, DType dtype) const {
    auto real = real_math(id, DType::F32);
    if (!real)
        return std::nullopt;
    std::string text;
    for (std::size_t at = 0; at < real->text.size(); ++at) {
        bool is_argument = real->text[at] == '{';
        text += is_argument ? cat("float(", real->text.substr(at, 3), ")") : std::string(1, real->text[at]);
        at += is_argument ? 2 : 0;
    }
    bool is_test = ir::info(id).result.kind == ir::IntrinsicResult::Kind::Fixed;
    TargetSyntax syntax = *type(dtype);
    syntax.text = is_test ? text : cat(syntax.text, "(", text, ")");
    syntax.needs.merge(real->needs);
    return syntax;
}

std::optional<TargetSyntax> SharedDialect::vector_math(IntrinsicId id, DType dtype) const {
    DType lane_type = ir::info(dtype).lane;
    auto lane = math(id, lane_type);
    if (!lane)
        return std::nullopt;
    int arguments = ir::info(id).max_args;
    std::string parameters, values;
    std::string text = lane->text;
    for (int i = 0; i < arguments; ++i) {
        std::string name(1, static_cast<char>('a' + i));
        parameters += cat(i ? ", " : "", type(lane_type)->text, " ", name);
        values += cat(", {", i, "}");
        std::string hole = cat("{", i, "}");
        for (std::size_t at = text.find(hole); at != std::string::npos; at = text.find(hole))
            text.replace(at, hole.size(), name);
    }
    lane->text = cat("each([](", parameters, ") { return ", text, "; }", values, ")");
    lane->needs.insert("each");
    lane->needs.merge(type(dtype)->needs);
    return lane;
}

std::optional<TargetSyntax> SharedDialect::make_vector(const ir::Intrinsic& call) const {
    auto dtype = ir::scalar_of(call.type);
    auto syntax = dtype ? type(*dtype) : std::nullopt;
    if (!syntax || !ir::has_lanes(*dtype))
        return std::nullopt;
    int lanes = ir::lanes_of(*dtype);
    bool is_broadcast = call.args.size() == 1 && lanes > 1;
    if (is_built_in(*dtype) && is_broadcast)
        return plain(cat("all_", syntax->text, "({0})"), {cat("all_", syntax->text)});
    syntax->text = call_text(cat(is_built_in(*dtype) ? "make_" : "", syntax->text), call.args.size());
    return syntax;
}

std::optional<TargetSyntax> SharedDialect::bit_cast(const ir::Intrinsic& call) const {
    auto from = ir::scalar_of(call.args.at(0)->type), to = ir::scalar_of(call.type);
    auto syntax = to ? type(*to) : std::nullopt;
    if (!syntax || !from)
        return std::nullopt;
    syntax->text = cat("bit_cast<", syntax->text, ">({0})");
    syntax->needs.insert("bit_cast");
    return syntax;
}

// Whether the language has the type, or the type that an address points at.
bool SharedDialect::has_type(const ir::TypeRef& type) const {
    auto dtype = ir::scalar_of(type);
    if (ir::TypeRef element = dtype ? nullptr : ir::element_of(type))
        dtype = ir::scalar_of(element);
    return !dtype || find_type(*dtype);
}

std::optional<TargetSyntax> SharedDialect::intrinsic(const ir::Intrinsic& call) const {
    bool has_types = has_type(call.type);
    for (const ir::ExprRef& arg : call.args)
        has_types = has_types && has_type(arg->type);
    if (!has_types)
        return std::nullopt;
    DType dtype = DType::I32;
    if (!call.args.empty())
        if (auto known = ir::scalar_of(call.args[0]->type))
            dtype = *known;
    if (!c_function(call.id).empty())
        return math(call.id, dtype);
    if (call.id == IntrinsicId::MakeVector)
        return make_vector(call);
    if (call.id == IntrinsicId::StoreBits) { // store_bits<4>(place, shift, value), of the units of packed memory
        const auto unit = ir::scalar_of(call.args.at(2)->type);
        if (unit != DType::U8 && unit != DType::U32)
            return std::nullopt;
        return plain(cat("store_bits<", *ir::constant_int(call.args.at(3)), ">({0}, {1}, {2})"), {"store_bits"});
    }
    if (call.id == IntrinsicId::Bitcast)
        return bit_cast(call);
    if (call.id == IntrinsicId::VectorLane) {
        auto lane = ir::constant_int(call.args.at(1));
        HIDET_CHECK(lane && ir::has_lanes(dtype), "a lane that is not constant");
        return plain(lane_text(dtype, "({0})", static_cast<int>(*lane)));
    }
    return target_intrinsic(call, dtype);
}

} // namespace hidet::compiler
