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

// The line that does not parse, and what is around the token that does not fit.
struct StuckLine {
    StuckLine(const BuilderState& state, const Stuck& stuck)
        : state(state), stuck(stuck), at(stuck.at), first(stuck.line_first), last(stuck.at), now(kind(at)),
          before(at > first ? kind(at - 1) : Tok::NEWLINE), head(kind(first)) {
        while (last + 1 < state.tokens.size() && kind(last) != Tok::NEWLINE)
            ++last;
        std::vector<Index> open;
        for (Index i = first; i < at; ++i) {
            if (opens_bracket(kind(i)) || kind(i) == Tok::FS_OPEN)
                open.push_back(i);
            else if ((closes_bracket(kind(i)) || kind(i) == Tok::FS_CLOSE) && !open.empty())
                open.pop_back();
        }
        in_bracket = !open.empty();
        bracket = open.empty() ? first : open.back();
    }

    Tok kind(Index i) const { return state.token(i).kind; }
    std::string_view word(Index i) const { return state.word(i); }
    std::string_view word() const { return word(at); }
    Span span(Index i) const { return state.span(i); }
    Span span() const { return span(at); }
    Span span(Index a, Index b) const { return cover(span(a), span(b)); }
    bool expects(Tok k) const { return std::ranges::find(stuck.expected, k) != stuck.expected.end(); }
    bool expects_only(Tok k) const { return stuck.expected.size() == 1 && stuck.expected[0] == k; }
    bool expects_value() const { return expects(Tok::NAME) && expects(Tok::NUMBER) && expects(Tok::LPAREN); }
    bool within(Place place) const { return std::ranges::find(stuck.places, place) != stuck.places.end(); }
    bool touches(Index i) const { return i > first && state.token(i).begin == state.token(i - 1).end; }
    bool at_end() const { return now == Tok::NEWLINE || now == Tok::EndOfFile; }
    bool has(Tok k, Index from, Index to) const {
        return std::any_of(state.tokens.begin() + from, state.tokens.begin() + to,
                           [k](const Token& token) { return token.kind == k; });
    }

    std::string show() const { return show(at); }
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
    // The token's own place; the end of a line is the place behind its last character.
    Span place() const {
        if (!at_end() && now != Tok::DEDENT && now != Tok::NO_BODY)
            return span(at);
        std::uint32_t end = at > 0 ? state.token(at - 1).end : 0;
        return {state.file, end, end};
    }

    const BuilderState& state;
    const Stuck& stuck;
    Index at;
    Index first;
    Index last; // its end
    Tok now;
    Tok before;
    Tok head; // the kind of the first
    bool in_bracket = false;
    Index bracket = 0; // the innermost that is open, or the first token
};

