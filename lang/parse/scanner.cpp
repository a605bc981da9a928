// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/scanner.h"

#include <array>
#include <cstdio>
#include <optional>

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

// A place in the text, which ends at `end`.
struct Cursor {
    std::string_view text;
    std::uint32_t at;
    std::uint32_t end;

    char peek(std::uint32_t ahead = 0) const { return at + ahead < end ? text[at + ahead] : '\0'; }
    bool at_line_end() const { return at >= end || peek() == '\n' || peek() == '\r'; }
    void skip_while(int bits) {
        while (is(peek(), bits))
            ++at;
    }
    void skip_line_end() { at += peek() == '\r' && peek(1) == '\n' ? 2 : 1; }

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
            skip_while(NameStart | Digit);
            if (at >= end || static_cast<unsigned char>(peek()) < 0x80)
                return;
            Point next = point();
            if (!continues_name(next.code))
                return;
            at += next.length;
        }
    }
};

// ---- numbers, in the steps of Python's tokenizer ----

using BadNumber = std::optional<std::pair<DiagId, const char*>>; // what is wrong, and with which kind of number

BadNumber bad(const char* what) {
    return std::pair(DiagId::SyntaxBadNumber, what);
}

// Whether they are well formed. They begin with a digit.
bool decimal_digits(Cursor& c) {
    while (true) {
        c.skip_while(Digit);
        if (c.peek() != '_')
            return true;
        ++c.at;
        if (!is(c.peek(), Digit))
            return false;
    }
}

// A number may touch one of the words that can follow a value: 1if x else 2.
bool ends_well(const Cursor& c) {
    std::string_view rest = c.text.substr(c.at, c.end - c.at);
    for (std::string_view word : {"and", "else", "for", "if", "in", "is", "or", "not"})
        if (rest.starts_with(word))
            return true;
    return !is(c.peek(), NameStart | Digit) && static_cast<unsigned char>(c.peek()) < 0x80;
}

BadNumber at_end(const Cursor& c, const char* what) {
    return ends_well(c) ? BadNumber() : bad(what);
}

BadNumber read_radix(Cursor& c, const char* what, bool (*accept)(char)) {
    c.at += 2;
    do {
        if (c.peek() == '_')
            ++c.at;
        if (!accept(c.peek()))
            return bad(what);
        while (accept(c.peek()))
            ++c.at;
    } while (c.peek() == '_');
    return is(c.peek(), Digit) ? bad(what) : at_end(c, what);
}

BadNumber read_number(Cursor& c) {
    std::uint32_t begin = c.at;
    if (c.peek() == '0')
        switch (c.peek(1) | 0x20) {
        case 'x': return read_radix(c, "hexadecimal", [](char digit) { return is(digit, Hex); });
        case 'o': return read_radix(c, "octal", [](char digit) { return digit >= '0' && digit <= '7'; });
        case 'b': return read_radix(c, "binary", [](char digit) { return digit == '0' || digit == '1'; });
        default: break;
        }
    if (c.peek() != '.' && !decimal_digits(c))
        return bad("decimal");
    std::string_view whole = c.text.substr(begin, c.at - begin);
    bool is_whole = true;
    if (c.peek() == '.') {
        is_whole = false;
        ++c.at;
        if (is(c.peek(), Digit) && !decimal_digits(c))
            return bad("decimal");
    }
    if (c.peek() == 'e' || c.peek() == 'E') {
        std::uint32_t exponent = c.at++;
        bool has_sign = c.peek() == '+' || c.peek() == '-';
        c.at += has_sign;
        if (is(c.peek(), Digit)) {
            is_whole = false;
            if (!decimal_digits(c))
                return bad("decimal");
        } else if (has_sign) {
            return bad("decimal");
        } else {
            c.at = exponent;
            if (!ends_well(c))
                return bad("decimal");
        }
    }
    if (c.peek() == 'j' || c.peek() == 'J') {
        ++c.at;
        return at_end(c, "imaginary");
    }
    if (is_whole && whole[0] == '0' && whole.find_first_not_of("0_") != whole.npos)
        return std::pair(DiagId::SyntaxLeadingZeros, "");
    return at_end(c, "decimal");
}

class Scanner : Cursor {
public:
    Scanner(std::string_view text, Stretch where, Scanned& out, Faults& faults)
        : Cursor{text, where.begin, where.end}, m_out(out), m_faults(faults) {}

    void run() {
        while (at < end)
            step();
    }

private:
    void emit(Tok kind, std::uint32_t begin) { m_out.tokens.push_back({kind, begin, at}); }

