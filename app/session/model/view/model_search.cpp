// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/model_search.h"

#include <algorithm>
#include <array>

#include "app/session/model/view/op_families.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), lower);
    return out;
}

constexpr auto lower_case = [] {
    std::array<char, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = lower(static_cast<char>(i));
    return table;
}();
char fold(char c) {
    return lower_case[static_cast<unsigned char>(c)];
}

bool starts_with(std::string_view text, std::string_view wanted) { // wanted is lower-case
    return text.size() >= wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), text.begin(), [](char a, char b) { return a == fold(b); });
}

bool contains(std::string_view text, std::string_view wanted) {
    if (wanted.empty())
        return true;
    for (std::size_t i = 0; i + wanted.size() <= text.size(); ++i)
        if (fold(text[i]) == wanted[0] && starts_with(text.substr(i), wanted))
            return true;
    return false;
}

// ---- the query -------------------------------------------------------------------------------------------------------

enum class Field : std::uint8_t { Any, Name, Op, Key, Rule, Value, Family, Dtype, Shape, Attribute, Kernel };
constexpr std::pair<std::string_view, Field> fields[] = {
    {"attr", Field::Attribute}, {"dtype", Field::Dtype}, {"family", Field::Family}, {"kernel", Field::Kernel},
    {"key", Field::Key},        {"name", Field::Name},   {"op", Field::Op},         {"rule", Field::Rule},
    {"shape", Field::Shape},    {"value", Field::Value},
};

struct Term {
    Field field = Field::Any;
    std::string text; // lower-case; of an expression as it is written
    std::vector<OpFamily> families;
    TextTest test; // of an expression; empty: `text` is a part of what is looked for

    bool meets(std::string_view with) const { return test ? test(with) : contains(with, text); }
};

struct Mistake {
    std::string text;
};

std::optional<Field> field_named(std::string_view name) {
    const auto* found = std::ranges::find(fields, name, &std::pair<std::string_view, Field>::first);
    return found == std::end(fields) ? std::nullopt : std::optional(found->second);
}

std::string names_of_fields() {
    return join(transformed<std::string>(fields, [](const auto& field) { return field.first; }), ", ");
}

// Up to the colon of "op:conv"; nothing for "onnx::Conv" and "/a/b:0", which are names.
std::string_view field_part(std::string_view word) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || colon == 0 || word.substr(colon + 1).starts_with(':'))
        return {};
    const std::string_view name = word.substr(0, colon);
    return std::ranges::all_of(name, [](char c) { return fold(c) >= 'a' && fold(c) <= 'z'; }) ? name
                                                                                              : std::string_view();
}

std::vector<OpFamily> families_of(const Term& term) {
    std::vector<OpFamily> out;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < family_count; ++i) {
        const auto family = static_cast<OpFamily>(i);
        ids.emplace_back(id_of(family));
        if (term.meets(ids.back()) || term.meets(title_of(family)))
            out.push_back(family);
    }
    if (out.empty())
        throw Mistake{cat("there is no family '", term.text, "'; there are ", join(ids, ", "))};
    return out;
}

// "f16" for "float16" and the like.
std::string dtype_text(const std::string& text) {
    constexpr std::pair<std::string_view, std::string_view> shorts[] = {
        {"bf", "bfloat"}, {"f", "float"}, {"i", "int"}, {"u", "uint"}};
    for (const auto& [start, whole] : shorts)
        if (text.size() > start.size() && text.starts_with(start) && text[start.size()] >= '0' &&
            text[start.size()] <= '9')
            return std::string(whole) + text.substr(start.size());
    return text;
}

// As shapes are written: "64x56" as "64, 56". The x of "max_length" is none between extents.
std::string shape_text(std::string_view text) {
    const auto is_digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_cross = text[i] == 'x' && ((i > 0 && is_digit(i - 1)) || is_digit(i + 1));
        if (is_cross || text[i] == ',')
            out += ", ";
        else if (text[i] != ' ')
            out += text[i];
    }
    return out;
}

TextTest test_of(const std::string& expression, const ExpressionReader& read) {
    Result<TextTest> test = read(expression);
    if (!test)
        throw Mistake{cat(test.error().message, " of '", expression, "'")};
    return std::move(test).value();
}

Term term_of(std::string_view field, std::string_view value, const ExpressionReader& read) {
    Term term;
    term.text = read ? std::string(value) : lowered(value);
    if (read && !value.empty())
        term.test = test_of(term.text, read);
    if (!field.empty()) {
        const std::optional<Field> found = field_named(lowered(field));
        if (!found)
            throw Mistake{cat("there is no field '", field, "'; there are ", names_of_fields(),
                              ". In quotes it is a text to be found")};
        term.field = *found;
    }
    if (term.field == Field::Family)
        term.families = families_of(term);
    if (term.field == Field::Dtype && !read)
        term.text = dtype_text(term.text);
    if (term.field == Field::Shape && !read)
        term.text = shape_text(term.text);
    return term;
}

// A text in quotes, or up to a blank. A quote that is not closed yet goes to the end.
std::string_view take_text(std::string_view& query) {
    std::string_view text;
    if (query.starts_with('"')) {
        const std::size_t end = query.find('"', 1);
        text = query.substr(1, end == std::string_view::npos ? end : end - 1);
        query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
        return text;
    }
    text = query.substr(0, query.find_first_of(" \t"));
    query.remove_prefix(text.size());
    return text;
}

