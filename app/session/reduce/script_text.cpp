// SPDX-License-Identifier: Apache-2.0
#include "app/session/reduce/script_text.h"

#include <algorithm>
#include <cstdlib>

#include "lang/parse/parser.h"
#include "lang/parse/scanner.h"
#include "lang/service/service.h"

namespace hidet::session {

using namespace lang;

static double value_of(std::string_view literal) {
    std::string digits(literal);
    std::erase(digits, '_');
    return std::strtod(digits.c_str(), nullptr);
}

ScriptText::ScriptText(std::string text) {
    const FileId file = m_sources.add("script.py", std::move(text));
    DiagnosticSink sink;
    m_tree = parse(m_sources, file, sink);
    Faults faults(file);
    Scanned scanned;
    const std::string& bytes = this->text();
    if (!sink.has_errors() || bytes.find('\0') == std::string::npos)
        scan(bytes, {0, static_cast<std::uint32_t>(bytes.size())}, scanned, faults);
    m_tokens = std::move(scanned.tokens);
    for (const Stretch& comment : scanned.comments)
        m_comments.push_back({Tok::COMMENT, comment.begin, comment.end});
    for (const Token& token : m_tokens) {
        m_weight.tokens += token.kind != Tok::LINE_END;
        m_weight.names += token.kind == Tok::NAME;
        if (token.kind == Tok::NUMBER)
            m_weight.numbers += value_of(text_of({file, token.begin, token.end}));
    }
    m_weight.bytes = bytes.size();
}

std::uint32_t ScriptText::line_begin(std::uint32_t offset) const {
    const std::size_t at = offset == 0 ? std::string::npos : text().rfind('\n', offset - 1);
    return at == std::string::npos ? 0 : static_cast<std::uint32_t>(at + 1);
}

std::uint32_t ScriptText::line_end(std::uint32_t offset) const {
    return static_cast<std::uint32_t>(std::min(text().find('\n', offset), text().size()));
}

bool ScriptText::is_blank(std::uint32_t begin, std::uint32_t end) const {
    const std::string_view piece = text_of({1, begin, end});
    return piece.find_first_not_of(" \t\r\f") == std::string_view::npos;
}

std::uint32_t ScriptText::begin_of(const ast::Stmt& statement) const {
    const auto* function = ast::as<ast::FunctionDef>(&statement);
    const auto* type = ast::as<ast::ClassDef>(&statement);
    const ast::ExprList decorators = function ? function->decorators : type ? type->decorators : ast::ExprList();
    if (decorators.empty())
        return statement.span.begin;
    const std::size_t at = text().rfind('@', decorators[0]->span.begin);
    return at == std::string::npos ? statement.span.begin : static_cast<std::uint32_t>(at);
}

Span ScriptText::whole(const ast::Expr& expression) const {
    const Span span = expression.span;
    constexpr std::string_view blanks = " \t\r\n";
    if (!expression.parenthesized || span.begin == 0)
        return span;
    const std::size_t open = text().find_last_not_of(blanks, span.begin - 1);
    const std::size_t close = text().find_first_not_of(blanks, span.end);
    if (open == std::string::npos || close == std::string::npos || text()[open] != '(' || text()[close] != ')')
        return span;
    return {span.file, static_cast<std::uint32_t>(open), static_cast<std::uint32_t>(close + 1)};
}

std::string with_cut(const std::string& text, Cut cut) {
    std::ranges::stable_sort(cut, {}, &TextEdit::begin);
    std::string out;
    std::size_t at = 0;
    for (const TextEdit& edit : cut) {
        if (edit.begin > at)
            out.append(text, at, edit.begin - at);
        out += edit.text;
        at = std::max<std::size_t>(at, edit.end);
    }
    return out.append(text, at, std::string::npos);
}

std::string formatted(const std::string& text) {
    const service::DocumentRef document = service::read_text(text, "script.py");
    Cut cut;
    for (const service::Edit& edit : service::format(*document).edits)
        cut.push_back({edit.range.begin, edit.range.end, edit.text});
    std::string out = with_cut(text, std::move(cut));
    return out.empty() || out.ends_with('\n') ? out : out + '\n';
}

int count_lines(const std::string& text) {
    int count = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        count += rest.substr(0, end).find_first_not_of(" \t\r\f") != std::string_view::npos;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return count;
}

} // namespace hidet::session
