// SPDX-License-Identifier: Apache-2.0
//
// A grammar with one token of lookahead leaves three things to this place. First what Python's tokenizer does: the end of
// a logical line, indentation, joined lines. Second what Python's parser finds by trying: `match` as a keyword, the
// parentheses of `with (a as b):`. Third what keeps one mistake from becoming many: an open bracket would swallow the rest
// of the file, and a stray `else` or a missing block would derail the statements around it.
//
// Brackets are read strictly at first, exactly as Python does. Only when one is still open at the end of the file is the
// text laid out a second time, with the open brackets known; then such a bracket ends at the first line that looks like
// the next statement. Correct text never meets that guess.
#include "lang/parse/logical_lines.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace hidet::lang {

namespace {

constexpr std::size_t max_brackets = 200; // as in CPython
constexpr std::size_t max_indents = 100;

struct Column {
    std::uint32_t width = 0;  // a tab goes to the next multiple of eight
    std::uint32_t narrow = 0; // a tab counts as one; both measures must agree on what is deeper
};

// The clauses that may follow a line at its level.
enum class Opens : std::uint8_t { Nothing, If, Loop, Try, Except, TryElse };

// What the line above says about an indentation that follows.
enum class Next : std::uint8_t {
    Stray,       // there should be none
    Block,       // there must be one
    HiddenBlock, // there should be one, but the line above has a mistake of its own
    HiddenStray, // whatever comes was already reported
};

struct Level {
    Column column;
    std::optional<std::uint32_t> also; // a width that was reported and is taken for this level's
    Opens opens = Opens::Nothing;
    bool is_match = false; // holds the cases of a match statement
};

struct Bracket {
    Tok kind;
    std::uint32_t begin;
};

constexpr TokSet compound_heads{Tok::IF,   Tok::WHILE, Tok::FOR,    Tok::TRY,     Tok::WITH,  Tok::DEF, Tok::CLASS,
                                Tok::ELSE, Tok::ELIF,  Tok::EXCEPT, Tok::FINALLY, Tok::MATCH, Tok::CASE};

// A line that begins so continues no expression.
bool starts_statement_only(Tok kind) {
    return only_begins_statement(kind) || kind == Tok::IMPORT;
}

constexpr TokSet clauses{Tok::ELSE, Tok::ELIF, Tok::EXCEPT, Tok::FINALLY};

Tok closer_of(Tok open) {
    return open == Tok::LBRACK ? Tok::RBRACK : open == Tok::LBRACE ? Tok::RBRACE : Tok::RPAREN;
}

std::string describe(Tok head) {
    switch (head) {
    case Tok::DEF: return "the function definition";
    case Tok::CLASS: return "the class definition";
    default: return cat("the '", spelling(head), "' statement");
    }
}

bool clause_fits(Tok head, Opens opens) {
    switch (head) {
    case Tok::ELIF: return opens == Opens::If;
    case Tok::ELSE: return opens == Opens::If || opens == Opens::Loop || opens == Opens::Except;
    case Tok::EXCEPT: return opens == Opens::Try || opens == Opens::Except;
    default: return opens == Opens::Try || opens == Opens::Except || opens == Opens::TryElse;
    }
}

// What may follow a line of that kind, where that `opens` could have followed it.
Opens opened_by(Tok head, Opens opens) {
    switch (head) {
    case Tok::IF:
    case Tok::ELIF: return Opens::If;
    case Tok::FOR:
    case Tok::WHILE: return Opens::Loop;
    case Tok::TRY: return Opens::Try;
    case Tok::EXCEPT: return Opens::Except;
    case Tok::ELSE: return opens == Opens::Except ? Opens::TryElse : Opens::Nothing;
    default: return Opens::Nothing;
    }
}

// The text and its tokens, line ends among them, and what looking ahead in them says.
struct RawText {
    std::string_view text;
    const Tokens& tokens;

