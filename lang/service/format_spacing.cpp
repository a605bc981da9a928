// SPDX-License-Identifier: Apache-2.0
// Blanks between tokens of a line: what Python's style guide says, and where it allows both, what stands there.
#include <algorithm>

#include "lang/service/format.h"

namespace hidet::lang::service {

namespace {

bool is_atom_end(Tok kind) { // what a call, an index or a binary operator may follow
    switch (kind) {
    case Tok::NAME:
    case Tok::NUMBER:
    case Tok::STRING:
    case Tok::ELLIPSIS:
    case Tok::TRUE:
    case Tok::FALSE:
    case Tok::NONE: return true;
    default: return closes_bracket(kind);
    }
}

bool is_sign(Tok kind) { // unary where no operand stands in front
    return kind == Tok::PLUS || kind == Tok::MINUS || kind == Tok::STAR || kind == Tok::STAR_STAR ||
           kind == Tok::TILDE || kind == Tok::SLASH;
}

// What a token means beyond its kind.
enum class Role : std::uint8_t { Plain, Unary, Decorator, Slice, TightEqual, Power };

class RoleFinder {
public:
    explicit RoleFinder(const std::vector<FormatItem>& items) : m_items(items) {}

    std::vector<Role> run() {
        std::vector<Role> out;
        for (std::size_t i = 0; i < m_items.size(); ++i)
            out.push_back(role(i));
        return out;
    }

private:
    struct Level {
        Tok open = Tok::EndOfFile;
        bool is_subscript = false;
        bool is_definition = false;  // of parameters
        bool has_annotation = false; // the parameter that is being read
        int lambdas = 0;             // whose colon is still to come
    };

    Role role(std::size_t i) {
        const Tok kind = m_items[i].kind;
        if (m_items[i].is_code_line)
            begin_line(i);
        Role out = Role::Plain;
        if (is_sign(kind) && !is_atom_end(m_last))
            out = Role::Unary;
        else if (kind == Tok::STAR_STAR)
            out = Role::Power;
        else if (kind == Tok::AT && m_items[i].is_code_line)
            out = Role::Decorator;
        else if (kind == Tok::COLON)
            out = colon();
        else if (kind == Tok::EQUAL && is_tight_equal())
            out = Role::TightEqual;
        follow(kind);
        return out;
    }

    void begin_line(std::size_t i) {
        m_levels.assign(1, Level());
        m_last = Tok::EndOfFile;
        std::size_t at = m_items[i].kind == Tok::ASYNC ? i + 1 : i;
        m_is_definition = at < m_items.size() && m_items[at].kind == Tok::DEF;
    }

    Role colon() {
        Level& level = m_levels.back();
        if (level.lambdas > 0) {
            --level.lambdas;
            return Role::Plain;
        }
        if (level.is_definition)
            level.has_annotation = true;
        return level.is_subscript ? Role::Slice : Role::Plain;
    }

    bool is_tight_equal() const {
        const Level& level = m_levels.back();
        if (level.lambdas > 0)
            return true;
        return level.open == Tok::LPAREN && !(level.is_definition && level.has_annotation);
    }

    void follow(Tok kind) {
        if (kind == Tok::COMMENT)
            return;
        if (opens_bracket(kind)) {
            m_levels.push_back({.open = kind,
                                .is_subscript = kind == Tok::LBRACK && is_atom_end(m_last),
                                .is_definition = kind == Tok::LPAREN && m_is_definition && m_levels.size() == 1});
        } else if (closes_bracket(kind) && m_levels.size() > 1) {
            m_levels.pop_back();
        } else if (kind == Tok::LAMBDA) {
            ++m_levels.back().lambdas;
        } else if (kind == Tok::COMMA) {
            m_levels.back().has_annotation = false;
        }
        m_last = kind;
    }

    const std::vector<FormatItem>& m_items;
    std::vector<Level> m_levels = std::vector<Level>(1);
    Tok m_last = Tok::EndOfFile;
    bool m_is_definition = false;
};

// The rules for two neighbours. -1: as it is.
class Rules {
public:
    Rules(std::string_view text, const std::vector<FormatItem>& items, const std::vector<Role>& roles)
        : m_text(text), m_items(items), m_roles(roles) {}