std::string show(Tok k) {
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

template <class... Args>
Diagnostic make(DiagId id, Span where, const Args&... args) {
    return Diagnostic::make(id, where, args...);
}
Diagnostic replace(DiagId id, Span where, const std::string& by, const std::string& message) {
    return make(id, where, message).fix(where, by, by.empty() ? "remove it" : cat("replace by '", by, "'"));
}

// ---- rules ----

Maybe other_languages(const StuckLine& here) {
    std::string_view first = here.word(here.first);
    bool plain = here.head == Tok::NAME && here.at == here.first + 1 && here.now == Tok::NAME;
    if (plain && any_of(first, {"function", "func", "fn", "fun", "define"}))
        return replace(DiagId::SyntaxForeign, here.span(here.first), "def",
                       cat("'", first, "' is not a keyword; functions begin with 'def'"));
    if (plain && any_of(first, {"let", "var", "const", "int", "float", "double", "auto", "bool", "char", "long", "void",
                                "string", "size_t", "unsigned"}))
        return make(
            DiagId::SyntaxForeign, here.span(here.first),
            cat("a variable is made by assigning to it: write '", here.word(), " = ...' without '", first, "'"));
    if (here.before == Tok::NAME && here.word(here.at - 1) == "new" && here.now == Tok::NAME)
        return replace(DiagId::SyntaxForeign, here.span(here.at - 1), "",
                       cat("there is no 'new': write '", here.word(), "(...)'"));
    if (here.now == Tok::LBRACE && is_keyword(here.head) && !here.in_bracket && here.expects(Tok::COLON))
        return make(DiagId::SyntaxForeign, here.span(),
                    "a block begins with ':' and is indented; braces make dicts and sets");
    if (here.head == Tok::FOR && here.kind(here.first + 1) == Tok::LPAREN &&
        here.has(Tok::SEMICOLON, here.first, here.last))
        return make(DiagId::SyntaxForeign, here.span(here.first), "a loop is written 'for i in range(n):'");
    if (here.now == Tok::NAME && here.expects(Tok::COLON) && any_of(here.word(), {"then", "do"}))
        return replace(DiagId::SyntaxForeign, here.span(), ":",
                       cat("'", here.word(), "' is not a keyword; the condition ends with ':'"));
    if (here.head == Tok::CLASS && here.now == Tok::NAME && any_of(here.word(), {"extends", "implements", "inherits"}))
        return make(DiagId::SyntaxForeign, here.span(),
                    cat("a base class is written in parentheses: 'class ", here.word(here.first + 1), "(",
                        here.at + 1 < here.last ? here.word(here.at + 1) : "Base", "):'"));
    return {};
}

// Operators of other languages that are two tokens here.
Maybe doubled_operators(const StuckLine& here) {
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
    for (Index i = here.at + 1; i >= here.first && i + 1 >= here.at; --i) {
        for (const Row& row : rows)
            if (i > here.first && here.kind(i) == row.b && here.kind(i - 1) == row.a && here.touches(i)) {
                std::string text = cat(here.word(i - 1), here.word(i));
                return replace(DiagId::SyntaxForeign, here.span(i - 1, i), row.meant,
                               cat("'", text, "' is written '", row.meant, "'"));
            }
        if (i == 0)
            break;
    }
    bool twice =
        here.at >= here.first + 3 && here.kind(here.at - 1) == here.kind(here.at - 2) && here.touches(here.at - 1);
    if (twice && (here.before == Tok::PLUS || here.before == Tok::MINUS) && !begins_value(here.now)) {
        std::string by = cat(" ", here.word(here.at - 1), "= 1");
        return make(DiagId::SyntaxForeign, here.span(here.at - 2, here.at - 1),
                    cat("there is no '", here.word(here.at - 1), here.word(here.at - 1), "'; write '",
                        here.word(here.at - 3), by, "'"))
            .fix(here.span(here.at - 2, here.at - 1), by, cat("write '", here.word(here.at - 1), "= 1'"));
    }
    if (here.now == Tok::ARROW && ends_value(here.before))
        return replace(DiagId::SyntaxForeign, here.span(), ".",
                       "'->' only stands before a function's result type; did you mean '.'?");
    return {};
}

Maybe print_statement(const StuckLine& here) {
    if (here.at != here.first + 1 || here.head != Tok::NAME || !begins_value(here.now) ||
        !any_of(here.word(here.first), {"print", "exec"}))
        return {};
    return make(DiagId::SyntaxPrint, here.span(here.first), here.word(here.first));
}

Maybe else_if(const StuckLine& here) {
    if (here.before != Tok::ELSE || here.at != here.first + 1 || !here.expects(Tok::COLON) || here.at_end())
        return {};
    if (here.now == Tok::IF)
        return replace(DiagId::SyntaxForeign, here.span(here.first, here.at), "elif", "'else if' is written 'elif'");
    return make(DiagId::SyntaxClause, here.span(), "'else' takes no condition; did you mean 'elif'?")
        .fix(here.span(here.first), "elif", "replace 'else' by 'elif'");
}

// A misspelt keyword at the beginning of a line is a name that something odd follows.
Maybe first_word(const StuckLine& here) {
    if (here.head != Tok::NAME || here.at == here.first)
        return {};
    bool directly = here.at == here.first + 1 && !here.at_end();
    bool as_header = here.at_end() && here.before == Tok::COLON;
    if (!directly && !as_header)
        return {};
    std::string_view text = here.word(here.first);
    static constexpr std::pair<std::string_view, const char*> foreign[] = {
        {"elseif", "elif"}, {"elsif", "elif"}, {"foreach", "for"}, {"catch", "except"}, {"throw", "raise"}};
    for (const auto& [theirs, ours] : foreign)
        if (text == theirs)
            return replace(DiagId::SyntaxForeign, here.span(here.first), ours,
                           cat("'", text, "' is written '", ours, "'"));
    if (text == "switch")
        return make(DiagId::SyntaxForeign, here.span(here.first), "there is no 'switch'; use 'if' and 'elif'");
    if (any_of(text, {"unless", "until", "do", "repeat"}))
        return make(DiagId::SyntaxForeign, here.span(here.first),
                    cat("there is no '", text, "'; use 'if not' or 'while not'"));
    if (text == "match" && (as_header || here.kind(here.last - 1) == Tok::COLON))
        return make(DiagId::SyntaxClause, here.span(here.first), "'match' needs an indented 'case' below it");
    if (!closest(text, {"from"}).empty() && here.has(Tok::IMPORT, here.at, here.last))
        return make(DiagId::SyntaxUnknownWord, here.span(here.first), text)
            .suggest(here.span(here.first), text, {"from"});
    if (closest(text, statement_words()).empty())
        return {};
    return make(DiagId::SyntaxUnknownWord, here.span(here.first), text)
        .suggest(here.span(here.first), text, statement_words());
}

Maybe keyword_assigned(const StuckLine& here) {
    if (here.at == here.first && is_keyword(here.now) && here.kind(here.at + 1) == Tok::EQUAL)
        return make(DiagId::SyntaxKeywordName, here.span(), here.word());
    bool begins =
        here.at == here.first + 1 || opens_bracket(here.kind(here.at - 2)) || here.kind(here.at - 2) == Tok::COMMA;
    if (here.now == Tok::EQUAL && here.at > here.first && is_keyword(here.before) && begins)
        return make(DiagId::SyntaxKeywordName, here.span(here.at - 1), here.word(here.at - 1));
    return {};
}

Maybe one_line(const StuckLine& here) {
    static constexpr TokSet compound{Tok::FOR, Tok::IF,  Tok::WHILE, Tok::WITH,
                                     Tok::TRY, Tok::DEF, Tok::CLASS, Tok::ASYNC};
    if (!compound.holds(here.now) || here.before != Tok::COLON || here.in_bracket || !is_keyword(here.head))
        return {};
    return make(DiagId::SyntaxClause, here.span(), cat("'", here.word(), "' cannot begin behind ':' on the same line"));
}

Maybe assignment(const StuckLine& here) {
    if (here.now != Tok::EQUAL)
        return {};
    if (here.within(Place::Condition) || (here.head == Tok::ASSERT))
        return make(DiagId::SyntaxAssignInCondition, here.span()).fix(here.span(), "==", "replace by '=='");
    if (here.kind(here.bracket) == Tok::LBRACE && here.in_bracket)
        return replace(DiagId::SyntaxClause, here.span(), ":", "a dict is written with ':', not '='");
    if (here.in_bracket && (opens_bracket(here.before) || here.before == Tok::COMMA))
        return make(DiagId::SyntaxExpected, here.span(), "a name", "'='");
    if (here.in_bracket || here.within(Place::Clause) || here.head == Tok::RETURN)
        return make(DiagId::SyntaxAssignInside, here.span()).fix(here.span(), "==", "replace by '=='");
    return {};
}

Maybe walrus(const StuckLine& here) {
    if (here.now != Tok::WALRUS)
        return {};
    if (!here.in_bracket && here.at == here.first + 1)
        return replace(DiagId::SyntaxWalrus, here.span(), "=",
                       "':=' is for the inside of expressions; did you mean '='?");
    return make(DiagId::SyntaxWalrus, here.span(), "':=' needs parentheses around it here");
}

Maybe decorator(const StuckLine& here) {
    if (!here.within(Place::Decorated))
        return {};
    if (here.head == Tok::AT && here.at > here.first &&
        (here.now == Tok::DEF || here.now == Tok::CLASS || here.now == Tok::ASYNC))
        return make(DiagId::SyntaxClause, here.span(), "a decorator stands on a line of its own");
    if (here.at != here.first || here.head == Tok::AT)
        return {};
    return make(DiagId::SyntaxClause, here.place(), "a decorator must be followed by 'def' or 'class'");
}

Maybe handler(const StuckLine& here) {
    if (here.head == Tok::EXCEPT && here.now == Tok::COMMA && !here.in_bracket)
        return make(DiagId::SyntaxClause, here.span(), "several exception types need parentheses: 'except (A, B):'");
    if (here.head == Tok::RAISE && here.now == Tok::COMMA && !here.in_bracket)
        return make(DiagId::SyntaxClause, here.span(),
                    "an exception takes its message in parentheses: 'raise Error(message)'");
    return {};
}

Maybe parameter(const StuckLine& here) {
    bool begins = here.before == Tok::LPAREN || here.before == Tok::COMMA;
    bool begins_any = begins || here.before == Tok::LAMBDA;
    bool opens = here.now == Tok::LPAREN && begins_any;
    if (here.before == Tok::LAMBDA && opens)
        return make(DiagId::SyntaxParameter, here.span(), "a parameter is a plain name, without parentheses");
    if (here.head == Tok::DEF && here.expects_only(Tok::LPAREN) && here.at > here.first)
        return make(DiagId::SyntaxExpectedAfter, here.span(here.at - 1), "'('", here.show(here.at - 1));
    if (!here.within(Place::Parameters))
        return {};
    if (here.now == Tok::NAME && here.before == Tok::NAME && names_type(here.word(here.at - 1)))
        return make(DiagId::SyntaxParameter, here.span(here.at - 1, here.at),
                    cat("a parameter's type follows its name: '", here.word(), ": ", here.word(here.at - 1), "'"));
    if (here.now == Tok::EQUAL && here.at >= here.first + 2 &&
        (here.kind(here.at - 2) == Tok::STAR || here.kind(here.at - 2) == Tok::STAR_STAR))
        return make(DiagId::SyntaxParameter, here.span(),
                    cat("'", here.word(here.at - 2), here.word(here.at - 1), "' cannot have a default"));
    if ((here.expects(Tok::NAME) || begins) && is_keyword(here.now) && here.now != Tok::LAMBDA)
        return make(DiagId::SyntaxKeywordName, here.span(), here.word());
    if (opens)
        return make(DiagId::SyntaxParameter, here.span(), "a parameter is a plain name, without parentheses");
    if (begins_any && begins_value(here.now) && here.now != Tok::NAME)
        return make(DiagId::SyntaxParameter, here.span(), cat("a parameter is a name, not ", here.show()));
    return {};
}

Maybe import_order(const StuckLine& here) {
    if (here.head == Tok::IMPORT && here.now == Tok::FROM)
        return make(DiagId::SyntaxClause, here.span(),
                    cat("write 'from ", here.at + 1 < here.last ? here.word(here.at + 1) : "module", " import ",
                        here.word(here.first + 1), "'"));
    return {};
}

Maybe loop_head(const StuckLine& here) {
    if (!here.expects_only(Tok::IN))
        return {};
    if (here.now == Tok::NAME && (any_of(here.word(), {"of", "on", "over", "ni", "inn", "int"})))
        return replace(DiagId::SyntaxForeign, here.span(), "in", cat("'", here.word(), "' is written 'in'"));
    std::string what = cat("expected 'in' before ", here.show());
    if (here.now == Tok::EQUAL)
        what += "; a loop is written 'for i in range(n):'";
    return make(DiagId::SyntaxClause, here.place(), what);
}

// A misspelt `and`, `in`, `else` inside a line.
Maybe joining_word(const StuckLine& here) {
    if (here.now != Tok::NAME || !ends_value(here.before) || here.word().size() < 2 ||
        !(begins_value(here.kind(here.at + 1)) || here.kind(here.at + 1) == Tok::IN))
        return {};
    std::string meant = closest(here.word(), joining_words());
    if (meant.empty() || (meant.size() == 2 && here.word().size() > 3))
        return {};
    return make(DiagId::SyntaxUnknownWord, here.span(), here.word()).suggest(here.span(), here.word(), joining_words());
}

Maybe missing_else(const StuckLine& here) {
    if (!here.expects_only(Tok::ELSE))
        return {};
    return make(DiagId::SyntaxExpected, here.place(), "'else'",
                cat(here.show(), "; a conditional value is written 'a if condition else b'"));
}

Maybe stray_else(const StuckLine& here) {
    if (here.now != Tok::ELSE || here.before == Tok::IF)
        return {};
    if (here.in_bracket && here.has(Tok::FOR, here.bracket, here.at))
        return make(DiagId::SyntaxClause, here.span(),
                    "a condition behind 'for' has no 'else'; put 'a if condition else b' in front of 'for'");
    return make(DiagId::SyntaxClause, here.span(), "'else' without 'if' in this expression");
}

Maybe keyword_as_name(const StuckLine& here) {
    if (!is_keyword(here.now))
        return {};
    bool wants_name = here.expects(Tok::NAME) || opens_bracket(here.before);
    Tok next = here.kind(here.at + 1);
    static constexpr TokSet behind_names{Tok::EQUAL, Tok::COMMA,  Tok::DOT,    Tok::LPAREN, Tok::NEWLINE,
                                         Tok::COLON, Tok::RPAREN, Tok::RBRACK, Tok::RBRACE};
    if (here.expects(Tok::NAME) && !here.expects_value())
        return make(DiagId::SyntaxKeywordName, here.span(), here.word());
    bool begins_clause = (here.now == Tok::FOR || here.now == Tok::IF) && here.in_bracket && begins_value(next);
    if (!is_statement_word(here.now) || begins_clause)
        return {};
    static constexpr TokSet flow{Tok::RETURN, Tok::PASS, Tok::BREAK, Tok::CONTINUE, Tok::RAISE};
    if (wants_name && behind_names.holds(next) && !flow.holds(here.now))
        return make(DiagId::SyntaxKeywordName, here.span(), here.word());
    if (here.now == Tok::IF && here.at != here.first)
        return make(DiagId::SyntaxExpected, here.span(), "a value", "'if'");
    if (wants_name && here.at != here.first)
        return make(DiagId::SyntaxStatementWord, here.span(), here.word());
    return {};
}

Maybe missing_value(const StuckLine& here) {
    static constexpr TokSet joins{Tok::IN, Tok::IS, Tok::AND, Tok::OR, Tok::ELSE};
    static constexpr TokSet separates{Tok::COMMA, Tok::FOR, Tok::IF, Tok::COLON, Tok::DOT};
    static constexpr TokSet ends{Tok::COMMA, Tok::COLON,    Tok::FS_CLOSE,     Tok::SEMICOLON,
                                 Tok::EQUAL, Tok::FS_COLON, Tok::FS_CONVERSION};
    bool is_operator = here.now >= Tok::SLASH && here.now <= Tok::GREATER_EQUAL;
    if (opens_bracket(here.before) && (is_operator || joins.holds(here.now) || separates.holds(here.now)))
        return make(DiagId::SyntaxExpected, here.span(), "a value", here.show());
    bool is_missing = here.at_end() || closes_bracket(here.now) || ends.holds(here.now) ||
                      (!begins_value(here.now) && !is_keyword(here.now));
    if (here.at == here.first || ends_value(here.before))
        return {};
    if (here.expects(Tok::NAME) && !here.expects_value() && is_missing)
        return make(DiagId::SyntaxExpectedAfter, here.span(here.at - 1), "a name", here.show(here.at - 1));
    if (!here.expects_value() || !(is_missing || joins.holds(here.now)))
        return {};
    if (here.before == Tok::LBRACK && here.now == Tok::RBRACK)
        return make(DiagId::SyntaxExpectedAfter, here.span(here.at - 1, here.at), "an index", "'['");
    return make(DiagId::SyntaxExpectedAfter, here.span(here.at - 1), "a value", here.show(here.at - 1));
}

Maybe missing_colon(const StuckLine& here) {
    if (!here.expects(Tok::COLON) || here.in_bracket || !(is_keyword(here.head) || here.head == Tok::CASE))
        return {};
    if (here.at_end())
        return make(DiagId::SyntaxMissingColon, here.place(), "at the end of this line")
            .fix(here.place(), ":", "insert ':'");
    if (here.head == Tok::WITH && here.now == Tok::NAME && here.before != Tok::NAME)
        return make(DiagId::SyntaxExpected, here.span(), "'as' or ':'", here.show());
    return make(DiagId::SyntaxMissingColon, here.span(), cat("before ", here.show()));
}

Maybe missing_comma(const StuckLine& here) {
    if (!here.in_bracket || !ends_value(here.before) || !begins_value(here.now) ||
        here.kind(here.bracket) == Tok::FS_OPEN)
        return {};
    std::uint32_t end = here.state.token(here.at - 1).end;
    std::string_view between = here.state.text.substr(end, here.state.token(here.at).begin - end);
    Span insert{here.state.file, end, end};
    if (between.find_first_of("\r\n") != between.npos)
        return make(DiagId::SyntaxMissingComma, here.span(here.at - 1), cat("after ", here.show(here.at - 1)))
            .fix(insert, ",", "insert ','");
    return make(DiagId::SyntaxMissingComma, here.span(), cat("before ", here.show())).fix(insert, ",", "insert ','");
}

Maybe two_values(const StuckLine& here) {
    if (!ends_value(here.before) || !begins_value(here.now) || here.in_bracket)
        return {};
    if (here.head == Tok::ASSERT && (here.now == Tok::STRING || here.now == Tok::FS_BEGIN))
        return make(DiagId::SyntaxMissingComma, here.span(), "before the message");
    return make(DiagId::SyntaxExpected, here.span(), "an operator or the end of the line", here.show());
}

Diagnostic fallback(const StuckLine& here) {
    if (here.in_bracket && here.kind(here.bracket) == Tok::FS_OPEN)
        return make(DiagId::SyntaxFormatString, here.place(), cat("unexpected ", here.show()));
    const std::vector<Tok>& expected = here.stuck.expected;
    if (expected.size() == 1)
        return make(DiagId::SyntaxExpected, here.place(), show(expected[0]), here.show());
    if (expected.size() == 2)
        return make(DiagId::SyntaxExpected, here.place(), cat(show(expected[0]), " or ", show(expected[1])),
                    here.show());
    if (here.now == Tok::ASYNC || here.before == Tok::ASYNC)
        return make(DiagId::SyntaxClause, here.span(here.now == Tok::ASYNC ? here.at : here.at - 1),
                    "'async' must be followed by 'def', 'for' or 'with'");
    std::string shown = here.show();
    for (std::string_view article : {"a ", "an ", "the "})
        if (shown.substr(0, article.size()) == article)
            shown = shown.substr(article.size());
    return make(DiagId::SyntaxUnexpected, here.place(), shown);
}

// The most telling first.
constexpr Maybe (*rules[])(const StuckLine&) = {
    other_languages, doubled_operators, print_statement, else_if,      first_word, keyword_assigned,
    one_line,        parameter,         assignment,      walrus,       decorator,  handler,
    import_order,    loop_head,         joining_word,    missing_else, stray_else, keyword_as_name,
    missing_value,   missing_colon,     missing_comma,   two_values,
};

} // namespace

Diagnostic explain(const BuilderState& state, const Stuck& stuck) {
    const StuckLine here(state, stuck);
    for (auto* rule : rules)
        if (Maybe found = rule(here))
            return *found;
    return fallback(here);
}

} // namespace hidet::lang
