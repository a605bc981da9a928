// SPDX-License-Identifier: Apache-2.0
//
// The parser knows which token does not fit and what would. A person wants to know what to write instead. Each rule below
// looks for one way in which people get there, the most telling first; the last ones fall back on what was expected.
#include "lang/parse/syntax_errors.h"

#include <algorithm>
#include <optional>

namespace hidet::lang {

namespace {

using Maybe = std::optional<Diagnostic>;

bool any_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

const std::vector<std::string>& statement_words() {
    static const std::vector<std::string> words = {"assert", "async",  "break", "class",  "continue", "def",
                                                   "del",    "elif",   "else",  "except", "finally",  "for",
                                                   "from",   "global", "if",    "import", "nonlocal", "pass",
                                                   "raise",  "return", "try",   "while",  "with",     "yield"};
    return words;
}

const std::vector<std::string>& joining_words() {
    static const std::vector<std::string> words = {"and",    "as", "else", "for", "from", "if",
                                                   "import", "in", "is",   "not", "or"};
    return words;
}

// Words of statements: one inside an expression is a slip, not a misspelt name.
bool is_statement_word(Tok kind) {
    return only_begins_statement(kind) || kind == Tok::IMPORT || kind == Tok::FOR || kind == Tok::FROM ||
           kind == Tok::IF;
}

bool ends_value(Tok kind) {
    static constexpr TokSet ends{Tok::NAME,  Tok::NUMBER, Tok::STRING,   Tok::FS_END,  Tok::TRUE,
                                 Tok::FALSE, Tok::NONE,   Tok::ELLIPSIS, Tok::BAD_ATOM};
    return ends.holds(kind) || closes_bracket(kind);
}

bool begins_value(Tok kind) {
    static constexpr TokSet begins{Tok::NAME,   Tok::NUMBER, Tok::STRING,   Tok::FS_BEGIN, Tok::TRUE,
                                   Tok::FALSE,  Tok::NONE,   Tok::ELLIPSIS, Tok::LPAREN,   Tok::LBRACK,
                                   Tok::LBRACE, Tok::LAMBDA, Tok::NOT,      Tok::TILDE,    Tok::AWAIT};
    return begins.holds(kind);
}

// Type names that people of other languages write in front.
bool names_type(std::string_view word) {
    return any_of(word, {"int",   "float",   "double",  "bool",    "str",     "char",  "string", "void",
                         "auto",  "const",   "half",    "f16",     "f32",     "f64",   "bf16",   "i8",
                         "i16",   "i32",     "i64",     "u8",      "u16",     "u32",   "u64",    "int32",
                         "int64", "float16", "float32", "float64", "boolean", "uint8", "uint32"});
}

class Explainer {
public:
    Explainer(const BuilderState& state, const Stuck& stuck)
        : s(state), m_stuck(stuck), m_at(stuck.at), m_first(stuck.line_first), m_last(stuck.at),
          m_now(state.token(stuck.at).kind), m_before(stuck.at > stuck.line_first ? kind(stuck.at - 1) : Tok::NEWLINE) {
        while (m_last + 1 < s.tokens.size() && kind(m_last) != Tok::NEWLINE)
            ++m_last;
        find_bracket();
    }

    Diagnostic run() {
        using Rule = Maybe (Explainer::*)();
        static constexpr Rule rules[] = {
            &Explainer::other_languages, &Explainer::doubled_operators, &Explainer::print_statement,
            &Explainer::else_if,         &Explainer::first_word,        &Explainer::keyword_assigned,
            &Explainer::one_line,        &Explainer::parameter,         &Explainer::assignment,
            &Explainer::walrus,          &Explainer::decorator,         &Explainer::handler,
            &Explainer::import_order,    &Explainer::loop_head,         &Explainer::joining_word,
            &Explainer::missing_else,    &Explainer::stray_else,        &Explainer::keyword_as_name,
            &Explainer::missing_value,   &Explainer::missing_colon,     &Explainer::missing_comma,
            &Explainer::two_values,
        };
        for (Rule rule : rules)
            if (Maybe found = (this->*rule)())
                return *found;
        return fallback();
    }

private:
    // ---- what is around ----
    Tok kind(Index i) const { return s.token(i).kind; }
    std::string_view word(Index i) const { return s.word(i); }
    Span span(Index i) const { return s.span(i); }
    Span span(Index a, Index b) const { return cover(s.span(a), s.span(b)); }
    bool expects(Tok k) const { return std::ranges::find(m_stuck.expected, k) != m_stuck.expected.end(); }
    bool expects_value() const { return expects(Tok::NAME) && expects(Tok::NUMBER) && expects(Tok::LPAREN); }
    bool within(Place place) const { return std::ranges::find(m_stuck.places, place) != m_stuck.places.end(); }
    bool touches(Index i) const { return i > m_first && s.token(i).begin == s.token(i - 1).end; }
    bool is_word(Index i, std::string_view text) const { return kind(i) == Tok::NAME && word(i) == text; }
    bool at_end() const { return m_now == Tok::NEWLINE || m_now == Tok::EndOfFile; }

