// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/scanner.h"

#include <array>
#include <cstdio>

#include "lang/parse/unicode_names.h"

namespace hidet::lang {

namespace {

enum CharClass : std::uint8_t { Other = 0, NameStart = 1, Digit = 2, Hex = 4, Blank = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
    std::array<std::uint8_t, 256> out{};
    for (int c = 0; c < 256; ++c) {
        bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z', digit = c >= '0' && c <= '9';
        std::uint8_t bits = 0;
        if (lower || upper || c == '_')
            bits |= NameStart;
        if (digit)
            bits |= Digit;
        if (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            bits |= Hex;
        if (c == ' ' || c == '\t' || c == '\f')
            bits |= Blank;
        out[static_cast<std::size_t>(c)] = bits;
    }
    return out;
}
constexpr auto classes = make_classes();

bool is(char c, int bits) {
    return (classes[static_cast<unsigned char>(c)] & bits) != 0;
}

struct Point {
    char32_t code = 0;
    std::uint32_t length = 1;
};

const std::array<std::vector<Tok>, 128>& operators_by_first() {
    static const auto table = [] {
        std::array<std::vector<Tok>, 128> out;
        for (int k = static_cast<int>(Tok::LPAREN); k <= static_cast<int>(Tok::GREATER_EQUAL); ++k) {
            std::string_view word = spelling(static_cast<Tok>(k));
            out[static_cast<unsigned char>(word[0])].push_back(static_cast<Tok>(k));
        }
        return out;
    }();
    return table;
}

// What a character is taken for that was meant to be a plain one; empty: it looks like none.
std::string_view lookalike(char32_t code) {
    static constexpr std::pair<std::u32string_view, std::string_view> rows[] = {
        {U"\u201C\u201D\u201E\uFF02", "\""},
        {U"\u2018\u2019\u201A\u00B4\uFF07", "'"},
        {U"\u2013\u2014\u2212\uFF0D", "-"},
        {U"\u00D7\u2217", "*"},
        {U"\u00F7", "/"},
        {U"\u2264", "<="},
        {U"\u2265", ">="},
        {U"\u2260", "!="},
        {U"\uFF08", "("},
        {U"\uFF09", ")"},
        {U"\uFF0C", ","},
        {U"\uFF1A", ":"},
        {U"\uFF1B", ";"},
        {U"\uFF1D", "="},
        {U"\u2192", "->"},
        {U"\u2026", "..."},
        {U"\u00A0\u2002\u2003\u2009\u202F\u3000", " "},
    };
    for (const auto& [codes, plain] : rows)
        if (codes.find(code) != codes.npos)
            return plain;
    return "";
}

class Scanner {
public:
    Scanner(std::string_view text, Stretch where, Scanned& out, Faults& faults)
        : m_text(text), m_at(where.begin), m_end(where.end), m_out(out), m_faults(faults) {}

    void run() {
        while (m_at < m_end)
            step();
    }

private:
    char peek(std::uint32_t ahead = 0) const { return m_at + ahead < m_end ? m_text[m_at + ahead] : '\0'; }
    bool at_line_end() const { return m_at >= m_end || peek() == '\n' || peek() == '\r'; }
    void emit(Tok kind, std::uint32_t begin) { m_out.tokens.push_back({kind, begin, m_at}); }

    void step() {
        char c = peek();
        if (is(c, Blank)) {
            ++m_at;
        } else if (is(c, NameStart)) {
            if (!string_with_prefix())
                name();
        } else if (is(c, Digit) || (c == '.' && is(peek(1), Digit))) {
            number();
        } else if (c == '"' || c == '\'') {
            string(m_at);
        } else if (c == '\n' || c == '\r') {
            line_end();
        } else if (c == '#') {
            comment();
        } else if (c == '\\') {
            continuation();
        } else if (static_cast<unsigned char>(c) >= 0x80) {
            beyond_ascii();
        } else {
            punctuation();
        }
    }

    void skip_line_end() { m_at += peek() == '\r' && peek(1) == '\n' ? 2 : 1; }