    void step() {
        char c = peek();
        if (is(c, Blank)) {
            ++at;
        } else if (is(c, NameStart)) {
            if (!string_with_prefix())
                name();
        } else if (is(c, Digit) || (c == '.' && is(peek(1), Digit))) {
            number();
        } else if (c == '"' || c == '\'') {
            string(at);
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

    void line_end() {
        std::uint32_t begin = at;
        skip_line_end();
        emit(Tok::LINE_END, begin);
    }

    void comment() {
        std::uint32_t begin = at;
        while (!at_line_end())
            ++at;
        m_out.comments.push_back({begin, at});
    }

    // A backslash joins this line with the next one.
    void continuation() {
        std::uint32_t begin = at++;
        if (at < end && at_line_end()) {
            skip_line_end();
            if (at >= end)
                m_faults.add(DiagId::SyntaxContinuationAtEnd, begin, begin + 1);
            return;
        }
        std::uint32_t after = at;
        skip_while(Blank);
        if (at_line_end() && at < end) {
            m_faults.add(m_faults.make(DiagId::SyntaxBlankAfterContinuation, after, at)
                             .fix(m_faults.span(after, at), "", "remove the blanks"));
            skip_line_end();
            return;
        }
        if (at >= end)
            m_faults.add(DiagId::SyntaxContinuationAtEnd, begin, begin + 1);
        else
            m_faults.add(DiagId::SyntaxAfterContinuation, begin, begin + 1);
    }

    void name() {
        std::uint32_t begin = at;
        name_tail();
        emit(keyword(text.substr(begin, at - begin)), begin);
    }

    void beyond_ascii() {
        Point first = point();
        std::uint32_t begin = at;
        at += first.length;
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
        std::string_view shown = text.substr(begin, at - begin);
        std::string_view plain = lookalike(code);
        bool visible = code > 0x20 && code != 0x7F && plain != " ";
        Diagnostic fault = visible ? m_faults.make(DiagId::SyntaxBadCharacter, begin, at, shown, number)
                                   : m_faults.make(DiagId::SyntaxInvisibleCharacter, begin, at, number);
        if (!plain.empty()) {
            fault.message += plain == " "                    ? "; did you mean a blank?"
                             : plain == "'" || plain == "\"" ? "; did you mean a plain quote?"
                                                             : cat("; did you mean '", plain, "'?");
            std::move(fault).fix(m_faults.span(begin, at), std::string(plain), "replace by plain text");
        }
        // The rest of a line after one bad character is rarely worth a second message: `“a”` has two of them.
        const std::size_t before = text.substr(0, begin).find_last_of("\r\n");
        if (!m_faults.any_in(before == text.npos ? 0 : static_cast<std::uint32_t>(before) + 1, begin))
            m_faults.add(std::move(fault));
        if (code == 0x201C || code == 0x201D || code == 0x2018 || code == 0x2019)
            quoted_by_lookalikes(begin);
    }

    // “text” reads as a string, so that the words in it are no names.
    void quoted_by_lookalikes(std::uint32_t begin) {
        std::uint32_t resume = at;
        while (!at_line_end()) {
            Point next = point();
            at += next.length;
            if (next.code >= 0x2018 && next.code <= 0x201D) {
                emit(Tok::BAD_ATOM, begin);
                return;
            }
        }
        at = resume;
    }

    void number() {
        std::uint32_t begin = at;
        const BadNumber wrong = read_number(*this);
        if (!wrong)
            return emit(Tok::NUMBER, begin);
        while (is(peek(), NameStart | Digit) || static_cast<unsigned char>(peek()) >= 0x80)
            ++at;
        m_faults.add(wrong->first, begin, at, wrong->second, std::string(text.substr(begin, at - begin)));
        emit(Tok::BAD_ATOM, begin);
    }

    // ---- strings ----

    bool string_with_prefix() {
        auto is_quote = [](char c) { return c == '"' || c == '\''; };
        auto lower = [&](std::uint32_t i) { return static_cast<char>(peek(i) | 0x20); };
        auto one_of = [](char c, std::string_view set) { return set.find(c) != std::string_view::npos; };
        if (is_quote(peek(1)) && one_of(lower(0), "rbuf")) {
            string(at + 1);
            return true;
        }
        bool pair = (lower(0) == 'r' && one_of(lower(1), "bf")) || (lower(1) == 'r' && one_of(lower(0), "bf"));
        if (!pair || !is_quote(peek(2)))
            return false;
        string(at + 2);
        return true;
    }

    void string(std::uint32_t quote) {
        std::uint32_t begin = at;
        at = quote;
        char mark = peek();
        bool triple = peek(1) == mark && peek(2) == mark;
        at += triple ? 3 : 1;
        while (at < end) {
            char c = peek();
            if (c == '\\') {
                ++at;
                if (at < end)
                    skip_line_end();
            } else if (c == mark && (!triple || (peek(1) == mark && peek(2) == mark))) {
                at += triple ? 3 : 1;
                return emit(Tok::STRING, begin);
            } else if (!triple && at_line_end()) {
                break;
            } else {
                ++at;
            }
        }
        at = std::min(at, end);
        m_faults.add(triple ? DiagId::SyntaxUnterminatedTriple : DiagId::SyntaxUnterminatedString, begin,
                     quote + (triple ? 3 : 1), std::string(triple ? 3 : 1, mark));
        emit(Tok::BAD_ATOM, begin);
    }

    // ---- operators ----

    // The longest operator that the text begins with. A table says which share their first character.
    void punctuation() {
        std::string_view rest = text.substr(at, std::min<std::size_t>(3, end - at));
        Tok best = Tok::EndOfFile;
        std::size_t length = 0;
        for (Tok kind : operators_by_first()[static_cast<unsigned char>(rest[0])]) {
            std::string_view word = spelling(kind);
            if (word.size() > length && rest.substr(0, word.size()) == word) {
                best = kind;
                length = word.size();
            }
        }
        std::uint32_t begin = at;
        if (length == 0) {
            ++at;
            return bad_punctuation(begin);
        }
        at += static_cast<std::uint32_t>(length);
        emit(best, begin);
    }

    void bad_punctuation(std::uint32_t begin) {
        char c = text[begin];
        if (c == '!')
            m_faults.add(m_faults.make(DiagId::SyntaxNotOperator, begin, at)
                             .fix(m_faults.span(begin, at), "not ", "replace by 'not'"));
        else if (c == '?')
            m_faults.add(DiagId::SyntaxQuestionMark, begin, at);
        else
            bad_character(begin, static_cast<unsigned char>(c));
    }

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