    bool has_semicolon() const {
        for (Index i = m_first; i < m_last; ++i)
            if (kind(i) == Tok::SEMICOLON)
                return true;
        return false;
    }

    void find_bracket() {
        std::vector<Index> open;
        for (Index i = m_first; i < m_at; ++i) {
            if (opens_bracket(kind(i)) || kind(i) == Tok::FS_OPEN)
                open.push_back(i);
            else if ((closes_bracket(kind(i)) || kind(i) == Tok::FS_CLOSE) && !open.empty())
                open.pop_back();
        }
        m_in_bracket = !open.empty();
        m_bracket = open.empty() ? m_first : open.back();
    }

    std::string show(Index i) const {
        switch (kind(i)) {
        case Tok::NEWLINE: return "the end of the line";
        case Tok::EndOfFile: return "the end of the file";
        case Tok::INDENT:
        case Tok::STRAY_INDENT: return "an indented block";
        case Tok::DEDENT:
        case Tok::NO_BODY: return "the end of the block";
        case Tok::STRING:
        case Tok::FS_BEGIN:
        case Tok::FS_END: return "a string";
        case Tok::BAD_ATOM: return "this";
        default: return cat("'", word(i), "'");
        }
    }
    static std::string show(Tok k) {
        switch (k) {
        case Tok::NAME: return "a name";
        case Tok::NUMBER: return "a number";
        case Tok::STRING: return "a string";
        case Tok::NEWLINE: return "the end of the line";
        case Tok::INDENT: return "an indented block";
        case Tok::CASE: return "'case'";
        default: return cat("'", spelling(k), "'");
        }
    }
    // The token's own place; the end of a line is the place behind its last character.
    Span place() const {
        if (!at_end() && m_now != Tok::DEDENT && m_now != Tok::NO_BODY)
            return span(m_at);
        std::uint32_t end = m_at > 0 ? s.token(m_at - 1).end : 0;
        return {s.file, end, end};
    }

    template <class... Args>
    Diagnostic make(DiagId id, Span where, const Args&... args) const {
        return Diagnostic::make(id, where, args...);
    }
    Diagnostic replace(DiagId id, Span where, const std::string& by, const std::string& message) const {
        return make(id, where, message).fix(where, by, by.empty() ? "remove it" : cat("replace by '", by, "'"));
    }

    // ---- rules ----

