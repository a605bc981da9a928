// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/shared_dialect.h"

#include <charconv>
#include <cmath>

#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using ir::BinOp;
using ir::DType;
using ir::DTypeClass;
using ir::IntrinsicId;

namespace {

struct TypeRow {
    DType dtype;
    const char* text;
    const char* piece;
};
constexpr TypeRow type_rows[] = {
#define HIDET_SPELL_TYPE(name, text, piece) {DType::name, text, piece},
#include "compiler/codegen/text/types.def"
#undef HIDET_SPELL_TYPE
};

const TypeRow* find_type(DType dtype) {
    for (const TypeRow& row : type_rows)
        if (row.dtype == dtype)
            return &row;
    return nullptr;
}

// Floats that are computed with in float and rounded after each operation.
bool is_short(DType dtype) {
    return ir::is_float(dtype) && dtype != DType::F32 && dtype != DType::F64;
}
bool is_narrow(DType dtype) {
    return ir::is_integer(dtype) && ir::info(dtype).bits < 32;
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

Spelling with(std::string text, Pieces needs = {}) {
    return {.text = std::move(text), .needs = std::move(needs), .capability = {}};
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

SharedDialect::SharedDialect(PieceTable pieces, std::string c_prefix)
    : m_pieces(std::move(pieces)), m_c_prefix(std::move(c_prefix)) {
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

void SharedDialect::reserve_declared() {
    for (const std::string& piece : m_pieces.names())
        for (const std::string& name : m_pieces.declared_names(piece))
            m_reserved.insert(name);
}

std::optional<Spelling> SharedDialect::type(DType dtype) const {
    const TypeRow* row = find_type(dtype);
    if (!row)
        return std::nullopt;
    return with(row->text, row->piece[0] ? Pieces{row->piece} : Pieces{});
}

std::optional<Spelling> SharedDialect::cast(DType from, DType to) const {
    (void)from, (void)to;
    return std::nullopt;
}

std::optional<Spelling> SharedDialect::binary(BinOp op, DType dtype) const {
    if (op == BinOp::Mod && (dtype == DType::F32 || dtype == DType::F64))
        return with(cat(m_c_prefix, dtype == DType::F64 ? "fmod({0}, {1})" : "fmodf({0}, {1})"));
    if ((op == BinOp::FloorDiv || op == BinOp::FloorMod) && ir::is_signed(dtype))
        return op == BinOp::FloorDiv ? with("floor_div({0}, {1})", {"floor_div"})
                                     : with("floor_mod({0}, {1})", {"floor_mod"});
    bool grows = op == BinOp::Add || op == BinOp::Sub || op == BinOp::Mul || op == BinOp::Shl;
    if (grows && is_narrow(dtype)) {
        std::string both = cat("(({0}) ", ir::spelling(op), " ({1}))");
        Spelling spelling = *type(dtype);
        spelling.text = dtype == DType::Bool ? cat("bool(", both, " & 1)") : cat(spelling.text, both);
        return spelling;
    }
    return std::nullopt;
}

std::optional<Spelling> SharedDialect::literal(double value, DType dtype) const {
    if (dtype == DType::F32 || dtype == DType::F64) {
        if (std::isfinite(value))
            return std::nullopt;
        std::string text = std::isnan(value) ? "NAN" : std::signbit(value) ? "(-INFINITY)" : "INFINITY";
        Pieces needs{std::isnan(value) ? "NAN" : "INFINITY"};
        return with(dtype == DType::F64 ? cat("double(", text, ")") : text, std::move(needs));
    }
    auto own = type(dtype);
    if (!own)
        return std::nullopt;
    if (ir::is_vector(dtype)) {
        auto lane = literal(value, ir::info(dtype).lane);
        own->text += cat("(", lane ? lane->text : number_text(value, ir::info(dtype).lane), ")");
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

std::optional<Spelling> SharedDialect::math(IntrinsicId id, DType dtype) const {
    if (dtype == DType::F32 || dtype == DType::F64)
        return real_math(id, dtype);
    if (ir::is_integer(dtype))
        return integer_math(id, dtype);
    return std::nullopt;
}

std::optional<Spelling> SharedDialect::intrinsic(const ir::Intrinsic& call) const {
    DType dtype = DType::I32;
    if (!call.args.empty())
        if (auto known = ir::scalar_of(call.args[0]->type))
            dtype = *known;
    if (!c_function(call.id).empty())
        return math(call.id, dtype);
    return target_intrinsic(call, dtype);
}

} // namespace hidet::compiler