    void line_end() {
        std::uint32_t begin = m_at;
        skip_line_end();
        emit(Tok::LINE_END, begin);
    }

    void comment() {
        std::uint32_t begin = m_at;
        while (!at_line_end())
            ++m_at;
        m_out.comments.push_back({begin, m_at});
    }

    // A backslash joins this line with the next one.
    void continuation() {
        std::uint32_t begin = m_at++;
        if (m_at < m_end && at_line_end()) {
            skip_line_end();
            if (m_at >= m_end)
                m_faults.add(DiagId::SyntaxContinuationAtEnd, begin, begin + 1);
            return;
        }
        std::uint32_t after = m_at;
        while (is(peek(), Blank))
            ++m_at;
        if (at_line_end() && m_at < m_end) {
            m_faults.add(m_faults.make(DiagId::SyntaxBlankAfterContinuation, after, m_at)
                             .fix(m_faults.span(after, m_at), "", "remove the blanks"));
            skip_line_end();
            return;
        }
        if (m_at >= m_end)
            m_faults.add(DiagId::SyntaxContinuationAtEnd, begin, begin + 1);
        else
            m_faults.add(DiagId::SyntaxAfterContinuation, begin, begin + 1);
    }

    Point point() const {
        auto byte = static_cast<unsigned char>(peek());
        std::uint32_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        char32_t code = length == 1 ? byte : byte & (0x7Fu >> length);
        for (std::uint32_t i = 1; i < length; ++i)
            code = code << 6 | (static_cast<unsigned char>(peek(i)) & 0x3Fu);
        return {code, length};
    }

    void name_tail() {
        while (true) {
            while (is(peek(), NameStart | Digit))
                ++m_at;
            if (m_at >= m_end || static_cast<unsigned char>(peek()) < 0x80)
                return;
            Point next = point();
            if (!continues_name(next.code))
                return;
            m_at += next.length;
        }
    }

    void name() {
        std::uint32_t begin = m_at;
        name_tail();
        emit(keyword(m_text.substr(begin, m_at - begin)), begin);
    }

    void beyond_ascii() {
        Point first = point();
        std::uint32_t begin = m_at;
        m_at += first.length;
        if (starts_name(first.code)) {
            name_tail();
            emit(Tok::NAME, begin);
            return;
        }
        if (first.code == 0xFEFF && begin == 0)
            return;
        bad_character(begin, first.code);
    }

    void bad_character(std::uint32_t begin, char32_t code) {
        char number[16];
        std::snprintf(number, sizeof number, "U+%04X", static_cast<unsigned>(code));
        std::string_view shown = m_text.substr(begin, m_at - begin);
        std::string_view plain = lookalike(code);
        bool visible = code > 0x20 && code != 0x7F && plain != " ";
        Diagnostic fault = visible ? m_faults.make(DiagId::SyntaxBadCharacter, begin, m_at, shown, number)
                                   : m_faults.make(DiagId::SyntaxInvisibleCharacter, begin, m_at, number);
        if (!plain.empty()) {
            fault.message += plain == " "                    ? "; did you mean a blank?"
                             : plain == "'" || plain == "\"" ? "; did you mean a plain quote?"
                                                             : cat("; did you mean '", plain, "'?");
            std::move(fault).fix(m_faults.span(begin, m_at), std::string(plain), "replace by plain text");
        }
        // The rest of a line after one bad character is rarely worth a second message: `“a”` has two of them.
        const std::size_t before = m_text.substr(0, begin).find_last_of("\r\n");
        if (!m_faults.any_in(before == m_text.npos ? 0 : static_cast<std::uint32_t>(before) + 1, begin))
            m_faults.add(std::move(fault));
        if (code == 0x201C || code == 0x201D || code == 0x2018 || code == 0x2019)
            quoted_by_lookalikes(begin);
    }

    // “text” reads as a string, so that the words in it are no names.
    void quoted_by_lookalikes(std::uint32_t begin) {
        std::uint32_t resume = m_at;
        while (!at_line_end()) {
            Point next = point();
            m_at += next.length;
            if (next.code >= 0x2018 && next.code <= 0x201D) {
                emit(Tok::BAD_ATOM, begin);
                return;
            }
        }
        m_at = resume;
    }

