// SPDX-License-Identifier: Apache-2.0
// A reader of tokens that agrees with every compiler on where comments, literals and directives begin and end. Where compilers
// differ (trigraphs, blanks behind a backslash, a lone carriage return) the text is refused, so that nothing hides there.
#include "app/session/work/checked_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "lang/base/ascii.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr std::size_t most_text_bytes = std::size_t{8} << 20;
constexpr int most_nesting = 256;           // of parentheses, brackets, braces, and of signs before a value
constexpr int most_tokens = 8'000;          // of one statement, or of one item of a list
constexpr int most_branches = 1'000;        // "else if"
constexpr double most_elements = 1 << 28;   // of an array with values
constexpr double most_elements_empty = 4e9; // of one without

constexpr std::string_view headers[] = {
#define HIDET_CUDA_HEADER(name) name,
#include "app/session/work/cuda_headers.def"
};
constexpr std::string_view directives[] = {"include", "define", "undef", "if",    "ifdef",  "ifndef",
                                           "elif",    "else",   "endif", "error", "pragma", "warning"};
constexpr std::string_view pragmas[] = {
    "unroll", "nounroll", "once", "diag_suppress", "nv_diag_suppress", "nv_diag_default", "nv_exec_check_disable"};
// No type stands before a name that follows one of these.
constexpr std::string_view plain_words[] = {"return", "else", "do", "case", "goto", "throw", "sizeof", "new", "delete"};
// Words that reach files, or compilers by another door.
constexpr std::string_view refused_words[] = {"_Pragma",     "__pragma",         "__has_include", "__has_include_next",
                                              "__has_embed", "__include_level__"};
constexpr std::string_view refused_assembly[] = {".include", ".incbin", "#include"};

bool is_header(std::string_view name) {
    if (name.find("..") != std::string_view::npos || name.find("//") != std::string_view::npos)
        return false;
    return std::ranges::any_of(headers, [&](std::string_view known) {
        return known.ends_with('/') ? name.starts_with(known) && name.size() > known.size() : name == known;
    });
}

std::vector<std::string> header_names() {
    return transformed(headers, [](std::string_view name) { return cat(name, name.ends_with('/') ? "..." : ""); });
}

template <class T>
bool is_one_of(const T& words, std::string_view word) {
    return std::ranges::find(words, word) != std::end(words);
}

// What stands between brackets: numbers, '*', '<<' and '+'.
struct Extent {
    double value = 0;
    int shift = 0; // marks of "<<" that were read
    char operation = '+';

    void add(const std::string& text) {
        const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
        std::uint64_t number = 0;
        const char* begin = text.data() + (is_hex ? 2 : 0);
        const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number, is_hex ? 16 : 10);
        const double read = error == std::errc::result_out_of_range ? 1e30 : static_cast<double>(number);
        value = shift == 2         ? std::ldexp(value, static_cast<int>(std::min(read, 200.0)))
                : operation == '*' ? value * read
                                   : value + read;
        shift = 0;
        operation = '+';
    }
    void operate(char c) {
        shift = c == '<' ? shift + 1 : shift;
        if (c == '*')
            operation = c;
    }
};

// Characters, with lines that are joined by a backslash.
class CharacterReader {
protected:
    CharacterReader(std::string_view text, Form form) : m_text(text), m_form(form) {}

    bool is_end() {
        skip_splices();
        return m_at >= m_text.size();
    }
    char peek() { return is_end() ? '\0' : m_text[m_at]; }
    char take() {
        const char c = peek();
        m_line += c == '\n';
        ++m_at;
        return c;
    }
    bool take_if(char c) {
        const bool is_next = peek() == c;
        if (is_next)
            take();
        return is_next;
    }
    // "/*" and "//" are two characters that a splice may stand between.
    bool take_pair(char first, char second) {
        const std::size_t at = m_at;
        const int line = m_line;
        if (take_if(first) && take_if(second))
            return true;
        m_at = at;
        m_line = line;
        return false;
    }

    const std::string_view m_text;
    const Form m_form;
    std::size_t m_at = 0;
    int m_line = 1;

private:
    std::size_t splice_at(std::size_t at) const {
        if (m_form == Form::Ptx || at >= m_text.size() || m_text[at] != '\\')
            return 0;
        if (m_text.substr(at + 1).starts_with('\n'))
            return 2;
        return m_text.substr(at + 1).starts_with("\r\n") ? 3 : 0;
    }
    void skip_splices() {
        for (std::size_t length = splice_at(m_at); length > 0; length = splice_at(m_at)) {
            m_at += length;
            ++m_line;
        }
    }
};

class TextReader : CharacterReader {
public:
    TextReader(std::string_view text, Form form) : CharacterReader(text, form) {}

    std::optional<TextRefusal> run() {
        try {
            check_bytes();
            while (next_token()) {
            }
        } catch (TextRefusal& refusal) {
            return std::move(refusal);
        }
        return std::nullopt;
    }
    bool includes = false;

private:
    [[noreturn]] void refuse(std::string message) const { throw TextRefusal{m_line, std::move(message)}; }