    std::size_t size() const { return tokens.size(); }
    Tok kind_at(std::size_t i) const { return i < size() ? tokens[i].kind : Tok::EndOfFile; }
    std::string_view word(const Token& t) const { return text.substr(t.begin, t.end - t.begin); }
    void skip_empty_lines(std::size_t& at, std::uint32_t& line_begin) const {
        while (kind_at(at) == Tok::LINE_END)
            line_begin = tokens[at++].end;
    }

    int line_number(std::uint32_t at) const {
        int line = 1;
        for (std::uint32_t i = 0; i < at; ++i)
            line += text[i] == '\n' || (text[i] == '\r' && !(i + 1 < text.size() && text[i + 1] == '\n'));
        return line;
    }

    // In steps as Python's tokenizer takes them, with its rule that a joined line counts where its first part begins.
    Column column_of(const Token& token, std::uint32_t line_begin) const {
        std::uint32_t at = line_begin;
        if (at == 0 && text.substr(0, 3) == "\xEF\xBB\xBF")
            at = 3;
        Column now;
        std::optional<Column> joined;
        for (; at < token.begin; ++at) {
            char c = text[at];
            if (c == ' ') {
                ++now.width;
                ++now.narrow;
            } else if (c == '\t') {
                now.width = (now.width / 8 + 1) * 8;
                ++now.narrow;
            } else if (c == '\f') {
                now = {};
            } else if (c == '\\') {
                if (!joined && now.width > 0)
                    joined = Column{now.width, now.width};
            }
        }
        return joined.value_or(now);
    }

    // The token that says what the line is.
    Tok line_head(std::size_t at, std::uint32_t line_begin) const {
        const Token& t = tokens[at];
        if (t.kind == Tok::NAME && word(t) == "match" && begins_match(at, line_begin))
            return Tok::MATCH;
        if (t.kind == Tok::ASYNC) {
            Tok next = kind_at(at + 1);
            return next == Tok::FOR || next == Tok::WITH || next == Tok::DEF ? next : Tok::ASYNC;
        }
        return t.kind;
    }

    // `match x:` with an indented `case` below it. Nothing else in Python looks like that.
    bool begins_match(std::size_t at, std::uint32_t line_begin) const {
        std::size_t i = at + 1;
        int depth = 0;
        for (; i < size() && !(kind_at(i) == Tok::LINE_END && depth <= 0); ++i)
            depth += opens_bracket(kind_at(i)) ? 1 : closes_bracket(kind_at(i)) ? -1 : 0;
        if (i <= at + 2 || kind_at(i - 1) != Tok::COLON)
            return false;
        std::uint32_t floor = line_begin;
        skip_empty_lines(i, floor);
        if (kind_at(i) != Tok::NAME || word(tokens[i]) != "case")
            return false;
        return column_of(tokens[i], floor).width > column_of(tokens[at], line_begin).width;
    }

    bool physical_line_ends_in_colon(std::size_t i) const {
        while (i + 1 < size() && kind_at(i + 1) != Tok::LINE_END)
            ++i;
        return kind_at(i) == Tok::COLON;
    }

    // with (a as b, c): the parentheses hold items if Python could not read them as one value.
    bool holds_with_items(std::size_t paren) const {
        std::size_t i = paren + 1;
        int depth = 1;
        bool named = false, plain = true, item_start = true;
        std::size_t count = 0;
        for (; i < size() && depth > 0; ++i) {
            Tok kind = kind_at(i);
            if (kind == Tok::LINE_END)
                continue;
            if (depth == 1 && item_start && (kind == Tok::STAR || kind == Tok::YIELD))
                plain = false;
            ++count;
            item_start = depth == 1 && kind == Tok::COMMA;
            depth += opens_bracket(kind) ? 1 : closes_bracket(kind) ? -1 : 0;
            named |= depth == 1 && kind == Tok::AS;
            plain &= !(depth == 1 && (kind == Tok::WALRUS || kind == Tok::FOR || kind == Tok::ASYNC));
        }
        while (kind_at(i) == Tok::LINE_END)
            ++i;
        return depth == 0 && count > 1 && (named || (plain && kind_at(i) == Tok::COLON));
    }
};

class LineReader {
public:
    LineReader(std::string_view text, const Tokens& raw, Faults& faults, const std::vector<std::uint32_t>& unclosed)
        : m_raw{text, raw}, m_faults(faults), m_unclosed(unclosed) {
        m_out.reserve(raw.size() + raw.size() / 8 + 16);
    }

