// SPDX-License-Identifier: Apache-2.0
// What a selection grows to: the token, what brackets hold, the line, statements and their blocks, the text.
#include <algorithm>

#include "lang/service/blocks.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

namespace {

class Selector {
public:
    Selector(const Document& document, std::uint32_t offset) : m_document(document), m_offset(document.clamp(offset)) {}

    std::vector<Range> run() {
        token();
        brackets();
        block(m_document.tree().body);
        add({0, static_cast<std::uint32_t>(m_document.text().size())});
        auto wider = [](Range a, Range b) {
            return a.end - a.begin != b.end - b.begin ? a.end - a.begin < b.end - b.begin : a.begin < b.begin;
        };
        std::ranges::sort(m_out, wider);
        std::vector<Range> out;
        for (Range range : m_out)
            if (out.empty() || (range.covers(out.back()) && !(range == out.back())))
                out.push_back(range);
        return out;
    }

private:
    void add(Range range) {
        range = {m_document.clamp(range.begin), m_document.clamp(range.end)};
        if (range.touches(m_offset) && !range.empty())
            m_out.push_back(range);
    }

    void token() {
        for (const Token& token : m_document.tokens())
            if (token.kind != Tok::LINE_END) {
                add({token.begin, token.end});
                if (token.kind == Tok::STRING)
                    add({string_form(m_document.text(), token).begin, string_form(m_document.text(), token).end});
            }
        for (Range comment : m_document.comments())
            add(comment);
    }

    struct Open {
        std::uint32_t bracket = 0;
        std::uint32_t item = 0; // where what stands between commas begins; 0: nothing does yet
        std::uint32_t last = 0; // where its last token ended
        std::uint32_t head = 0; // of the name in front of the bracket
    };

    void brackets() {
        std::vector<Open> open;
        std::uint32_t head = 0; // of a dotted name and the brackets behind it, which is being read
        Tok last = Tok::EndOfFile;
        for (const Token& token : m_document.tokens()) {
            if (token.kind == Tok::LINE_END)
                continue;
            bool goes_on = token.kind == Tok::DOT || last == Tok::DOT || opens_bracket(token.kind);
            bool had_name = last == Tok::NAME || closes_bracket(last) || last == Tok::DOT;
            if (token.kind == Tok::COMMA || closes_bracket(token.kind))
                end_item(open);
            if (closes_bracket(token.kind) && !open.empty()) {
                add({open.back().bracket + 1, token.begin});
                add({open.back().bracket, token.end});
                add({open.back().head, token.end});
                head = open.back().head;
                open.pop_back();
            } else if (!(goes_on && had_name)) {
                head = token.begin;
            }
            if (!open.empty() && token.kind != Tok::COMMA) {
                open.back().item = open.back().item ? open.back().item : token.begin;
                open.back().last = token.end;
            }
            if (opens_bracket(token.kind))
                open.push_back({token.begin, 0, 0, head});
            if (last == Tok::DOT && token.kind == Tok::NAME)
                add({head, token.end});
            last = token.kind;
        }
    }
    void end_item(std::vector<Open>& open) {
        if (open.empty() || !open.back().item)
            return;
        add({open.back().item, open.back().last});
        open.back().item = 0;
    }

    void block(ast::Block statements) {
        if (statements.empty())
            return;
        add({statements.front()->span.begin, statements.back()->span.end});
        for (const ast::Stmt* statement : statements) {
            add({statement->span.begin, statement->span.end});
            for (ast::Block inner : blocks_of(*statement))
                block(inner);
        }
    }

    const Document& m_document;
    const std::uint32_t m_offset;
    std::vector<Range> m_out;
};

} // namespace

std::vector<Range> selection_ranges(const Document& document, std::uint32_t offset) {
    return quietly<std::vector<Range>>(
        document, [&] { return document.is_readable() ? Selector(document, offset).run() : std::vector<Range>(); });
}

} // namespace hidet::lang::service