std::vector<Term> terms_of(std::string_view query, const ExpressionReader& read) {
    std::vector<Term> terms;
    while (true) {
        query.remove_prefix(std::min(query.find_first_not_of(" \t"), query.size()));
        if (query.empty())
            return terms;
        std::string_view field;
        if (!query.starts_with('"')) {
            field = field_part(query.substr(0, query.find_first_of(" \t\"")));
            query.remove_prefix(field.empty() ? 0 : field.size() + 1);
        }
        terms.push_back(term_of(field, take_text(query), read));
    }
}

// ---- what it meets ---------------------------------------------------------------------------------------------------

// "[1, 64, 56]" holds whole extents: "64", "64, ", "1, 64" but not "4"; and "[1" as it is written.
bool has_extents(std::string_view shape, std::string_view wanted) {
    const auto is_end = [](char c) { return c == '[' || c == ']' || c == ',' || c == ' '; };
    for (std::size_t at = 0; at + wanted.size() <= shape.size(); ++at) {
        if (!starts_with(shape.substr(at), wanted))
            continue;
        const std::size_t end = at + wanted.size();
        const bool begins = at == 0 || is_end(wanted.front()) || is_end(shape[at - 1]);
        const bool ends = end == shape.size() || is_end(wanted.back()) || is_end(shape[end]);
        if (begins && ends)
            return true;
    }
    return false;
}

class TermMatcher {
public:
    TermMatcher(const ModelGraph& graph, const std::vector<Term>& terms) : m_terms(terms) {
        for (const Term& term : terms)
            m_touching.push_back(term.text.empty() ? std::vector<bool>() : touching(graph, term));
    }

    bool matches(const GraphNode& node) const {
        for (std::size_t i = 0; i < m_terms.size(); ++i)
            if (!matches(node, m_terms[i], m_touching[i]))
                return false;
        return true;
    }

private:
    static bool matches(const GraphNode& node, const Term& term, const std::vector<bool>& touching) {
        if (term.text.empty())
            return true; // still being typed
        switch (term.field) {
        case Field::Any:
            return term.meets(node.name) || term.meets(node.op) || (node.key != node.name && term.meets(node.key));
        case Field::Name: return term.meets(node.name);
        case Field::Op: return term.meets(node.op);
        case Field::Key: return term.meets(node.key);
        case Field::Rule: return term.meets(node.rule);
        case Field::Attribute:
            return std::ranges::any_of(node.attributes, [&](const auto& attribute) {
                return term.meets(cat(attribute.first, " = ", attribute.second));
            });
        case Field::Family: return std::ranges::find(term.families, node.family) != term.families.end();
        case Field::Kernel:
        case Field::Value:
        case Field::Dtype:
        case Field::Shape: return node.id < touching.size() && touching[node.id];
        }
        return false;
    }

    // By id, nodes that read or make a value that the term is about; each value is looked at once.
    static std::vector<bool> touching(const ModelGraph& graph, const Term& term) {
        std::vector<bool> nodes;
        const auto touch = [&](std::uint32_t node) {
            if (node >= nodes.size())
                nodes.resize(std::size_t{node} + 1);
            nodes[node] = true;
        };
        if (term.field == Field::Kernel)
            for (const GraphKernel& kernel : graph.kernels)
                if (is_about(kernel, term))
                    std::ranges::for_each(kernel.nodes, touch);
        if (term.field != Field::Value && term.field != Field::Dtype && term.field != Field::Shape)
            return nodes;
        for (const auto& value : graph.values) {
            if (!is_about(*value, term))
                continue;
            if (value->producer != no_id)
                touch(value->producer);
            std::ranges::for_each(value->consumers, touch);
        }
        return nodes;
    }
    static bool is_about(const GraphKernel& kernel, const Term& term) {
        return term.meets(kernel.key) || term.meets(kernel.schedule) ||
               std::ranges::any_of(kernel.names, [&](const std::string& name) { return term.meets(name); });
    }
    static bool is_about(const GraphValue& value, const Term& term) {
        if (term.field == Field::Value)
            return term.meets(value.name);
        if (term.test)
            return term.test(term.field == Field::Dtype ? value.dtype : value.shape);
        return term.field == Field::Dtype ? starts_with(value.dtype, term.text) : has_extents(value.shape, term.text);
    }

    const std::vector<Term>& m_terms;
    std::vector<std::vector<bool>> m_touching; // by term
};

} // namespace

NodeSearch find_nodes_by_expression(const ModelGraph& graph, std::string_view query, const ExpressionReader& read,
                                    const std::atomic<bool>* stopped) {
    NodeSearch found;
    try {
        const std::vector<Term> terms = terms_of(query, read);
        if (terms.empty())
            return found;
        const TermMatcher matcher(graph, terms);
        for (const auto& node : graph.nodes) {
            if (stopped && *stopped)
                return {};
            if (matcher.matches(*node))
                found.nodes.push_back(node->id);
        }
    } catch (const Mistake& mistake) {
        found.mistake = mistake.text;
    }
    return found;
}

NodeSearch find_nodes(const ModelGraph& graph, std::string_view query) {
    return find_nodes_by_expression(graph, query, {});
}

} // namespace hidet::session