    Tokens run() {
        m_levels.push_back({});
        while (!m_stopped && begin_line())
            logical_line();
        finish();
        return std::move(m_out);
    }
    const std::vector<std::uint32_t>& open_at_end() const { return m_open_at_end; }

private:
    void emit(Tok kind, std::uint32_t begin, std::uint32_t end) { m_out.push_back({kind, begin, end}); }
    Level& level() { return m_levels.back(); }

    bool begin_line() {
        m_raw.skip_empty_lines(m_at, m_line_floor);
        return m_at < m_raw.size();
    }

    void logical_line() {
        std::size_t first = m_at;
        Tok head = m_raw.line_head(m_at, m_line_floor);
        indentation(m_raw.tokens[first]);
        if (m_stopped)
            return;
        if (head == Tok::NAME && level().is_match && m_raw.word(m_raw.tokens[first]) == "case")
            head = Tok::CASE;
        if (clauses.holds(head) && !clause_fits(head, level().opens))
            return stray_clause(m_raw.tokens[first]);
        // `else if` is reported by the parser; what follows it is meant to belong to it.
        bool is_else_if = head == Tok::ELSE && m_raw.kind_at(m_at + 1) == Tok::IF;
        level().opens = opened_by(is_else_if ? Tok::ELIF : head, level().opens);
        std::size_t out_first = m_out.size();
        bool has_colon = copy_line(head);
        bool ends_in_colon = m_out.size() > out_first && m_out.back().kind == Tok::COLON;
        bool is_empty = m_out.size() == out_first; // a stray bracket was all that it held
        end_line();
        if (is_empty)
            m_out.back().kind = Tok::STRAY_CLAUSE;
        expect_block(head, m_raw.tokens[first], has_colon, ends_in_colon);
    }

    // One token takes the place of the whole line; a block below it is still read for its own mistakes.
    void stray_clause(const Token& t) {
        const char* partner = t.kind == Tok::ELIF   ? "'if'"
                              : t.kind == Tok::ELSE ? "'if', 'for', 'while' or 'try'"
                                                    : "'try'";
        if (!m_faults.any_in(m_line_floor, t.begin)) // its indentation may be the mistake
            m_faults.add(DiagId::SyntaxStrayClause, t.begin, t.end, m_raw.word(t), partner);
        std::size_t out_first = m_out.size();
        copy_line(t.kind);
        end_line();
        m_out.resize(out_first);
        emit(Tok::STRAY_CLAUSE, t.begin, t.end);
        level().opens = t.kind == Tok::ELIF ? Opens::If : t.kind == Tok::EXCEPT ? Opens::Except : Opens::Nothing;
        m_next = Next::HiddenStray;
    }

    void expect_block(Tok head, const Token& first, bool has_colon, bool ends_in_colon) {
        bool compound = compound_heads.holds(head);
        m_head = head;
        m_head_at = first;
        if (compound && ends_in_colon)
            m_next = Next::Block;
        else if (compound && !has_colon)
            m_next = Next::HiddenBlock;
        else
            m_next = ends_in_colon ? Next::HiddenStray : Next::Stray;
    }

    void indentation(const Token& token) {
        Column column = m_raw.column_of(token, m_line_floor);
        if (level().also == column.width)
            column = level().column;
        Next next = std::exchange(m_next, Next::Stray);
        if (column.width > level().column.width) {
            if (column.narrow <= level().column.narrow)
                mixed_tabs(token);
            return indent(token, column, next);
        }
        if (next == Next::Block)
            no_body(token.begin, token.end);
        if (next == Next::Block || next == Next::HiddenBlock)
            emit(Tok::NO_BODY, token.begin, token.begin);
        dedent(token, column);
    }

    void mixed_tabs(const Token& token) { m_faults.add(DiagId::SyntaxTabs, m_line_floor, token.begin); }