    // ---- numbers, in the steps of Python's tokenizer ----

    bool digits(int which) {
        if (!is(peek(), which))
            return false;
        while (true) {
            while (is(peek(), which))
                ++m_at;
            if (peek() != '_')
                return true;
            ++m_at;
            if (!is(peek(), which))
                return false;
        }
    }

    static bool is_octal(char c) { return c >= '0' && c <= '7'; }

    template <class Accept>
    bool radix_digits(Accept accept) {
        do {
            if (peek() == '_')
                ++m_at;
            if (!accept(peek()))
                return false;
            while (accept(peek()))
                ++m_at;
        } while (peek() == '_');
        return true;
    }

    void bad_number(std::uint32_t begin, DiagId id, const char* what) {
        while (is(peek(), NameStart | Digit) || static_cast<unsigned char>(peek()) >= 0x80)
            ++m_at;
        std::string text(m_text.substr(begin, m_at - begin));
        m_faults.add(id, begin, m_at, what, text);
        emit(Tok::BAD_ATOM, begin);
    }

    // A number may touch one of the words that can follow a value: 1if x else 2.
    bool ends_well() {
        char c = peek();
        auto follows = [&](std::string_view word) {
            return m_text.substr(m_at, std::min<std::size_t>(word.size(), m_end - m_at)) == word;
        };
        for (std::string_view word : {"and", "else", "for", "if", "in", "is", "or", "not"})
            if (follows(word))
                return true;
        return !is(c, NameStart | Digit) && static_cast<unsigned char>(c) < 0x80;
    }

    void finish_number(std::uint32_t begin, const char* what) {
        if (ends_well())
            emit(Tok::NUMBER, begin);
        else
            bad_number(begin, DiagId::SyntaxBadNumber, what);
    }

    void number() {
        std::uint32_t begin = m_at;
        if (peek() == '0' && is(peek(1), NameStart) && peek(1) != '_') {
            char radix = static_cast<char>(peek(1) | 0x20);
            const char* what = radix == 'x'   ? "hexadecimal"
                               : radix == 'o' ? "octal"
                               : radix == 'b' ? "binary"
                                              : nullptr;
            if (what) {
                m_at += 2;
                bool fine = radix == 'x'   ? radix_digits([](char c) { return is(c, Hex); })
                            : radix == 'o' ? radix_digits(is_octal)
                                           : radix_digits([](char c) { return c == '0' || c == '1'; });
                if (!fine || is(peek(), Digit))
                    return bad_number(begin, DiagId::SyntaxBadNumber, what);
                return finish_number(begin, what);
            }
        }
        bool whole = true;
        if (peek() != '.' && !digits(Digit))
            return bad_number(begin, DiagId::SyntaxBadNumber, "decimal");
        std::uint32_t whole_end = m_at;
        if (peek() == '.') {
            whole = false;
            ++m_at;
            if (is(peek(), Digit) && !digits(Digit))
                return bad_number(begin, DiagId::SyntaxBadNumber, "decimal");
        }
        if (peek() == 'e' || peek() == 'E') {
            std::uint32_t exponent = m_at++;
            bool has_sign = peek() == '+' || peek() == '-';
            if (has_sign)
                ++m_at;
            if (is(peek(), Digit)) {
                whole = false;
                if (!digits(Digit))
                    return bad_number(begin, DiagId::SyntaxBadNumber, "decimal");
            } else if (has_sign) {
                return bad_number(begin, DiagId::SyntaxBadNumber, "decimal");
            } else {
                m_at = exponent;
                if (!ends_well())
                    return bad_number(begin, DiagId::SyntaxBadNumber, "decimal");
            }
        }
        if (peek() == 'j' || peek() == 'J') {
            ++m_at;
            return finish_number(begin, "imaginary");
        }
        if (whole && m_text[begin] == '0' &&
            m_text.substr(begin, whole_end - begin).find_first_not_of("0_") != std::string_view::npos)
            return bad_number(begin, DiagId::SyntaxLeadingZeros, "");
        finish_number(begin, "decimal");
    }