    // ---- bytes ----

    void check_bytes() {
        if (m_text.size() > most_text_bytes)
            refuse(cat("the text has more than ", most_text_bytes >> 20, " MiB"));
        int line = 1;
        for (std::size_t i = 0; i < m_text.size(); ++i) {
            const char next = i + 1 < m_text.size() ? m_text[i + 1] : '\n';
            m_line = line;
            if (m_text[i] == '\n')
                ++line;
            else if (m_text[i] == '\0')
                refuse("the text has a zero byte");
            else if (m_text[i] == '\r' && next != '\n')
                refuse("a carriage return without a line feed ends the line for some compilers only");
            else if (m_text[i] == '\\' && (next == ' ' || next == '\t' || next == '\v' || next == '\f'))
                check_backslash(i + 1);
            else if (m_text.substr(i).starts_with("?\?/") || m_text.substr(i).starts_with("?\?="))
                refuse("trigraphs are not taken; write the character itself");
        }
        m_line = 1;
    }
    void check_backslash(std::size_t at) const {
        const std::size_t end = m_text.find_first_not_of(" \t\v\f\r", at);
        if (end == std::string_view::npos || m_text[end] == '\n')
            refuse("blanks behind a backslash at the end of a line are read in two ways");
    }

    // Blanks and comments; of a directive, up to the end of its line.
    void skip_blanks(bool stays_in_line) {
        for (;;) {
            const char c = peek();
            if (c == '\n' && stays_in_line)
                return;
            if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\n') {
                m_at_line_start = m_at_line_start || c == '\n';
                take();
            } else if (take_pair('/', '*')) {
                while (!is_end() && !take_pair('*', '/'))
                    take();
            } else if (take_pair('/', '/')) {
                while (!is_end() && peek() != '\n')
                    take();
            } else {
                return;
            }
        }
    }

    // ---- tokens ----

    bool next_token() {
        skip_blanks(false);
        if (is_end())
            return false;
        const bool is_first = std::exchange(m_at_line_start, false);
        if (is_first && (take_if('#') || (m_form == Form::Cuda && take_pair('%', ':')))) {
            directive();
            return true;
        }
        const char c = peek();
        if (is_word(c) && !is_digit(c))
            word();
        else if (is_digit(c))
            number();
        else if (c == '"' || c == '\'')
            literal();
        else
            mark(take());
        if (++m_tokens > most_tokens)
            refuse("a statement is longer than compilers can take");
        return true;
    }

    std::string taken_word() {
        std::string out;
        while (is_name_byte(peek()) || peek() == '$')
            out += take();
        return out;
    }

    void word() {
        const std::string text = taken_word();
        if (m_form == Form::Cuda && is_one_of(refused_words, text))
            refuse(cat("'", text, "' is not taken"));
        if (peek() == '"' && (text == "R" || text == "u8R" || text == "uR" || text == "UR" || text == "LR"))
            return raw_literal();
        count_branch(text == "else");
        m_words = is_one_of(plain_words, text) ? 0 : m_words + 1;
        m_signs = 0;
    }
    // Of a chain "if {} else if {} ...", which ends where a statement of its own follows.
    void count_branch(bool is_else) {
        int& branches = m_branches[static_cast<std::size_t>(m_nesting)];
        if (!is_else && m_is_behind_statement)
            branches = 0;
        if (is_else && ++branches > most_branches)
            refuse(cat("a chain of more than ", most_branches, " branches is more than compilers can take"));
        m_is_behind_statement = false;
    }

    // With the signs of exponents, and the quotes between digits.
    void number() {
        std::string text;
        for (;;) {
            const char c = peek();
            const char last = text.empty() ? ' ' : to_lower(text.back());
            const bool is_sign = (c == '+' || c == '-') && (last == 'e' || last == 'p') && !text.starts_with("0x");
            const bool is_quote =
                c == '\'' && m_form == Form::Cuda && m_at + 1 < m_text.size() && is_word(m_text[m_at + 1]);
            if (!is_word(c) && c != '.' && !is_sign && !is_quote)
                break;
            const char taken = take();
            if (!is_quote)
                text += taken;
        }
        m_signs = m_words = 0;
        if (m_extent)
            m_extent->add(text);
    }

    void literal() {
        const char quote = take();
        std::string text;
        while (!is_end() && peek() != quote && peek() != '\n') {
            const bool is_escape = m_form == Form::Cuda && peek() == '\\';
            text += take();
            if (is_escape && !is_end())
                text += take();
        }
        if (!take_if(quote))
            refuse("a literal does not end in its line");
        check_assembly(text);
        m_signs = m_words = 0;
    }
    // Splices are none within it.
    void raw_literal() {
        take();
        const std::size_t open = m_text.find('(', m_at);
        if (open == std::string_view::npos || open - m_at > 16)
            refuse("a raw literal does not begin");
        const std::string end = cat(")", m_text.substr(m_at, open - m_at), "\"");
        const std::size_t close = m_text.find(end, open);
        if (close == std::string_view::npos)
            refuse("a raw literal does not end");
        const std::string_view text = m_text.substr(open, close - open);
        check_assembly(text);
        m_line += static_cast<int>(std::ranges::count(text, '\n'));
        m_at = close + end.size();
    }
    void check_assembly(std::string_view text) const {
        for (std::string_view word : refused_assembly)
            if (text.find(word) != std::string_view::npos)
                refuse(cat("'", word, "' within assembly is not taken"));
    }

    void mark(char c) {
        switch (c) {
        case '(':
            nest();
            ++m_parens;
            break;
        case '{': nest(); break;
        case '[':
            nest();
            if (m_words >= 2 || m_wanted > 0) // a type and a name, or the next extent of one
                m_extent = Extent();
            break;
        case ']':
            if (m_extent)
                m_wanted = std::max(m_wanted, 1.0) * m_extent->value;
            m_extent.reset();
            [[fallthrough]];
        case '}': m_nesting = std::max(m_nesting - 1, 0); break;
        case ')':
            m_nesting = std::max(m_nesting - 1, 0);
            m_parens = std::max(m_parens - 1, 0);
            break;
        case '*':
        case '+':
        case '-':
        case '!':
        case '~':
        case '&': count(m_signs); break;
        case '?': count(m_choices); break;
        case '.':
            if (m_form == Form::Ptx)
                return check_ptx_directive();
            break;
        default: break;
        }
        if (m_extent)
            m_extent->operate(c);
        m_is_behind_statement = c == ';' || c == '}';
        m_words = 0;
        end_statement(c);
    }
    void nest() {
        if (++m_nesting > most_nesting)
            refuse(cat("parentheses are nested more than ", most_nesting, " deep"));
    }
    void count(int& signs) const {
        if (++signs > most_nesting)
            refuse(cat("more than ", most_nesting, " operators in a row are more than compilers can take"));
    }
    // The extents of one declarator in a row are those of one array.
    void end_statement(char c) {
        const bool ends = c == ';' || c == '{' || c == '}' || c == ',' || c == '=' || c == '(' || c == ')';
        if (!ends)
            return;
        const double most = c == '=' || c == '{' ? most_elements : most_elements_empty;
        if (m_wanted > most)
            refuse(cat("an array ", most == most_elements ? "with values has more than " : "has more than ",
                       static_cast<std::int64_t>(most), " elements"));
        m_wanted = 0;
        if (c == '{' || c == '}')
            m_parens = 0;
        const bool is_part = c == '(' || c == ')' || c == '=' || (c == ';' && m_parens > 0); // "for (;;)"
        if (!is_part)
            m_tokens = m_choices = 0;
    }
    void check_ptx_directive() {
        const std::string name = taken_word();
        if (name == "include" || name == "incbin")
            refuse(cat("'.", name, "' is not taken"));
        m_words = 1;
    }

    // ---- directives ----

    void directive() {
        skip_blanks(true);
        const std::string name = taken_word();
        if (m_form == Form::Ptx)
            refuse("PTX takes no directives of a preprocessor");
        if (name.empty() && (peek() == '\n' || is_end()))
            return;
        if (!is_one_of(directives, name))
            refuse(name.empty() ? "a line that begins with '#' is no directive" : cat("'#", name, "' is not taken"));
        if (name == "include")
            include();
        if (name == "pragma")
            pragma();
        m_conditions += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
        if (m_conditions > most_nesting)
            refuse(cat("conditions are nested more than ", most_nesting, " deep"));
        if (name == "error" || name == "warning")
            while (!is_end() && peek() != '\n')
                take();
        m_tokens = 0;
    }
    void include() {
        skip_blanks(true);
        const char open = peek();
        if (open != '<' && open != '"')
            refuse("'#include' names its header, in \"\" or <>");
        take();
        std::string name;
        while (!is_end() && peek() != '\n' && peek() != (open == '<' ? '>' : '"'))
            name += take();
        if (!is_header(name))
            refuse(cat(quote(name), " is none of the headers that may be included: ", join(header_names(), ", ")));
        take();
        includes = true;
    }
    void pragma() {
        skip_blanks(true);
        const std::string name = taken_word();
        if (!is_one_of(pragmas, name))
            refuse(cat("'#pragma ", name, "' is not taken"));
    }
    bool m_at_line_start = true;
    int m_nesting = 0, m_parens = 0, m_conditions = 0, m_tokens = 0;
    int m_signs = 0, m_choices = 0; // in a row, in a statement
    int m_words = 0;                // in a row
    bool m_is_behind_statement = false;
    std::array<int, most_nesting + 1> m_branches{}; // by nesting
    std::optional<Extent> m_extent;
    double m_wanted = 0; // elements of the array that is being declared
};

} // namespace

std::optional<TextRefusal> refusal_of(std::string_view text, Form form) {
    return TextReader(text, form).run();
}

bool has_includes(std::string_view cuda) {
    TextReader reader(cuda, Form::Cuda);
    (void)reader.run();
    return reader.includes;
}

} // namespace hidet::session