    Maybe other_languages() {
        std::string_view first = word(m_first);
        bool plain = kind(m_first) == Tok::NAME && m_at == m_first + 1 && kind(m_at) == Tok::NAME;
        if (plain && any_of(first, {"function", "func", "fn", "fun", "define"}))
            return replace(DiagId::SyntaxForeign, span(m_first), "def",
                           cat("'", first, "' is not a keyword; functions begin with 'def'"));
        if (plain && any_of(first, {"let", "var", "const", "int", "float", "double", "auto", "bool", "char", "long",
                                    "void", "string", "size_t", "unsigned"}))
            return make(
                DiagId::SyntaxForeign, span(m_first),
                cat("a variable is made by assigning to it: write '", word(m_at), " = ...' without '", first, "'"));
        if (m_at > 0 && is_word(m_at - 1, "new") && m_now == Tok::NAME)
            return replace(DiagId::SyntaxForeign, span(m_at - 1), "",
                           cat("there is no 'new': write '", word(m_at), "(...)'"));
        if (m_now == Tok::LBRACE && kind(m_first) != Tok::NAME && is_keyword(kind(m_first)) && !m_in_bracket &&
            expects(Tok::COLON))
            return make(DiagId::SyntaxForeign, span(m_at),
                        "a block begins with ':' and is indented; braces make dicts and sets");
        if (kind(m_first) == Tok::FOR && kind(m_first + 1) == Tok::LPAREN && has_semicolon())
            return make(DiagId::SyntaxForeign, span(m_first), "a loop is written 'for i in range(n):'");
        if (m_now == Tok::NAME && expects(Tok::COLON) && any_of(word(m_at), {"then", "do"}))
            return replace(DiagId::SyntaxForeign, span(m_at), ":",
                           cat("'", word(m_at), "' is not a keyword; the condition ends with ':'"));
        if (kind(m_first) == Tok::CLASS && m_now == Tok::NAME &&
            any_of(word(m_at), {"extends", "implements", "inherits"}))
            return make(DiagId::SyntaxForeign, span(m_at),
                        cat("a base class is written in parentheses: 'class ", word(m_first + 1), "(",
                            m_at + 1 < m_last ? word(m_at + 1) : "Base", "):'"));
        return {};
    }

    // Operators of other languages that are two tokens here.
    Maybe doubled_operators() {
        struct Row {
            Tok a, b;
            const char* meant;
        };
        static constexpr Row rows[] = {
            {Tok::AMPERSAND, Tok::AMPERSAND, "and"}, {Tok::BAR, Tok::BAR, "or"},
            {Tok::EQUAL_EQUAL, Tok::EQUAL, "=="},    {Tok::NOT_EQUAL, Tok::EQUAL, "!="},
            {Tok::EQUAL, Tok::LESS, "<="},           {Tok::EQUAL, Tok::GREATER, ">="},
            {Tok::LESS, Tok::GREATER, "!="},         {Tok::COLON, Tok::COLON, "."},
            {Tok::EQUAL, Tok::EQUAL_EQUAL, "=="},    {Tok::COLON, Tok::EQUAL, "="},
            {Tok::STAR_STAR, Tok::STAR, "**"},
        };
        for (Index i = m_at + 1; i >= m_first && i + 1 >= m_at; --i) {
            for (const Row& row : rows)
                if (i > m_first && kind(i) == row.b && kind(i - 1) == row.a && touches(i)) {
                    std::string text = cat(word(i - 1), word(i));
                    return replace(DiagId::SyntaxForeign, span(i - 1, i), row.meant,
                                   cat("'", text, "' is written '", row.meant, "'"));
                }
            if (i == 0)
                break;
        }
        bool twice = m_at >= m_first + 3 && kind(m_at - 1) == kind(m_at - 2) && touches(m_at - 1);
        if (twice && (m_before == Tok::PLUS || m_before == Tok::MINUS) && !begins_value(m_now)) {
            std::string by = cat(" ", word(m_at - 1), "= 1");
            return make(DiagId::SyntaxForeign, span(m_at - 2, m_at - 1),
                        cat("there is no '", word(m_at - 1), word(m_at - 1), "'; write '", word(m_at - 3), by, "'"))
                .fix(span(m_at - 2, m_at - 1), by, cat("write '", word(m_at - 1), "= 1'"));
        }
        if (m_now == Tok::ARROW && ends_value(m_before))
            return replace(DiagId::SyntaxForeign, span(m_at), ".",
                           "'->' only stands before a function's result type; did you mean '.'?");
        return {};
    }

    Maybe print_statement() {
        if (m_at != m_first + 1 || kind(m_first) != Tok::NAME || !begins_value(m_now) ||
            !any_of(word(m_first), {"print", "exec"}))
            return {};
        return make(DiagId::SyntaxPrint, span(m_first), word(m_first));
    }

    Maybe else_if() {
        if (m_before != Tok::ELSE || m_at != m_first + 1 || !expects(Tok::COLON) || at_end())
            return {};
        if (m_now == Tok::IF)
            return replace(DiagId::SyntaxForeign, span(m_first, m_at), "elif", "'else if' is written 'elif'");
        return make(DiagId::SyntaxClause, span(m_at), "'else' takes no condition; did you mean 'elif'?")
            .fix(span(m_first), "elif", "replace 'else' by 'elif'");
    }