    void indent(const Token& token, Column column, Next next) {
        if (m_levels.size() > max_indents) {
            m_faults.add(DiagId::SyntaxTooManyIndents, token.begin, token.end, max_indents);
            emit(Tok::NO_BODY, token.begin, token.begin);
            m_stopped = true;
            return;
        }
        bool stray = next == Next::Stray || next == Next::HiddenStray;
        if (next == Next::Stray)
            m_faults.add(DiagId::SyntaxUnexpectedIndent, m_line_floor, token.begin);
        emit(stray ? Tok::STRAY_INDENT : Tok::INDENT, token.begin, token.begin);
        m_levels.push_back({column, {}, Opens::Nothing, m_head == Tok::MATCH && !stray});
    }

    void dedent(const Token& token, Column column) {
        std::optional<Level> left;
        while (level().column.width > column.width) {
            left = level();
            m_levels.pop_back();
            emit(Tok::DEDENT, token.begin, token.begin);
        }
        if (level().column.width < column.width && left) {
            m_faults.add(DiagId::SyntaxDedent, m_line_floor, token.begin, column.width);
            m_out.pop_back();
            left->also = column.width;
            m_levels.push_back(*left);
        } else if (column.narrow != level().column.narrow) {
            mixed_tabs(token);
            level().column = column;
        }
    }

    void no_body(std::uint32_t begin, std::uint32_t end) {
        m_faults.add(DiagId::SyntaxNoBody, begin, end, describe(m_head), m_raw.line_number(m_head_at.begin));
    }

    // Up to the end of the logical line. Returns whether a colon stood outside of all brackets.
    bool copy_line(Tok head) {
        bool has_colon = false;
        std::size_t first = m_at;
        m_line_first = m_raw.tokens[first].begin;
        m_line_head = head;
        for (; m_at < m_raw.size() && !m_stopped; ++m_at) {
            const Token& t = m_raw.tokens[m_at];
            if (t.kind == Tok::LINE_END) {
                if (m_brackets.empty() || guess_end())
                    break;
                continue;
            }
            if (m_at == first && (head == Tok::MATCH || head == Tok::CASE))
                emit(head, t.begin, t.end);
            else if (t.kind == Tok::LPAREN && m_raw.kind_at(m_at - 1) == Tok::WITH && head == Tok::WITH &&
                     m_brackets.empty() && m_raw.holds_with_items(m_at))
                open(Tok::WITH_PAREN, t);
            else if (opens_bracket(t.kind))
                open(t.kind, t);
            else if (closes_bracket(t.kind))
                close(t);
            else {
                has_colon |= t.kind == Tok::COLON && m_brackets.empty();
                append_token(m_raw.text, t, m_out, m_faults);
            }
        }
        if (!m_brackets.empty())
            give_up_brackets();
        return has_colon;
    }

    void end_line() {
        std::uint32_t end = m_out.empty() ? 0 : m_out.back().end;
        if (m_raw.kind_at(m_at) == Tok::LINE_END) {
            emit(Tok::NEWLINE, m_raw.tokens[m_at].begin, m_raw.tokens[m_at].end);
            m_line_floor = m_raw.tokens[m_at++].end;
        } else {
            emit(Tok::NEWLINE, end, end);
        }
    }

    void open(Tok kind, const Token& t) {
        if (m_brackets.size() >= max_brackets) {
            m_faults.add(DiagId::SyntaxTooManyBrackets, t.begin, t.end, max_brackets);
            emit(Tok::BAD_ATOM, t.begin, t.end);
            m_stopped = true;
            return;
        }
        m_brackets.push_back({t.kind, t.begin});
        emit(kind, t.begin, t.end);
    }