    // ---- strings ----

    bool string_with_prefix() {
        auto is_quote = [](char c) { return c == '"' || c == '\''; };
        auto lower = [&](std::uint32_t i) { return static_cast<char>(peek(i) | 0x20); };
        auto one_of = [](char c, std::string_view set) { return set.find(c) != std::string_view::npos; };
        if (is_quote(peek(1)) && one_of(lower(0), "rbuf")) {
            string(m_at + 1);
            return true;
        }
        bool pair = (lower(0) == 'r' && one_of(lower(1), "bf")) || (lower(1) == 'r' && one_of(lower(0), "bf"));
        if (!pair || !is_quote(peek(2)))
            return false;
        string(m_at + 2);
        return true;
    }

    void string(std::uint32_t quote) {
        std::uint32_t begin = m_at;
        m_at = quote;
        char mark = peek();
        bool triple = peek(1) == mark && peek(2) == mark;
        m_at += triple ? 3 : 1;
        while (m_at < m_end) {
            char c = peek();
            if (c == '\\') {
                ++m_at;
                if (m_at < m_end)
                    skip_line_end();
            } else if (c == mark && (!triple || (peek(1) == mark && peek(2) == mark))) {
                m_at += triple ? 3 : 1;
                return emit(Tok::STRING, begin);
            } else if (!triple && at_line_end()) {
                break;
            } else {
                ++m_at;
            }
        }
        m_at = std::min(m_at, m_end);
        m_faults.add(triple ? DiagId::SyntaxUnterminatedTriple : DiagId::SyntaxUnterminatedString, begin,
                     quote + (triple ? 3 : 1), std::string(triple ? 3 : 1, mark));
        emit(Tok::BAD_ATOM, begin);
    }

    // ---- operators ----

    // The longest operator that the text begins with. A table says which share their first character.
    void punctuation() {
        std::string_view rest = m_text.substr(m_at, std::min<std::size_t>(3, m_end - m_at));
        Tok best = Tok::EndOfFile;
        std::size_t length = 0;
        for (Tok kind : operators_by_first()[static_cast<unsigned char>(rest[0])]) {
            std::string_view word = spelling(kind);
            if (word.size() > length && rest.substr(0, word.size()) == word) {
                best = kind;
                length = word.size();
            }
        }
        std::uint32_t begin = m_at;
        if (length == 0) {
            ++m_at;
            return bad_punctuation(begin);
        }
        m_at += static_cast<std::uint32_t>(length);
        emit(best, begin);
    }

    void bad_punctuation(std::uint32_t begin) {
        char c = m_text[begin];
        if (c == '!')
            m_faults.add(m_faults.make(DiagId::SyntaxNotOperator, begin, m_at)
                             .fix(m_faults.span(begin, m_at), "not ", "replace by 'not'"));
        else if (c == '?')
            m_faults.add(DiagId::SyntaxQuestionMark, begin, m_at);
        else
            bad_character(begin, static_cast<unsigned char>(c));
    }

    std::string_view m_text;
    std::uint32_t m_at;
    std::uint32_t m_end;
    Scanned& m_out;
    Faults& m_faults;
};

} // namespace

void scan(std::string_view text, Stretch where, Scanned& out, Faults& faults) {
    Scanner(text, where, out, faults).run();
}

StringForm string_form(std::string_view text, const Token& token) {
    StringForm form;
    std::uint32_t at = token.begin;
    for (; at < token.end && text[at] != '"' && text[at] != '\''; ++at) {
        char c = static_cast<char>(text[at] | 0x20);
        form.is_raw |= c == 'r';
        form.is_bytes |= c == 'b';
        form.is_format |= c == 'f';
    }
    form.is_triple = token.end - at >= 6 && text[at + 1] == text[at] && text[at + 2] == text[at];
    std::uint32_t quotes = form.is_triple ? 3 : 1;
    form.begin = at + quotes;
    form.end = token.end - quotes;
    return form;
}

} // namespace hidet::lang
