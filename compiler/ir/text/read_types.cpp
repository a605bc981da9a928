// SPDX-License-Identifier: Apache-2.0
// Reading tokens, types, layouts and task mappings.
#include <algorithm>
#include <charconv>

#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/text_reader.h"

namespace hidet::ir {

// ---- tokens -----------------------------------------------------------------------------------------------------------

const TextToken& TextTokens::token(std::size_t ahead) const {
    return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
}

bool TextTokens::is_mark(std::string_view mark, std::size_t ahead) const {
    return token(ahead).what == What::Mark && token(ahead).text == mark;
}

bool TextTokens::is_word(std::string_view word, std::size_t ahead) const {
    return token(ahead).what == What::Name && token(ahead).text == word;
}

bool TextTokens::take_mark(std::string_view mark) {
    bool found = is_mark(mark);
    m_at += found;
    return found;
}

bool TextTokens::take_word(std::string_view word) {
    bool found = is_word(word);
    m_at += found;
    return found;
}

void TextTokens::need_mark(std::string_view mark) {
    if (!take_mark(mark))
        expected("'" + std::string(mark) + "'");
}

void TextTokens::need_word(std::string_view word) {
    if (!take_word(word))
        expected("'" + std::string(word) + "'");
}

void TextTokens::need(What what, const char* description) {
    if (token().what != what)
        expected(description);
    ++m_at;
}

std::string TextTokens::name(const char* description) {
    if (token().what == What::String)
        return string();
    need(What::Name, description);
    return std::string(m_tokens[m_at - 1].text);
}

std::string TextTokens::string() {
    need(What::String, "a string");
    return unescaped(m_tokens[m_at - 1].text);
}

std::int64_t TextTokens::integer() {
    bool is_negative = take_mark("-");
    std::size_t begin = m_at;
    need(What::Integer, "an integer");
    std::string text = (is_negative ? "-" : "") + std::string(m_tokens[begin].text);
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
        fail(DiagId::IrLiteral, span_from(begin), text, "int64");
    return value;
}

void TextTokens::expected(std::string_view what) const {
    static constexpr const char* names[] = {"",
                                            "",
                                            "",
                                            "",
                                            "",
                                            "a comment",
                                            "the end of the line",
                                            "an indented line",
                                            "the end of the block",
                                            "the end of the text"};
    const TextToken& found = token();
    std::string shown = names[static_cast<std::size_t>(found.what)];
    fail(DiagId::IrExpected, found.span, what, shown.empty() ? quote(found.text.substr(0, 40)) : shown);
}

void TextTokens::invalid(std::size_t begin, std::string message) const {
    fail(DiagId::IrInvalid, span_from(begin), message);
}

Span TextTokens::span_from(std::size_t begin) const {
    begin = std::min(begin, m_tokens.size() - 1);
    std::size_t last = std::max(begin, m_at == 0 ? 0 : std::min(m_at, m_tokens.size()) - 1);
    return cover(m_tokens[begin].span, m_tokens[last].span);
}

// Parentheses nest as well as operators, hence twice the depth of nodes. How much stack a level takes depends on the build
// (sanitizers need several times more), so that is looked at as well.
ExprReader::Nested::Nested(ExprReader& reader) : m_reader(reader) {
    constexpr std::ptrdiff_t stack_budget = 6 << 20;
    auto here = reinterpret_cast<std::intptr_t>(__builtin_frame_address(0));
    if (m_reader.m_nesting == 0)
        m_reader.m_stack_base = here;
    bool is_deep = m_reader.m_nesting >= 2 * max_depth || m_reader.m_stack_base - here > stack_budget;
    if (is_deep)
        fail(DiagId::IrTooDeep, m_reader.token().span);
    ++m_reader.m_nesting;
}

// A type stands inside of other types, a variable, statements, a function and a module, which take levels as well.
static constexpr int around_types = 8;

// ---- types --------------------------------------------------------------------------------------------------------------

TypeRef ExprReader::type() {
    Nested nested(*this);
    std::size_t begin = m_at;
    TypeRef made = unchecked_type();
    check_depth(made->depth + around_types, begin);
    return made;
}

TypeRef ExprReader::unchecked_type() {
    std::size_t begin = m_at;
    if (take_mark("~"))
        return pointer_type(type_atom());
    if (take_mark("&"))
        return reference_type(type_atom());
    if (take_mark("*"))
        return tensor_pointer_type(tensor_type());
    TypeRef atom = type_atom();
    return is_mark("[") ? TypeRef(tensor_suffix(std::move(atom), begin)) : atom;
}

TypeRef ExprReader::type_atom() {
    if (is_mark("~") || is_mark("&") || is_mark("*"))
        return type();
    if (is_mark("("))
        return parenthesised_type();
    if (take_word("void"))
        return void_type();
    if (take_word("str"))
        return string_type();
    if (take_word("array"))
        return array_type();
    if (take_word("opaque"))
        return opaque_type();
    if (token().what != What::Name)
        expected("a type");
    auto dtype = find_dtype(token().text);
    if (!dtype)
        fail(DiagId::IrUnknownName, token().span, token().text);
    ++m_at;
    return data_type(*dtype);
}

TypeRef ExprReader::parenthesised_type() {
    Nested nested(*this);
    std::size_t begin = m_at;
    need_mark("(");
    std::vector<TypeRef> items;
    while (!take_mark(")")) {
        if (!items.empty())
            need_mark(",");
        items.push_back(type());
    }
    if (take_mark("->")) {
        TypeRef ret = type_atom();
        check_depth(ret->depth, begin);
        return func_type(std::move(items), std::move(ret));
    }
    if (items.size() != 1)
        expected("'->'");
    return items.front();
}

Ref<const TensorType> ExprReader::tensor_type() {
    std::size_t begin = m_at;
    TypeRef element = type_atom();
    return tensor_suffix(std::move(element), begin);
}

Ref<const TensorType> ExprReader::tensor_suffix(TypeRef element, std::size_t begin) {
    need_mark("[");
    ExprVec shape;
    while (!is_mark("]") && !is_mark(";")) {
        if (!shape.empty())
            need_mark(",");
        shape.push_back(expr());
    }
    LayoutRef tensor_layout;
    if (take_mark(";"))
        tensor_layout = layout();
    need_mark("]");
    if (tensor_layout && shape_of(tensor_layout).size() != shape.size())
        invalid(begin, "the layout has another number of dims than the tensor");
    return ir::tensor_type(std::move(element), std::move(shape), std::move(tensor_layout));
}

TypeRef ExprReader::array_type() {
    need_mark("(");
    TypeRef base = type();
    need_mark(",");
    std::int64_t count = integer();
    need_mark(")");
    return ir::array_type(std::move(base), count);
}

TypeRef ExprReader::opaque_type() {
    need_mark("(");
    std::string name = string();
    std::vector<std::string> modifiers;
    while (take_mark(","))
        modifiers.push_back(string());
    need_mark(")");
    return ir::opaque_type(std::move(name), std::move(modifiers));
}

// ---- layouts and mappings -----------------------------------------------------------------------------------------------

std::vector<std::int64_t> ExprReader::integers() {
    need_mark("[");
    std::vector<std::int64_t> values;
    while (!take_mark("]")) {
        if (!values.empty())
            need_mark(",");
        values.push_back(integer());
    }
    return values;
}

// Extents and strides take part in arithmetic, so they have to be integers.
ExprVec ExprReader::extents(ExprVec dims, std::size_t begin) const {
    for (const ExprRef& dim : dims) {
        auto dtype = scalar_of(dim->type);
        if (!dtype || !is_integer(*dtype))
            invalid(begin, cat("a '", describe(dim->type), "' is not an extent"));
    }
    return dims;
}

ExprVec ExprReader::bracketed() {
    need_mark("[");
    ExprVec items;
    while (!take_mark("]")) {
        if (!items.empty())
            need_mark(",");
        items.push_back(expr());
    }
    return items;
}

void ExprReader::check_permutation(const std::vector<std::int64_t>& values, std::size_t rank, std::size_t begin) const {
    std::vector<bool> seen(rank);
    bool is_right = values.size() == rank;
    for (std::int64_t value : values) {
        is_right =
            is_right && value >= 0 && static_cast<std::size_t>(value) < rank && !seen[static_cast<std::size_t>(value)];
        if (is_right)
            seen[static_cast<std::size_t>(value)] = true;
    }
    if (!is_right)
        invalid(begin, cat("expected a permutation of ", rank, " dims"));
}

LayoutRef ExprReader::layout() {
    Nested nested(*this);
    std::size_t begin = m_at;
    LayoutRef made = unchecked_layout();
    check_depth(made->depth + around_types, begin);
    return made;
}

LayoutRef ExprReader::unchecked_layout() {
    std::size_t begin = m_at;
    if (take_word("row") || take_word("column")) {
        bool is_row = m_tokens[begin].text == "row";
        need_mark("(");
        ExprVec shape = extents(arguments(), begin);
        return is_row ? row_major(std::move(shape)) : column_major(std::move(shape));
    }
    if (take_word("strides"))
        return strides_layout();
    if (take_word("local")) {
        need_mark("(");
        return local_layout(extents(arguments(), begin));
    }
    if (take_word("compose") || take_word("concat"))
        return layout_pair(m_tokens[begin].text);
    if (take_word("swizzle"))
        return swizzle_layout(begin);
    if (take_word("permute")) {
        need_mark("(");
        LayoutRef base = layout();
        need_mark(",");
        std::vector<std::int64_t> perm = integers();
        need_mark(")");
        check_permutation(perm, shape_of(base).size(), begin);
        return permute(std::move(base), std::move(perm));
    }
    if (!take_word("reshape"))
        expected("a layout");
    need_mark("(");
    LayoutRef base = layout();
    need_mark(",");
    ExprVec shape = extents(bracketed(), begin);
    need_mark(")");
    auto have = constant_int(product(shape_of(base)));
    auto want = constant_int(product(shape));
    if (have && want && *have != *want)
        invalid(begin, "a reshape keeps the number of elements");
    return reshape(std::move(base), std::move(shape));
}

LayoutRef ExprReader::layout_pair(std::string_view kind) {
    std::size_t begin = m_at;
    need_mark("(");
    LayoutRef a = layout();
    need_mark(",");
    LayoutRef b = layout();
    need_mark(")");
    if (kind == "concat")
        return concat(std::move(a), std::move(b));
    if (shape_of(a).size() != shape_of(b).size())
        invalid(begin, "composed layouts have the same number of dims");
    return compose(std::move(a), std::move(b));
}

LayoutRef ExprReader::strides_layout() {
    std::size_t begin = m_at;
    need_mark("(");
    ExprVec shape = extents(bracketed(), begin);
    need_mark(",");
    ExprVec strides = extents(bracketed(), begin);
    need_mark(")");
    if (shape.size() != strides.size())
        invalid(begin, "a layout has one stride for each dim");
    return ir::strides_layout(std::move(shape), std::move(strides));
}

LayoutRef ExprReader::swizzle_layout(std::size_t begin) {
    need_mark("(");
    LayoutRef base = layout();
    auto parameter = [&](std::string_view word) {
        need_mark(","), need_word(word), need_mark("=");
        return integer();
    };
    std::int64_t dim = parameter("dim");
    std::int64_t regards = parameter("regards");
    std::int64_t log_step = parameter("log_step");
    need_mark(")");
    ExprVec shape = shape_of(base);
    auto rank = static_cast<std::int64_t>(shape.size());
    bool is_right =
        dim >= 0 && dim < rank && regards >= 0 && regards < rank && dim != regards && log_step >= 0 && log_step < 31;
    auto extent = is_right ? constant_int(shape[static_cast<std::size_t>(dim)]) : std::nullopt;
    if (!extent || *extent <= 0 || (*extent & (*extent - 1)) != 0)
        invalid(begin, "a swizzle needs two dims, one with a power of two as its extent");
    return swizzle(std::move(base), dim, regards, log_step);
}

MappingRef ExprReader::mapping() {
    Nested nested(*this);
    std::size_t begin = m_at;
    MappingRef result = primary_mapping();
    while (take_mark(".")) {
        MappingRef inner = primitive_mapping();
        if (rank_of(result) != rank_of(inner))
            invalid(begin, "composed mappings have the same number of dims");
        check_depth(result->depth, begin);
        result = compose(std::move(result), std::move(inner));
    }
    check_depth(result->depth, begin);
    return result;
}

MappingRef ExprReader::primary_mapping() {
    std::size_t begin = m_at;
    if (take_word("compose")) {
        need_mark("(");
        MappingRef outer = mapping();
        need_mark(",");
        MappingRef inner = mapping();
        need_mark(")");
        if (rank_of(outer) != rank_of(inner))
            invalid(begin, "composed mappings have the same number of dims");
        return compose(std::move(outer), std::move(inner));
    }
    if (!take_word("project"))
        return primitive_mapping();
    need_mark("(");
    MappingRef base = mapping();
    need_mark(",");
    std::vector<std::int64_t> dims = integers();
    need_mark(")");
    for (std::int64_t dim : dims)
        if (dim < 0 || static_cast<std::size_t>(dim) >= rank_of(base))
            invalid(begin, cat("the mapping has no dim ", dim));
    return project(std::move(base), std::move(dims));
}

MappingRef ExprReader::primitive_mapping() {
    std::size_t begin = m_at;
    if (!take_word("spatial") && !take_word("repeat"))
        expected("a task mapping");
    bool is_spatial = m_tokens[begin].text == "spatial";
    need_mark("(");
    ExprVec shape;
    std::vector<std::int64_t> ranks;
    std::vector<LoopAttr> attrs;
    for (bool is_first = true; !take_mark(")"); is_first = false) {
        if (!is_first)
            need_mark(",");
        if (is_word("ranks") && is_mark("=", 1)) {
            m_at += 2;
            ranks = integers();
        } else if (!is_spatial && is_word("attrs") && is_mark("=", 1)) {
            m_at += 2;
            auto parsed = parse_loop_attrs(string());
            if (!parsed)
                invalid(m_at - 1, "expected loop attributes such as 'u+ . p4'");
            attrs = std::move(*parsed);
        } else {
            shape.push_back(expr());
        }
    }
    shape = extents(std::move(shape), begin);
    if (!ranks.empty())
        check_permutation(ranks, shape.size(), begin);
    if (!attrs.empty() && attrs.size() != shape.size())
        invalid(begin, "a repeat has one attribute for each dim");
    return is_spatial ? spatial(std::move(shape), std::move(ranks))
                      : repeat(std::move(shape), std::move(ranks), std::move(attrs));
}

} // namespace hidet::ir