    // A misspelt keyword at the beginning of a line is a name that something odd follows.
    Maybe first_word() {
        if (kind(m_first) != Tok::NAME || m_at == m_first)
            return {};
        bool directly = m_at == m_first + 1 && !at_end();
        bool as_header = at_end() && m_before == Tok::COLON;
        if (!directly && !as_header)
            return {};
        std::string_view text = word(m_first);
        static constexpr std::pair<std::string_view, const char*> foreign[] = {
            {"elseif", "elif"}, {"elsif", "elif"}, {"foreach", "for"}, {"catch", "except"}, {"throw", "raise"}};
        for (const auto& [theirs, ours] : foreign)
            if (text == theirs)
                return replace(DiagId::SyntaxForeign, span(m_first), ours, cat("'", text, "' is written '", ours, "'"));
        if (text == "switch")
            return make(DiagId::SyntaxForeign, span(m_first), "there is no 'switch'; use 'if' and 'elif'");
        if (any_of(text, {"unless", "until", "do", "repeat"}))
            return make(DiagId::SyntaxForeign, span(m_first),
                        cat("there is no '", text, "'; use 'if not' or 'while not'"));
        if (text == "match" && (as_header || kind(m_last - 1) == Tok::COLON))
            return make(DiagId::SyntaxClause, span(m_first), "'match' needs an indented 'case' below it");
        if (!closest(text, {"from"}).empty() && std::any_of(s.tokens.begin() + m_at, s.tokens.begin() + m_last,
                                                            [](const Token& t) { return t.kind == Tok::IMPORT; }))
            return make(DiagId::SyntaxUnknownWord, span(m_first), text).suggest(span(m_first), text, {"from"});
        std::vector<std::string> words = statement_words();
        std::string meant = closest(text, words);
        if (meant.empty())
            return {};
        return make(DiagId::SyntaxUnknownWord, span(m_first), text).suggest(span(m_first), text, words);
    }

    Maybe keyword_assigned() {
        bool junk = m_at == m_first && is_keyword(m_now) && kind(m_at + 1) == Tok::EQUAL;
        if (junk)
            return make(DiagId::SyntaxKeywordName, span(m_at), word(m_at));
        bool begins = m_at == m_first + 1 || opens_bracket(kind(m_at - 2)) || kind(m_at - 2) == Tok::COMMA;
        if (m_now == Tok::EQUAL && m_at > m_first && is_keyword(m_before) && begins)
            return make(DiagId::SyntaxKeywordName, span(m_at - 1), word(m_at - 1));
        return {};
    }

    Maybe one_line() {
        bool compound = m_now == Tok::FOR || m_now == Tok::IF || m_now == Tok::WHILE || m_now == Tok::WITH ||
                        m_now == Tok::TRY || m_now == Tok::DEF || m_now == Tok::CLASS || m_now == Tok::ASYNC;
        if (!compound || m_before != Tok::COLON || m_in_bracket || !is_keyword(kind(m_first)))
            return {};
        return make(DiagId::SyntaxClause, span(m_at),
                    cat("'", word(m_at), "' cannot begin behind ':' on the same line"));
    }

    Maybe assignment() {
        if (m_now != Tok::EQUAL)
            return {};
        if (within(Place::Condition) || (kind(m_first) == Tok::ASSERT))
            return make(DiagId::SyntaxAssignInCondition, span(m_at)).fix(span(m_at), "==", "replace by '=='");
        if (kind(m_bracket) == Tok::LBRACE && m_in_bracket)
            return replace(DiagId::SyntaxClause, span(m_at), ":", "a dict is written with ':', not '='");
        if (m_in_bracket && (opens_bracket(m_before) || m_before == Tok::COMMA))
            return make(DiagId::SyntaxExpected, span(m_at), "a name", "'='");
        if (m_in_bracket || within(Place::Clause) || kind(m_first) == Tok::RETURN)
            return make(DiagId::SyntaxAssignInside, span(m_at)).fix(span(m_at), "==", "replace by '=='");
        return {};
    }

