// SPDX-License-Identifier: Apache-2.0
// What can be folded: blocks from the tree, the rest from tokens.
#include <algorithm>

#include "lang/service/document.h"

namespace hidet::lang::service {

namespace {

using ast::Kind;

class Folder {
public:
    explicit Folder(const Document& document) : m_document(document), m_file(document.sources().file(1)) {}

    std::vector<FoldingRange> run() {
        block(m_document.tree().body);
        imports(m_document.tree().body);
        comments();
        brackets();
        auto order = [](const FoldingRange& a, const FoldingRange& b) {
            return a.first_line != b.first_line ? a.first_line < b.first_line : a.last_line > b.last_line;
        };
        std::ranges::stable_sort(m_out, order);
        auto same = [](const FoldingRange& a, const FoldingRange& b) {
            return a.first_line == b.first_line && a.last_line == b.last_line;
        };
        m_out.erase(std::unique(m_out.begin(), m_out.end(), same), m_out.end());
        return std::move(m_out);
    }

private:
    int line_of(std::uint32_t offset) const { return m_file.position(m_document.clamp(offset)).line; }

    void add(FoldKind kind, std::uint32_t begin, std::uint32_t end) {
        begin = m_document.clamp(begin);
        end = m_document.clamp(end);
        if (end <= begin)
            return;
        int first = line_of(begin), last = line_of(end - 1);
        if (last > first)
            m_out.push_back({kind, first, last, {begin, end}});
    }

    // From the line of the word that opens the block to the block's end.
    void add_block(std::uint32_t begin, ast::Block body) {
        if (!body.empty())
            add(FoldKind::Block, begin, body.back()->span.end);
        block(body);
    }
    std::uint32_t word_before(Tok word, ast::Block body) const {
        if (body.empty())
            return 0;
        auto after = std::lower_bound(m_document.tokens().begin(), m_document.tokens().end(), body.front()->span.begin,
                                      [](const Token& token, std::uint32_t offset) { return token.begin < offset; });
        while (after != m_document.tokens().begin())
            if ((--after)->kind == word)
                return after->begin;
        return body.front()->span.begin;
    }

    void block(ast::Block statements) {
        for (const ast::Stmt* statement : statements)
            stmt(*statement);
    }

    void stmt(const ast::Stmt& node) {
        std::uint32_t begin = node.span.begin;
        switch (node.kind) {
        case Kind::If: {
            const auto& s = ast::to<ast::If>(node);
            add_block(begin, s.body);
            bool is_elif = s.else_body.size() == 1 && s.else_body[0]->kind == Kind::If &&
                           m_document.at({m_document.clamp(s.else_body[0]->span.begin),
                                          m_document.clamp(s.else_body[0]->span.begin + 4)}) == "elif";
            return is_elif ? block(s.else_body) : add_block(word_before(Tok::ELSE, s.else_body), s.else_body);
        }
        case Kind::For:
            add_block(begin, ast::to<ast::For>(node).body);
            return add_block(ast::to<ast::For>(node).else_span.begin, ast::to<ast::For>(node).else_body);
        case Kind::While:
            add_block(begin, ast::to<ast::While>(node).body);
            return add_block(ast::to<ast::While>(node).else_span.begin, ast::to<ast::While>(node).else_body);
        case Kind::FunctionDef:
            return add_block(ast::to<ast::FunctionDef>(node).name.span.begin, ast::to<ast::FunctionDef>(node).body);
        case Kind::ClassDef:
            return add_block(ast::to<ast::ClassDef>(node).name.span.begin, ast::to<ast::ClassDef>(node).body);
        case Kind::With: return add_block(begin, ast::to<ast::With>(node).body);
        case Kind::Try: {
            const auto& s = ast::to<ast::Try>(node);
            add_block(begin, s.body);
            for (const ast::Handler& handler : s.handlers)
                add_block(handler.span.begin, handler.body);
            add_block(word_before(Tok::ELSE, s.else_body), s.else_body);
            return add_block(word_before(Tok::FINALLY, s.finally_body), s.finally_body);
        }
        case Kind::Match:
            for (const ast::MatchCase& item : ast::to<ast::Match>(node).cases)
                add_block(item.span.begin, item.body);
            return;
        case Kind::ErrorStmt: return block(ast::to<ast::ErrorStmt>(node).body);
        default: return;
        }
    }

    void imports(ast::Block statements) {
        for (std::size_t i = 0; i < statements.size(); ++i) {
            auto is_import = [&](std::size_t k) {
                return statements[k]->kind == Kind::Import || statements[k]->kind == Kind::ImportFrom;
            };
            std::size_t first = i;
            while (i < statements.size() && is_import(i))
                ++i;
            if (i > first)
                add(FoldKind::Imports, statements[first]->span.begin, statements[i - 1]->span.end);
        }
    }

    // Comments that stand alone in lines below each other.
    void comments() {
        const std::vector<Range>& all = m_document.comments();
        for (std::size_t i = 0; i < all.size();) {
            std::size_t last = i;
            while (last + 1 < all.size() && stands_alone(all[last + 1]) &&
                   line_of(all[last + 1].begin) == line_of(all[last].begin) + 1)
                ++last;
            if (stands_alone(all[i]))
                add(FoldKind::Comment, all[i].begin, all[last].end);
            i = last + 1;
        }
    }
    bool stands_alone(Range comment) const {
        std::uint32_t at = comment.begin;
        while (at > 0 && (m_document.text()[at - 1] == ' ' || m_document.text()[at - 1] == '\t'))
            --at;
        return at == 0 || m_document.text()[at - 1] == '\n' || m_document.text()[at - 1] == '\r';
    }

    void brackets() {
        std::vector<std::uint32_t> open;
        for (const Token& token : m_document.tokens()) {
            if (opens_bracket(token.kind)) {
                open.push_back(token.begin);
            } else if (closes_bracket(token.kind) && !open.empty()) {
                add(FoldKind::Bracket, open.back(), token.end);
                open.pop_back();
            } else if (token.kind == Tok::STRING) {
                add(FoldKind::String, token.begin, token.end);
            }
        }
    }

    const Document& m_document;
    const SourceFile& m_file;
    std::vector<FoldingRange> m_out;
};

} // namespace

std::vector<FoldingRange> folding_ranges(const Document& document) {
    return quietly<std::vector<FoldingRange>>(
        document, [&] { return document.is_readable() ? Folder(document).run() : std::vector<FoldingRange>(); });
}

} // namespace hidet::lang::service
