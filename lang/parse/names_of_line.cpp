// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/names_of_line.h"

namespace hidet::lang {

namespace {

class Line {
public:
    Line(const BuilderState& state, Extent tokens) : m_state(state), m_at(tokens.first), m_end(tokens.last + 1) {}

    std::vector<Index> run() {
        if (now() == Tok::AT)
            skip_decorators();
        do
            statement();
        while (skip_to(Tok::SEMICOLON), take(Tok::SEMICOLON));
        return std::move(m_names);
    }

private:
    void statement() {
        switch (now()) {
        case Tok::IMPORT: ++m_at, imported(); break;
        case Tok::FROM:
            if (skip_to(Tok::IMPORT), take(Tok::IMPORT))
                take(Tok::LPAREN), imported();
            break;
        case Tok::DEF:
        case Tok::CLASS: ++m_at, name(); break;
        case Tok::FOR: ++m_at, list(); break;
        case Tok::WITH:
            for (skip_to(Tok::AS); now() == Tok::AS; skip_to(Tok::AS))
                ++m_at, name();
            break;
        case Tok::NAME: assigned(); break;
        default: break;
        }
    }
    Tok now() const { return m_at < m_end ? m_state.token(m_at).kind : Tok::NEWLINE; }
    bool take(Tok kind) {
        if (now() != kind)
            return false;
        ++m_at;
        return true;
    }
    void skip_to(Tok kind) {
        while (now() != Tok::NEWLINE && now() != kind)
            ++m_at;
    }
    void skip_decorators() {
        while (m_at < m_end && now() == Tok::AT) {
            skip_to(Tok::NEWLINE);
            ++m_at;
        }
    }
    bool name() {
        if (now() != Tok::NAME)
            return false;
        m_names.push_back(m_at++);
        return true;
    }
    bool item() {
        if (take(Tok::LPAREN))
            return list() && take(Tok::RPAREN);
        if (take(Tok::LBRACK))
            return list() && take(Tok::RBRACK);
        take(Tok::STAR);
        return name();
    }
    bool list() {
        if (!item())
            return false;
        while (take(Tok::COMMA) && item()) {
        }
        return true;
    }
    // a.b as c, d: the first part of a dotted name is what it binds
    void imported() {
        do {
            if (!name())
                return;
            while (take(Tok::DOT))
                take(Tok::NAME);
            if (take(Tok::AS) && now() == Tok::NAME)
                m_names.back() = m_at++;
        } while (take(Tok::COMMA));
    }
    // a, b = c = ...; a: type = ...
    void assigned() {
        std::size_t sure = m_names.size();
        for (bool more = true; more && list();) {
            if (now() == Tok::EQUAL || now() == Tok::COLON)
                sure = m_names.size();
            more = take(Tok::EQUAL);
        }
        m_names.resize(sure);
    }

    const BuilderState& m_state;
    Index m_at;
    Index m_end;
    std::vector<Index> m_names;
};

} // namespace

std::vector<Index> names_of_line(const BuilderState& state, Extent tokens) {
    return Line(state, tokens).run();
}

} // namespace hidet::lang