    std::uint32_t before(std::size_t i) const {
        const std::uint32_t now = gap(i);
        if (m_items[i].kind == Tok::COMMENT)
            return std::max(now, 2u); // comments below each other may be aligned
        int wanted = wanted_before(i);
        return wanted < 0 ? std::min(now, 1u) : static_cast<std::uint32_t>(wanted);
    }

private:
    std::uint32_t gap(std::size_t i) const { return i == 0 ? 0 : m_items[i].begin - m_items[i - 1].end; }
    Tok kind(std::size_t i) const { return i < m_items.size() ? m_items[i].kind : Tok::EndOfFile; }

    int wanted_before(std::size_t i) const {
        const Tok last = kind(i - 1), next = kind(i);
        if (opens_bracket(last) || closes_bracket(next))
            return 0;
        if (next == Tok::COMMA || next == Tok::SEMICOLON)
            return 0;
        if (last == Tok::COMMA || last == Tok::SEMICOLON)
            return 1;
        const bool is_dot = last == Tok::DOT || next == Tok::DOT;
        const bool are_dots = last == Tok::ELLIPSIS || next == Tok::ELLIPSIS;
        if (is_dot || (are_dots && is_relative_import(i)))
            return around_dot(i);
        if (m_roles[i - 1] == Role::Unary || m_roles[i - 1] == Role::Decorator)
            return 0;
        if (next == Tok::COLON || last == Tok::COLON)
            return around_colon(i);
        if (m_roles[i] == Role::TightEqual || m_roles[i - 1] == Role::TightEqual)
            return 0;
        if (m_roles[i] == Role::Power)
            return gap(i) > 0 && gap(i + 1) > 0;
        if (m_roles[i - 1] == Role::Power)
            return gap(i) > 0 && gap(i - 1) > 0;
        if (next == Tok::LPAREN || next == Tok::LBRACK)
            return before_bracket(i);
        return 1;
    }

    int around_dot(std::size_t i) const {
        const Tok last = kind(i - 1), next = kind(i);
        if (!is_relative_import(i))
            return last == Tok::NUMBER ? -1 : 0;
        return last == Tok::FROM || next == Tok::IMPORT ? 1 : 0;
    }
    // from ..a import b: in front of the word `import`
    bool is_relative_import(std::size_t i) const {
        for (std::size_t at = i; at-- > 0;) {
            Tok before = kind(at);
            if (before == Tok::FROM)
                return m_items[at].is_code_line;
            if (before != Tok::DOT && before != Tok::ELLIPSIS && before != Tok::NAME)
                return false;
        }
        return false;
    }

    int around_colon(std::size_t i) const {
        const bool is_in_front = kind(i) == Tok::COLON;
        if (m_roles[is_in_front ? i : i - 1] != Role::Slice)
            return is_in_front ? 0 : 1;
        const std::size_t colon = is_in_front ? i : i - 1; // blanks on both sides, if there are any
        const Tok left = kind(colon - 1), right = kind(colon + 1);
        const bool has_left = left != Tok::COLON && left != Tok::COMMA && !opens_bracket(left);
        const bool has_right = right != Tok::COLON && right != Tok::COMMA && !closes_bracket(right);
        return has_left && has_right && (gap(colon) > 0 || gap(colon + 1) > 0);
    }

    int before_bracket(std::size_t i) const {
        const FormatItem& last = m_items[i - 1];
        if (!is_atom_end(last.kind))
            return 1; // an operator or a keyword
        std::string_view word = m_text.substr(last.begin, last.end - last.begin);
        bool may_be_keyword = last.is_code_line && (word == "match" || word == "case" || word == "type");
        bool is_call = last.kind == Tok::NAME || closes_bracket(last.kind) || last.kind == Tok::STRING;
        return may_be_keyword || !is_call ? -1 : 0;
    }

    std::string_view m_text;
    const std::vector<FormatItem>& m_items;
    const std::vector<Role>& m_roles;
};

} // namespace

Spacing::Spacing(std::string_view text, const std::vector<FormatItem>& items) {
    const std::vector<Role> roles = RoleFinder(items).run();
    const Rules rules(text, items, roles);
    for (std::size_t i = 0; i < items.size(); ++i)
        m_before.push_back(i == 0 || items[i].begins_line ? 0 : rules.before(i));
}

} // namespace hidet::lang::service
