// SPDX-License-Identifier: Apache-2.0
// The match statement: accepted as Python does. Of a pattern only the names that it binds are kept.
#include <algorithm>

#include "lang/base/transformed.h"
#include "lang/parse/builder_state.h"

namespace hidet::lang {

namespace {

void report(BuilderState& s, Span where, const std::string& what) {
    s.fault(DiagId::SyntaxPattern, where, what);
}

Pattern& top(BuilderState& s) {
    if (s.patterns.empty())
        s.patterns.push_back({});
    return s.patterns.back();
}

void push_pattern(BuilderState& s, Extent at, Catches catches = Catches::Some) {
    s.patterns.push_back({.catches = catches, .span = s.span(at)});
}

std::vector<Pattern> take(BuilderState& s, Height from) {
    from = std::min(from, s.patterns.size());
    std::vector<Pattern> out(std::make_move_iterator(s.patterns.begin() + static_cast<std::ptrdiff_t>(from)),
                             std::make_move_iterator(s.patterns.end()));
    s.patterns.resize(from);
    return out;
}

void bind(BuilderState& s, Pattern& p, const ast::Ident& name) {
    for (const ast::Ident& old : p.names)
        if (old.text == name.text)
            return report(s, name.span, cat("'", name.text, "' is bound twice in one pattern"));
    p.names.push_back(name);
}

// One pattern that holds the others and binds all their names.
void push_whole(BuilderState& s, const std::vector<Pattern>& parts, Extent at) {
    Pattern whole;
    whole.span = s.span(at);
    for (const Pattern& part : parts)
        for (const ast::Ident& name : part.names)
            bind(s, whole, name);
    s.patterns.push_back(std::move(whole));
}

void check_labels(BuilderState& s, const std::vector<Pattern>& parts, const char* what) {
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (std::size_t k = 0; k < i && !parts[i].label.empty(); ++k)
            if (parts[k].label == parts[i].label) {
                report(s, parts[i].span, cat(what, " '", parts[i].label, "' appears twice in one pattern"));
                break;
            }
}

std::vector<std::string_view> sorted_names(const Pattern& p) {
    std::vector<std::string_view> out = transformed(p.names, &ast::Ident::text);
    std::ranges::sort(out);
    return out;
}

std::string unreachable(const Pattern& p) {
    return p.catches == Catches::Name ? cat("the name '", p.names.empty() ? "_" : p.names[0].text,
                                            "' matches everything, so nothing after it is reached")
                                      : "'_' matches everything, so nothing after it is reached";
}

} // namespace

Height MatchBuilder::cases() {
    return s.cases.size();
}

void MatchBuilder::push_case(Expr* guard, Block body, Extent at) {
    Pattern pattern = top(s);
    s.patterns.pop_back();
    const bool catches_all = pattern.catches != Catches::Some && !guard;
    s.cases.push_back({s.arena.copy(pattern.names), guard, s.block(body), s.span(at), pattern.span, catches_all});
}

void MatchBuilder::match_statement(Expr* subject, Height from, Extent at) {
    ast::Match node{{}, s.or_error(subject), s.take(s.cases, from)};
    for (const ast::MatchCase& item : node.cases)
        if (item.catches_all && &item != &node.cases.back())
            report(s, item.pattern_span, "this pattern matches everything, so no case after it is reached");
    s.statement(at, node);
}

Height MatchBuilder::patterns() {
    return s.patterns.size();
}

void MatchBuilder::literal_pattern(Extent at) {
    push_pattern(s, at);
    top(s).is_key = true;
}

void MatchBuilder::number_pattern(Extent at) {
    literal_pattern(at);
    auto is_imaginary = [&](Index i) { return !s.word(i).empty() && (s.word(i).back() | 0x20) == 'j'; };
    Index i = at.first;
    if (s.token(i).kind == Tok::MINUS)
        ++i;
    if (i == at.last)
        return;
    if (is_imaginary(i))
        report(s, s.span(i), "the first part of a complex number is its real part");
    if (!is_imaginary(at.last))
        report(s, s.span(at.last), "the second part of a complex number needs a 'j'");
}

void MatchBuilder::string_pattern(Expr* text, Extent at) {
    literal_pattern(at);
    if (ast::as<ast::FString>(text))
        report(s, text->span, "an f-string cannot be a pattern");
}

void MatchBuilder::name_pattern(Extent at) {
    bool dotted = at.last != at.first;
    bool wildcard = !dotted && s.word(at.first) == "_";
    push_pattern(s, at, dotted ? Catches::Some : wildcard ? Catches::Anything : Catches::Name);
    top(s).is_key = dotted;
    if (!dotted && !wildcard)
        top(s).names.push_back(s.ident(at.first));
}

void MatchBuilder::star_pattern(Index name, Extent at) {
    push_pattern(s, at);
    top(s).is_star = true;
    if (s.word(name) != "_")
        top(s).names.push_back(s.ident(name));
}

void MatchBuilder::or_pattern(Height from, Extent at) {
    if (s.patterns.size() <= from + 1)
        return;
    std::vector<Pattern> parts = take(s, from);
    bool is_faulty = false;
    for (std::size_t i = 0; i < parts.size() && !is_faulty; ++i) {
        bool hides = parts[i].catches != Catches::Some && i + 1 < parts.size();
        is_faulty = hides || sorted_names(parts[i]) != sorted_names(parts[0]);
        if (is_faulty)
            report(s, parts[i].span,
                   hides ? unreachable(parts[i]) : "the alternatives of a pattern must bind the same names");
    }
    Pattern whole = parts[0];
    whole.span = s.span(at);
    whole.catches = is_faulty ? Catches::Some : parts.back().catches;
    whole.is_key = false;
    s.patterns.push_back(std::move(whole));
}

void MatchBuilder::as_pattern(Index name, Extent at) {
    Pattern& p = top(s);
    if (s.word(name) == "_")
        report(s, s.span(name), "'_' cannot name a matched value");
    else
        bind(s, p, s.ident(name));
    p.span = s.span(at);
    p.is_key = false;
}

void MatchBuilder::sequence_pattern(Height from, SequenceForm form, Extent at) {
    std::size_t count = s.patterns.size() - std::min(from, s.patterns.size());
    bool single = form == SequenceForm::Single || (form == SequenceForm::Group && count == 1);
    if (single) {
        if (top(s).is_star)
            report(s, top(s).span, "a starred pattern needs a sequence around it: '*rest,'");
        top(s).is_key = false;
        return;
    }
    std::vector<Pattern> parts = take(s, from);
    int stars = 0;
    for (const Pattern& part : parts)
        if (part.is_star && ++stars == 2)
            report(s, part.span, "two starred patterns in one sequence");
    push_whole(s, parts, at);
}

void MatchBuilder::class_pattern(Height from, Extent at) {
    std::vector<Pattern> parts = take(s, from);
    bool keyword = false;
    for (const Pattern& part : parts) {
        if (keyword && !part.is_keyword)
            report(s, part.span, "positional pattern follows keyword pattern");
        keyword |= part.is_keyword;
    }
    check_labels(s, parts, "attribute");
    push_whole(s, parts, at);
}

void MatchBuilder::keyword_pattern(Extent at) {
    Pattern name = top(s);
    s.patterns.pop_back();
    if (at.last != at.first + 1 || s.token(at.first).kind != Tok::NAME)
        report(s, name.span, "a keyword pattern needs a plain name before '='");
    name.label = s.word(at.first);
    s.labels.push_back(std::move(name));
}

static void label_top(BuilderState& s) {
    if (s.labels.empty())
        return;
    top(s).label = s.labels.back().label;
    top(s).span = cover(s.labels.back().span, top(s).span);
    s.labels.pop_back();
}

void MatchBuilder::end_keyword_pattern() {
    label_top(s);
    top(s).is_keyword = true;
}

void MatchBuilder::positional_pattern(Extent) {
    top(s).label = {};
}

void MatchBuilder::key_pattern(Extent at) {
    Pattern key = top(s);
    s.patterns.pop_back();
    if (!key.is_key)
        report(s, key.span, "a key of a mapping pattern must be a literal or a dotted name");
    key.label = s.token(at.first).kind == Tok::NAME ? std::string_view{}
                                                    : s.text.substr(key.span.begin, key.span.end - key.span.begin);
    s.labels.push_back(std::move(key));
}

void MatchBuilder::end_key_pattern() {
    label_top(s);
}

void MatchBuilder::rest_pattern(Index name, Extent at) {
    push_pattern(s, at);
    top(s).is_rest = true;
    if (s.word(name) == "_")
        report(s, s.span(name), "'**_' is not needed: a mapping pattern ignores other keys");
    top(s).names.push_back(s.ident(name));
}

void MatchBuilder::mapping_pattern(Height from, Extent at) {
    std::vector<Pattern> parts = take(s, from);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
        if (parts[i].is_rest)
            report(s, parts[i].span, "'**' must be the last part of a mapping pattern");
    check_labels(s, parts, "key");
    push_whole(s, parts, at);
}

} // namespace hidet::lang
