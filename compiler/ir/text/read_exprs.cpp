// SPDX-License-Identifier: Apache-2.0
// Reading expressions: precedence climbing over the operators of names.h, then prefixes, primaries and postfixes.
#include <charconv>
#include <limits>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/text_reader.h"

namespace hidet::ir {

static std::optional<BinOp> find_binary(const TextToken& token) {
    if (token.what != TextToken::What::Mark && token.what != TextToken::What::Name)
        return std::nullopt;
    for (int op = 0; op <= static_cast<int>(BinOp::Shr); ++op)
        if (token.text == spelling(static_cast<BinOp>(op)))
            return static_cast<BinOp>(op);
    return std::nullopt;
}

static Precedence tighter(Precedence precedence) {
    return static_cast<Precedence>(static_cast<int>(precedence) + 1);
}

ExprRef ExprReader::expr(Precedence at_least) {
    Nested nested(*this);
    std::size_t begin = m_at;
    ExprRef left = operand(at_least);
    check_depth(left->depth, begin);
    for (bool may_compare = true;;) {
        auto op = find_binary(token());
        if (!op || precedence_of(*op) < at_least || (is_comparison(*op) && !may_compare))
            return left;
        ++m_at;
        ExprRef right = expr(tighter(precedence_of(*op)));
        check_depth(std::max(left->depth, right->depth), begin);
        left = placed(begin, make_binary(*op, std::move(left), std::move(right)));
        may_compare = !is_comparison(*op);
    }
}

ExprRef ExprReader::operand(Precedence at_least) {
    std::size_t begin = m_at;
    if (at_least <= Precedence::Not && take_word("not"))
        return placed(begin, make_unary(UnOp::Not, expr(Precedence::Not)));
    return prefix(begin);
}

ExprRef ExprReader::prefix(std::size_t begin) {
    if (!is_mark("-") && !is_mark("*") && !is_mark("&"))
        return postfix(primary(), begin);
    Nested nested(*this);
    bool is_number = token(1).what == What::Integer || token(1).what == What::Real;
    if (is_mark("-") && is_number && token(1).span.begin == token().span.end)
        return postfix(primary(), begin);
    std::string_view mark = token().text;
    ++m_at;
    ExprRef inner = prefix(m_at);
    check_depth(std::max(inner->depth, inner->type->depth), begin);
    if (mark == "-")
        return placed(begin, make_unary(UnOp::Neg, std::move(inner)));
    if (mark == "&")
        return placed(begin, make_address(std::move(inner)));
    if (!element_of(inner->type))
        invalid_type(begin, "points to nothing", inner->type);
    return placed(begin, make_deref(std::move(inner)));
}

ExprRef ExprReader::postfix(ExprRef base, std::size_t begin) {
    while (is_mark("[") || (is_mark(".") && (is_word("protect", 1) || is_word("slice", 1)))) {
        if (!element_of(base->type))
            invalid_type(begin, "has no elements", base->type);
        base = element_or_slice(std::move(base), begin);
        check_depth(base->depth, begin);
    }
    return base;
}

ExprRef ExprReader::element_or_slice(ExprRef base, std::size_t begin) {
    bool is_protected = false;
    bool is_slice = false;
    if (take_mark(".")) {
        is_protected = take_word("protect");
        is_slice = !is_protected && take_word("slice");
    }
    need_mark("[");
    ExprVec indices, starts, stops;
    while (!take_mark("]")) {
        if (!indices.empty())
            need_mark(",");
        ExprRef first = is_mark(":") ? nullptr : expr();
        bool is_range = take_mark(":");
        is_slice = is_slice || is_range;
        ExprRef stop = is_range && !is_mark(",") && !is_mark("]") ? expr() : nullptr;
        indices.push_back(is_range ? nullptr : first);
        starts.push_back(is_range ? first : nullptr);
        stops.push_back(stop);
    }
    if (!is_slice)
        return placed(begin, make_element(std::move(base), std::move(indices), is_protected));
    const TensorType* tensor = tensor_of(base->type);
    if (is_protected || (tensor && tensor->shape.size() != indices.size()))
        invalid_type(begin, "has no such slice", base->type);
    return placed(begin, make_slice(std::move(base), std::move(indices), std::move(starts), std::move(stops)));
}

// The frames of expr(), operand(), prefix(), primary() and parenthesised() are on the stack once for each parenthesis, so
// what needs room is done in functions of its own.
ExprRef ExprReader::primary() {
    if (is_mark("("))
        return parenthesised();
    return token().what == What::Name ? word_expr() : literal();
}

ExprRef ExprReader::literal() {
    std::size_t begin = m_at;
    if (token().what == What::String)
        return placed(begin, string_constant(string()));
    if (take_mark("@")) {
        need(What::Name, "the name of a symbol");
        return placed(begin, make_symbol(std::string(m_tokens[m_at - 1].text), data_type(DType::I32)));
    }
    const TextToken& digits = token(is_mark("-") ? 1 : 0);
    bool is_real = digits.what == What::Real;
    if (!is_real && digits.what != What::Integer)
        expected("an expression");
    ConstantValue value = number(true);
    if (!is_real && wrap_to(std::get<std::int64_t>(value), DType::I32) != std::get<std::int64_t>(value))
        fail(DiagId::IrLiteral, span_from(begin), std::get<std::int64_t>(value), "int32");
    return placed(begin, make_constant(std::move(value), data_type(is_real ? DType::F32 : DType::I32)));
}

void TextTokens::check_depth(int depth, std::size_t begin) const {
    if (depth + 2 > max_depth)
        fail(DiagId::IrTooDeep, span_from(begin));
}

void TextTokens::invalid_type(std::size_t begin, const char* complaint, const TypeRef& type) const {
    invalid(begin, cat("a '", describe(type), "' ", complaint));
}

ExprRef ExprReader::parenthesised() {
    std::size_t begin = m_at;
    need_mark("(");
    if (take_word("let"))
        return let_expr(begin);
    ExprRef inner = expr();
    if (take_word("if"))
        return select_expr(std::move(inner), begin);
    need_mark(")");
    return inner;
}

ExprRef ExprReader::select_expr(ExprRef value, std::size_t begin) {
    ExprRef condition = expr();
    need_word("else");
    ExprRef other = expr();
    need_mark(")");
    check_depth(std::max({condition->depth, value->depth, other->depth}), begin);
    return placed(begin, make_select(std::move(condition), std::move(value), std::move(other)));
}

ExprRef ExprReader::let_expr(std::size_t begin) {
    VarRef var = definition();
    need_mark("=");
    ExprRef value = expr();
    need_word("in");
    ExprRef body = expr();
    need_mark(")");
    return placed(begin, make_let(std::move(var), std::move(value), std::move(body)));
}

ExprVec ExprReader::arguments() {
    ExprVec args;
    while (!take_mark(")")) {
        if (!args.empty())
            need_mark(",");
        args.push_back(expr());
    }
    return args;
}

ExprRef ExprReader::word_expr() {
    std::size_t begin = m_at;
    if (take_word("True") || take_word("False"))
        return placed(begin, bool_constant(m_tokens[begin].text == "True"));
    if (is_mark(".", 1) && !is_word("protect", 2) && !is_word("slice", 2))
        return builtin_or_intrinsic(begin);
    return is_mark("(", 1) ? word_call() : variable();
}

ExprRef ExprReader::word_call() {
    std::size_t begin = m_at;
    std::string_view word = token().text;
    m_at += 2;
    if (auto dtype = find_dtype(word))
        return typed_constant(*dtype, begin);
    if (word == "constant")
        return general_constant(begin);
    if (word == "cast" || word == "bitwise_not")
        return conversion(word == "cast", begin);
    if (word == "symbol")
        return symbol_expr(begin);
    if (word == "call")
        return general_call(begin);
    if (auto id = find_intrinsic(word))
        return intrinsic(*id, begin);
    return plain_call(word, begin);
}

ExprRef ExprReader::conversion(bool is_cast, std::size_t begin) {
    ExprRef value = expr();
    if (is_cast)
        need_mark(",");
    TypeRef target = is_cast ? type() : nullptr;
    need_mark(")");
    return placed(begin, is_cast ? make_cast(std::move(value), std::move(target))
                                 : make_unary(UnOp::BitNot, std::move(value)));
}

ExprRef ExprReader::symbol_expr(std::size_t begin) {
    std::string symbol = string();
    need_mark(",");
    TypeRef symbol_type = type();
    need_mark(")");
    return placed(begin, make_symbol(std::move(symbol), std::move(symbol_type)));
}

ExprRef ExprReader::general_call(std::size_t begin) {
    std::string callee = string();
    need_mark(",");
    TypeRef type = this->type();
    if (!is_mark(")"))
        need_mark(",");
    return call(std::move(callee), std::move(type), begin);
}

ExprRef ExprReader::plain_call(std::string_view word, std::size_t begin) {
    auto found = m_returns.find(std::string(word));
    if (found == m_returns.end())
        fail(DiagId::IrUnknownName, m_tokens[begin].span, word);
    return call(std::string(word), found->second, begin);
}

ExprRef ExprReader::call(std::string callee, TypeRef type, std::size_t begin) {
    ExprVec args = arguments();
    return placed(begin, make_call(std::move(callee), std::move(args), std::move(type)));
}

ExprRef ExprReader::builtin_or_intrinsic(std::size_t begin) {
    std::string full(token().text);
    m_at += 2;
    need(What::Name, "a name");
    (full += ".") += m_tokens[m_at - 1].text;
    for (int which = 0; which <= static_cast<int>(Builtin::ClusterDimBlocks); ++which)
        if (full == builtin_name(static_cast<Builtin>(which)))
            return placed(begin, make_builtin(static_cast<Builtin>(which)));
    auto id = find_intrinsic(full);
    if (!id)
        fail(DiagId::IrUnknownName, span_from(begin), full);
    need_mark("(");
    return intrinsic(*id, begin);
}

ExprRef ExprReader::intrinsic(IntrinsicId id, std::size_t begin) {
    const IntrinsicInfo& row = info(id);
    ExprVec args;
    IntrinsicAttr attr = default_attr(id);
    bool has_attr = false;
    TypeRef given;
    for (bool is_first = true; !take_mark(")"); is_first = false) {
        if (!is_first)
            need_mark(",");
        if (is_word("attr") && is_mark("=", 1)) {
            m_at += 2;
            auto read = parse_attr(id, string());
            if (!read)
                invalid(begin, cat("'", row.name, "' has no such 'attr='"));
            attr = *read;
            has_attr = true;
        } else if (is_word("type") && is_mark("=", 1)) {
            m_at += 2;
            given = type();
        } else {
            args.push_back(expr());
        }
    }
    auto count = static_cast<int>(args.size());
    if (count < row.min_args || (row.max_args >= 0 && count > row.max_args))
        invalid(begin, cat("'", row.name, "' does not take ", count, " arguments"));
    if (row.result.is_printed() && !given)
        invalid(begin, cat("'", row.name, "' needs 'type='"));
    if (!has_attr && !parse_attr(id, ""))
        invalid(begin, cat("'", row.name, "' needs 'attr='"));
    return placed(begin, make_intrinsic(attr, std::move(args), std::move(given)));
}

// ---- constants ------------------------------------------------------------------------------------------------------------

template <class T>
static double read_real(const std::string& text) {
    T value{};
    auto error = std::from_chars(text.data(), text.data() + text.size(), value).ec;
    if (error != std::errc::result_out_of_range)
        return static_cast<double>(value);
    bool is_tiny = text.find("e-") != std::string::npos;
    double magnitude = is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return text.front() == '-' ? -magnitude : magnitude;
}

ConstantValue ExprReader::number(bool as_float32) {
    bool is_negative = take_mark("-");
    std::size_t begin = m_at;
    if (take_word("inf") || take_word("nan")) {
        double value = m_tokens[begin].text == "inf" ? std::numeric_limits<double>::infinity()
                                                     : std::numeric_limits<double>::quiet_NaN();
        return is_negative ? -value : value;
    }
    if (token().what != What::Integer && token().what != What::Real)
        expected("a number");
    std::string text = (is_negative ? "-" : "") + std::string(token().text);
    bool is_real = token().what == What::Real;
    ++m_at;
    if (is_real)
        return as_float32 ? read_real<float>(text) : read_real<double>(text);
    std::uint64_t magnitude = 0;
    const char* digits = text.data() + is_negative;
    auto error = std::from_chars(digits, text.data() + text.size(), magnitude).ec;
    bool fits = error == std::errc{} && (!is_negative || magnitude <= (std::uint64_t(1) << 63));
    if (!fits)
        fail(DiagId::IrLiteral, span_from(begin), text, is_negative ? "int64" : "uint64");
    return static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
}

ExprRef ExprReader::typed_constant(DType dtype, std::size_t begin) {
    std::size_t at = m_at;
    ConstantValue value = number(dtype == DType::F32);
    std::string text;
    for (std::size_t i = at; i < m_at; ++i)
        text += m_tokens[i].text;
    Span number_span = span_from(at);
    need_mark(")");
    const auto* integer = std::get_if<std::int64_t>(&value);
    bool fits = integer ? is_integer(dtype) || is_subbyte(dtype) : is_float(dtype);
    bool past_int64 = integer && *integer < 0 && text.front() != '-'; // only u64 holds it
    if (!fits ||
        (integer && (wrap_to(*integer, dtype) != *integer || past_int64 != (dtype == DType::U64 && *integer < 0))))
        fail(DiagId::IrLiteral, number_span, text, info(dtype).name);
    return placed(begin, make_constant(std::move(value), data_type(dtype)));
}

ExprRef ExprReader::general_constant(std::size_t begin) {
    ConstantValue value = token().what == What::String ? ConstantValue(string()) : number(false);
    need_mark(",");
    TypeRef target = type();
    need_mark(")");
    return placed(begin, make_constant(std::move(value), std::move(target)));
}

// ---- variables ------------------------------------------------------------------------------------------------------------

ExprRef ExprReader::variable() {
    std::string word(token().text);
    for (const auto* table : {&m_locals, &m_globals})
        if (auto found = table->find(word); found != table->end()) {
            ++m_at;
            return found->second;
        }
    if (is_reserved(word))
        expected("an expression");
    std::vector<std::string> candidates;
    for (const auto* table : {&m_locals, &m_globals})
        for (const auto& entry : *table)
            candidates.push_back(entry.first);
    throw DiagnosticError(
        Diagnostic::make(DiagId::IrUnknownName, token().span, word).suggest(token().span, word, candidates));
}

VarRef ExprReader::definition() {
    need(What::Name, "a name");
    std::size_t at = m_at - 1;
    need_mark(":");
    TypeRef type = this->type();
    return define(m_tokens[at].text, std::move(type), m_tokens[at].span);
}

VarRef ExprReader::define(std::string_view name, TypeRef type, Span span) {
    return define(name, m_names.hint_behind(name), std::move(type), span);
}

VarRef ExprReader::define(std::string_view name, std::string hint, TypeRef type, Span span) {
    auto [entry, is_new] = m_locals.try_emplace(std::string(name));
    if (!is_new || m_globals.contains(entry->first))
        fail(DiagId::IrDuplicate, span, name);
    VarRef var = make_var(std::move(hint), std::move(type));
    entry->second = var;
    constexpr PassId some_pass = std::numeric_limits<PassId>::max();
    set_origin(var, {span, m_temporaries.contains(name) ? some_pass : PassId{}});
    return var;
}

} // namespace hidet::ir
