// SPDX-License-Identifier: Apache-2.0
// A script as its text and its tree, and smaller texts that are made by cutting pieces out of it.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ast/ast.h"
#include "lang/parse/token.h"

namespace hidet::session {

struct TextEdit {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::string text; // that takes its place
};
using Cut = std::vector<TextEdit>; // what makes one smaller text; overlapping pieces become one

// What makes a script smaller than another, the most important first: each step of a reduction lowers it, so that it ends.
struct ScriptWeight {
    std::size_t tokens = 0;
    std::size_t names = 0;
    double numbers = 0; // the sum of all literals
    std::size_t bytes = 0;
    friend auto operator<=>(const ScriptWeight&, const ScriptWeight&) = default;
};

class ScriptText {
public:
    explicit ScriptText(std::string text);

    const std::string& text() const { return m_sources.file(1).text(); }
    const lang::ast::Module& tree() const { return m_tree; }
    bool has_mistakes() const { return m_tree.had_errors; }
    const lang::Tokens& tokens() const { return m_tokens; } // as the scanner has them
    const std::vector<lang::Token>& comments() const { return m_comments; }
    const ScriptWeight& weight() const { return m_weight; }

    std::uint32_t line_begin(std::uint32_t offset) const;
    std::uint32_t line_end(std::uint32_t offset) const; // of its last byte but the line end
    bool is_blank(std::uint32_t begin, std::uint32_t end) const;
    // From its first decorator on.
    std::uint32_t begin_of(const lang::ast::Stmt& statement) const;
    // With the parentheses around it.
    Span whole(const lang::ast::Expr& expression) const;
    std::string_view text_of(Span span) const {
        return std::string_view(text()).substr(span.begin, span.end - span.begin);
    }

private:
    SourceMap m_sources;
    lang::ast::Module m_tree;
    lang::Tokens m_tokens;
    std::vector<lang::Token> m_comments;
    ScriptWeight m_weight;
};

std::string with_cut(const std::string& text, Cut cut);
std::string formatted(const std::string& text); // as it is, where it cannot be read
int count_lines(const std::string& text);       // that are not blank

} // namespace hidet::session