    void close(const Token& t) {
        auto matches = [&](const Bracket& b) { return closer_of(b.kind) == t.kind; };
        // Quotes that end in the wrong place leave brackets that do not fit; that is no mistake of its own.
        bool reported = m_faults.any_in(m_line_first, t.begin);
        if (m_brackets.empty()) {
            if (!reported)
                m_faults.add(m_faults.make(DiagId::SyntaxUnmatchedClose, t.begin, t.end, m_raw.word(t))
                                 .fix(m_faults.span(t.begin, t.end), "", "remove it"));
            return;
        }
        if (!matches(m_brackets.back())) {
            const Bracket& top = m_brackets.back();
            if (!reported)
                m_faults.add(
                    m_faults.make(DiagId::SyntaxMismatchedClose, t.begin, t.end, m_raw.word(t), spelling(top.kind))
                        .note(m_faults.span(top.begin, top.begin + 1),
                              cat("'", spelling(top.kind), "' is opened here")));
            if (m_raw.line_number(top.begin) != m_raw.line_number(t.begin))
                m_open_at_end.push_back(top.begin); // another look may find where it was meant to end
            bool deeper = std::ranges::any_of(m_brackets, matches);
            while (deeper && !matches(m_brackets.back()))
                synthesize_close(t.begin);
        }
        emit(closer_of(m_brackets.back().kind), t.begin, t.end);
        m_brackets.pop_back();
    }

    void synthesize_close(std::uint32_t at) {
        emit(closer_of(m_brackets.back().kind), at, at);
        m_brackets.pop_back();
    }

    bool is_unclosed(const Bracket& b) const { return std::ranges::find(m_unclosed, b.begin) != m_unclosed.end(); }

    // At the end of a line inside brackets, in a text where some bracket stays open: does the next line look like a
    // statement? One that is not indented does, whatever bracket it is in.
    bool guess_end() {
        if (m_unclosed.empty())
            return false;
        bool known = std::ranges::any_of(m_brackets, [&](const Bracket& b) { return is_unclosed(b); });
        std::size_t i = m_at;
        std::uint32_t floor = 0;
        m_raw.skip_empty_lines(i, floor);
        if (i >= m_raw.size())
            return false;
        Tok next = m_raw.kind_at(i);
        bool left = m_raw.column_of(m_raw.tokens[i], floor).width <= level().column.width && !closes_bracket(next);
        bool header_ends = compound_heads.holds(m_line_head) && m_raw.kind_at(m_at - 1) == Tok::COLON &&
                           m_brackets.back().kind != Tok::LBRACE;
        bool header_begins = compound_heads.holds(next) && m_raw.physical_line_ends_in_colon(i);
        return left || (known && (header_ends || header_begins || starts_statement_only(next)));
    }

    // The brackets that are still open where the line must end.
    void give_up_brackets() {
        std::uint32_t end = m_out.back().end;
        bool at_end = m_at >= m_raw.size() && !m_stopped;
        if (at_end)
            for (const Bracket& b : m_brackets)
                m_open_at_end.push_back(b.begin);
        // The innermost is the one to name: what stands around it may be closed well.
        const Bracket& inner = m_brackets.back();
        const Bracket* named = &inner;
        for (const Bracket& b : m_brackets)
            if (is_unclosed(b))
                named = &b;
        if (!m_faults.any_in(m_line_first, end))
            m_faults.add(DiagId::SyntaxUnclosed, named->begin, named->begin + 1, m_raw.text.substr(named->begin, 1));
        // `def f(x:` ends its brackets before the colon.
        bool header = compound_heads.holds(m_line_head) && m_out.back().kind == Tok::COLON;
        Token colon = m_out.back();
        if (header)
            m_out.pop_back();
        while (!m_brackets.empty())
            synthesize_close(header ? colon.begin : end);
        if (header)
            m_out.push_back(colon);
    }

    void finish() {
        std::uint32_t end = static_cast<std::uint32_t>(m_raw.text.size());
        if (m_stopped) {
            if (!m_out.empty() && m_out.back().kind != Tok::NEWLINE && m_out.back().kind != Tok::NO_BODY)
                emit(Tok::NEWLINE, m_out.back().end, m_out.back().end);
        } else {
            if (m_next == Next::Block)
                no_body(m_head_at.begin, m_head_at.end);
            if (m_next == Next::Block || m_next == Next::HiddenBlock)
                emit(Tok::NO_BODY, end, end);
        }
        for (std::size_t i = 1; i < m_levels.size(); ++i)
            emit(Tok::DEDENT, end, end);
        emit(Tok::EndOfFile, end, end);
    }