    Maybe walrus() {
        if (m_now != Tok::WALRUS)
            return {};
        if (!m_in_bracket && m_at == m_first + 1)
            return replace(DiagId::SyntaxWalrus, span(m_at), "=",
                           "':=' is for the inside of expressions; did you mean '='?");
        return make(DiagId::SyntaxWalrus, span(m_at), "':=' needs parentheses around it here");
    }

    Maybe decorator() {
        if (!within(Place::Decorated))
            return {};
        if (kind(m_first) == Tok::AT && m_at > m_first &&
            (m_now == Tok::DEF || m_now == Tok::CLASS || m_now == Tok::ASYNC))
            return make(DiagId::SyntaxClause, span(m_at), "a decorator stands on a line of its own");
        if (m_at != m_first || kind(m_first) == Tok::AT)
            return {};
        return make(DiagId::SyntaxClause, place(), "a decorator must be followed by 'def' or 'class'");
    }

    Maybe handler() {
        if (kind(m_first) == Tok::EXCEPT && m_now == Tok::COMMA && !m_in_bracket)
            return make(DiagId::SyntaxClause, span(m_at), "several exception types need parentheses: 'except (A, B):'");
        if (kind(m_first) == Tok::RAISE && m_now == Tok::COMMA && !m_in_bracket)
            return make(DiagId::SyntaxClause, span(m_at),
                        "an exception takes its message in parentheses: 'raise Error(message)'");
        return {};
    }

    Maybe parameter() {
        bool begins = m_before == Tok::LPAREN || m_before == Tok::COMMA;
        if (m_before == Tok::LAMBDA && m_now == Tok::LPAREN)
            return make(DiagId::SyntaxParameter, span(m_at), "a parameter is a plain name, without parentheses");
        if (kind(m_first) == Tok::DEF && m_stuck.expected.size() == 1 && expects(Tok::LPAREN) && m_at > m_first)
            return make(DiagId::SyntaxExpectedAfter, span(m_at - 1), "'('", show(m_at - 1));
        if (!within(Place::Parameters))
            return {};
        if (m_now == Tok::NAME && m_before == Tok::NAME && names_type(word(m_at - 1)))
            return make(DiagId::SyntaxParameter, span(m_at - 1, m_at),
                        cat("a parameter's type follows its name: '", word(m_at), ": ", word(m_at - 1), "'"));
        if (m_now == Tok::EQUAL && m_at >= m_first + 2 &&
            (kind(m_at - 2) == Tok::STAR || kind(m_at - 2) == Tok::STAR_STAR))
            return make(DiagId::SyntaxParameter, span(m_at),
                        cat("'", word(m_at - 2), word(m_at - 1), "' cannot have a default"));
        if ((expects(Tok::NAME) || begins) && is_keyword(m_now) && m_now != Tok::LAMBDA)
            return make(DiagId::SyntaxKeywordName, span(m_at), word(m_at));
        if (m_now == Tok::LPAREN && (m_before == Tok::COMMA || m_before == Tok::LPAREN || m_before == Tok::LAMBDA))
            return make(DiagId::SyntaxParameter, span(m_at), "a parameter is a plain name, without parentheses");
        if ((m_before == Tok::COMMA || m_before == Tok::LPAREN || m_before == Tok::LAMBDA) &&
            (begins_value(m_now) && m_now != Tok::NAME))
            return make(DiagId::SyntaxParameter, span(m_at), cat("a parameter is a name, not ", show(m_at)));
        return {};
    }

    Maybe import_order() {
        if (kind(m_first) == Tok::IMPORT && m_now == Tok::FROM)
            return make(
                DiagId::SyntaxClause, span(m_at),
                cat("write 'from ", m_at + 1 < m_last ? word(m_at + 1) : "module", " import ", word(m_first + 1), "'"));
        return {};
    }

    Maybe loop_head() {
        bool wants_in = m_stuck.expected.size() == 1 && expects(Tok::IN);
        if (!wants_in)
            return {};
        if (m_now == Tok::NAME && (any_of(word(m_at), {"of", "on", "over", "ni", "inn", "int"})))
            return replace(DiagId::SyntaxForeign, span(m_at), "in", cat("'", word(m_at), "' is written 'in'"));
        std::string what = cat("expected 'in' before ", show(m_at));
        if (m_now == Tok::EQUAL)
            what += "; a loop is written 'for i in range(n):'";
        return make(DiagId::SyntaxClause, place(), what);
    }

    // A misspelt `and`, `in`, `else` inside a line.
    Maybe joining_word() {
        if (m_now != Tok::NAME || !ends_value(m_before) || word(m_at).size() < 2 ||
            !(begins_value(kind(m_at + 1)) || kind(m_at + 1) == Tok::IN))
            return {};
        std::string meant = closest(word(m_at), joining_words());
        if (meant.empty() || (meant.size() == 2 && word(m_at).size() > 3))
            return {};
        return make(DiagId::SyntaxUnknownWord, span(m_at), word(m_at)).suggest(span(m_at), word(m_at), joining_words());
    }

    Maybe missing_else() {
        if (m_stuck.expected.size() != 1 || !expects(Tok::ELSE))
            return {};
        return make(DiagId::SyntaxExpected, place(), "'else'",
                    cat(show(m_at), "; a conditional value is written 'a if condition else b'"));
    }

    Maybe stray_else() {
        if (m_now != Tok::ELSE || m_before == Tok::IF)
            return {};
        bool behind_for = false;
        for (Index i = m_bracket; m_in_bracket && i < m_at; ++i)
            behind_for |= kind(i) == Tok::FOR;
        if (behind_for)
            return make(DiagId::SyntaxClause, span(m_at),
                        "a condition behind 'for' has no 'else'; put 'a if condition else b' in front of 'for'");
        return make(DiagId::SyntaxClause, span(m_at), "'else' without 'if' in this expression");
    }

    Maybe keyword_as_name() {
        if (!is_keyword(m_now))
            return {};
        bool wants_name = expects(Tok::NAME) || opens_bracket(m_before);
        Tok next = kind(m_at + 1);
        bool like_name = next == Tok::EQUAL || next == Tok::COMMA || next == Tok::DOT || next == Tok::LPAREN ||
                         next == Tok::NEWLINE || next == Tok::COLON || closes_bracket(next);
        if (expects(Tok::NAME) && !expects_value())
            return make(DiagId::SyntaxKeywordName, span(m_at), word(m_at));
        bool begins_clause = (m_now == Tok::FOR || m_now == Tok::IF) && m_in_bracket && begins_value(next);
        if (!is_statement_word(m_now) || begins_clause)
            return {};
        bool flow = m_now == Tok::RETURN || m_now == Tok::PASS || m_now == Tok::BREAK || m_now == Tok::CONTINUE ||
                    m_now == Tok::RAISE;
        if (wants_name && like_name && !flow)
            return make(DiagId::SyntaxKeywordName, span(m_at), word(m_at));
        if (m_now == Tok::IF && m_at != m_first)
            return make(DiagId::SyntaxExpected, span(m_at), "a value", "'if'");
        if (wants_name && m_at != m_first)
            return make(DiagId::SyntaxStatementWord, span(m_at), word(m_at));
        return {};
    }

    Maybe missing_value() {
        bool joins = m_now == Tok::COMMA || m_now == Tok::FOR || m_now == Tok::IF || m_now == Tok::ELSE ||
                     m_now == Tok::IN || m_now == Tok::IS || m_now == Tok::AND || m_now == Tok::OR ||
                     m_now == Tok::COLON || m_now == Tok::DOT || (m_now >= Tok::SLASH && m_now <= Tok::GREATER_EQUAL);
        if (opens_bracket(m_before) && joins)
            return make(DiagId::SyntaxExpected, span(m_at), "a value", show(m_at));
        bool nothing = at_end() || closes_bracket(m_now) || m_now == Tok::COMMA || m_now == Tok::COLON ||
                       m_now == Tok::FS_CLOSE || m_now == Tok::SEMICOLON || m_now == Tok::EQUAL ||
                       m_now == Tok::FS_COLON || m_now == Tok::FS_CONVERSION;
        bool operator_here = !begins_value(m_now) && !is_keyword(m_now);
        if (m_at == m_first || ends_value(m_before))
            return {};
        if (expects(Tok::NAME) && !expects_value() && (nothing || operator_here))
            return make(DiagId::SyntaxExpectedAfter, span(m_at - 1), "a name", show(m_at - 1));
        if (!expects_value() || !(nothing || operator_here || m_now == Tok::IN || m_now == Tok::IS ||
                                  m_now == Tok::AND || m_now == Tok::OR || m_now == Tok::ELSE))
            return {};
        if (m_before == Tok::LBRACK && m_now == Tok::RBRACK)
            return make(DiagId::SyntaxExpectedAfter, span(m_at - 1, m_at), "an index", "'['");
        return make(DiagId::SyntaxExpectedAfter, span(m_at - 1), "a value", show(m_at - 1));
    }