    const RawText m_raw;
    Faults& m_faults;
    const std::vector<std::uint32_t>& m_unclosed;
    Tokens m_out;
    std::size_t m_at = 0;
    std::uint32_t m_line_floor = 0; // where the current line begins, blanks included
    std::uint32_t m_line_first = 0; // its first token
    Tok m_line_head = Tok::EndOfFile;
    std::vector<Level> m_levels;
    std::vector<Bracket> m_brackets;
    std::vector<std::uint32_t> m_open_at_end;
    Next m_next = Next::Stray;
    Tok m_head = Tok::EndOfFile;
    Token m_head_at;
    bool m_stopped = false;
};

// ---- how deep the expressions of one line nest without brackets ----

// `lambda: lambda: ...` and `a if b else c if d else ...` nest without brackets, and the parser follows them by calling
// itself. A line with too many is reported and taken out before it gets there.
void bound_nesting(Tokens& tokens, Faults& faults) {
    constexpr int max_nesting = 200;
    std::vector<int> outer; // what the brackets around hold
    int here = 0, all = 0;
    std::size_t line = 0, kept = 0;
    bool skipping = false;
    auto leave = [&](int next) {
        all -= here - next;
        here = next;
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        Tok kind = tokens[i].kind;
        bool ends_line = kind == Tok::NEWLINE || kind == Tok::EndOfFile;
        if (opens_bracket(kind) || kind == Tok::FS_OPEN) {
            outer.push_back(here);
            here = 0;
        } else if ((closes_bracket(kind) || kind == Tok::FS_CLOSE) && !outer.empty()) {
            leave(0);
            here = outer.back();
            outer.pop_back();
        } else if (kind == Tok::COMMA) {
            leave(0);
        } else if (kind == Tok::LAMBDA || (kind == Tok::IF && kept > line)) {
            ++here;
            ++all;
        }
        if (all > max_nesting && !skipping) {
            faults.add(DiagId::SyntaxTooDeep, tokens[i].begin, tokens[i].end, "expression");
            kept = line;
            tokens[kept++] = {Tok::BAD_ATOM, tokens[i].begin, tokens[i].end};
            skipping = true;
        }
        if (!skipping || ends_line)
            tokens[kept++] = tokens[i];
        if (ends_line || kind == Tok::INDENT || kind == Tok::DEDENT || kind == Tok::STRAY_INDENT) {
            line = kept;
            if (ends_line) {
                skipping = false;
                outer.clear();
                here = all = 0;
            }
        }
    }
    tokens.resize(kept);
}

} // namespace

void append_token(std::string_view text, const Token& token, Tokens& out, Faults& faults) {
    if (token.kind == Tok::IN && !out.empty() && out.back().kind == Tok::NOT) {
        out.back() = {Tok::NOT_IN, out.back().begin, token.end};
    } else if (token.kind == Tok::NOT && !out.empty() && out.back().kind == Tok::IS) {
        out.back() = {Tok::IS_NOT, out.back().begin, token.end};
    } else if (token.kind == Tok::STRING && string_form(text, token).is_format) {
        split_format_string(text, token, out, faults);
    } else {
        out.push_back(token);
    }
}

static Tokens read_lines(std::string_view text, const Scanned& scanned, Faults& faults) {
    const std::vector<std::uint32_t> none;
    Faults strict = faults;
    LineReader first(text, scanned.tokens, strict, none);
    Tokens tokens = first.run();
    if (first.open_at_end().empty()) {
        faults = std::move(strict);
        return tokens;
    }
    return LineReader(text, scanned.tokens, faults, first.open_at_end()).run();
}

Tokens read_logical_lines(std::string_view text, const Scanned& scanned, Faults& faults) {
    Tokens tokens = read_lines(text, scanned, faults);
    bound_nesting(tokens, faults);
    return tokens;
}

} // namespace hidet::lang