    Maybe missing_colon() {
        if (!expects(Tok::COLON) || m_in_bracket || !(is_keyword(kind(m_first)) || kind(m_first) == Tok::CASE))
            return {};
        if (at_end())
            return make(DiagId::SyntaxMissingColon, place(), "at the end of this line").fix(place(), ":", "insert ':'");
        if (kind(m_first) == Tok::WITH && m_now == Tok::NAME && m_before != Tok::NAME)
            return make(DiagId::SyntaxExpected, span(m_at), "'as' or ':'", show(m_at));
        return make(DiagId::SyntaxMissingColon, span(m_at), cat("before ", show(m_at)));
    }

    Maybe missing_comma() {
        if (!m_in_bracket || !ends_value(m_before) || !begins_value(m_now) || kind(m_bracket) == Tok::FS_OPEN)
            return {};
        std::uint32_t end = s.token(m_at - 1).end;
        bool next_line = s.text.substr(end, s.token(m_at).begin - end).find_first_of("\r\n") != std::string_view::npos;
        Span insert{s.file, end, end};
        if (next_line)
            return make(DiagId::SyntaxMissingComma, span(m_at - 1), cat("after ", show(m_at - 1)))
                .fix(insert, ",", "insert ','");
        return make(DiagId::SyntaxMissingComma, span(m_at), cat("before ", show(m_at))).fix(insert, ",", "insert ','");
    }

    Maybe two_values() {
        if (!ends_value(m_before) || !begins_value(m_now) || m_in_bracket)
            return {};
        if (kind(m_first) == Tok::ASSERT && (m_now == Tok::STRING || m_now == Tok::FS_BEGIN))
            return make(DiagId::SyntaxMissingComma, span(m_at), "before the message");
        return make(DiagId::SyntaxExpected, span(m_at), "an operator or the end of the line", show(m_at));
    }

    Diagnostic fallback() {
        if (m_in_bracket && kind(m_bracket) == Tok::FS_OPEN)
            return make(DiagId::SyntaxFormatString, place(), cat("unexpected ", show(m_at)));
        if (m_stuck.expected.size() == 1)
            return make(DiagId::SyntaxExpected, place(), show(m_stuck.expected[0]), show(m_at));
        if (m_stuck.expected.size() == 2)
            return make(DiagId::SyntaxExpected, place(),
                        cat(show(m_stuck.expected[0]), " or ", show(m_stuck.expected[1])), show(m_at));
        if (m_now == Tok::ASYNC || m_before == Tok::ASYNC)
            return make(DiagId::SyntaxClause, span(m_now == Tok::ASYNC ? m_at : m_at - 1),
                        "'async' must be followed by 'def', 'for' or 'with'");
        std::string shown = show(m_at);
        for (std::string_view article : {"a ", "an ", "the "})
            if (shown.substr(0, article.size()) == article)
                shown = shown.substr(article.size());
        return make(DiagId::SyntaxUnexpected, place(), shown);
    }

    const BuilderState& s;
    const Stuck& m_stuck;
    Index m_at;
    Index m_first;
    Index m_last;
    Tok m_now;
    Tok m_before;
    bool m_in_bracket = false;
    Index m_bracket = 0;
};

} // namespace

Diagnostic explain(const BuilderState& state, const Stuck& stuck) {
    return Explainer(state, stuck).run();
}

} // namespace hidet::lang
