// SPDX-License-Identifier: Apache-2.0
#include "lang/base/generated_text.h"

#include <algorithm>

#include "lang/base/ascii.h"
#include "lang/base/print_format.h"

namespace hidet {

std::string identifier_of(std::string_view text) {
    constexpr std::size_t longest = 128;
    const bool is_bare = text.empty() || is_digit(text.front());
    std::string out = is_bare ? "_" : "";
    for (char c : text.substr(0, longest - out.size()))
        out += is_word(c) ? c : '_';
    return out;
}

std::string c_string(std::string_view text) {
    static constexpr char digits[] = "01234567";
    std::string out = "\"";
    char before = 0;
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (byte < 0x20 || byte == 0x7f || (c == '?' && before == '?')) // no trigraphs
            (((out += '\\') += digits[byte >> 6]) += digits[byte >> 3 & 7]) += digits[byte & 7];
        else
            out += c;
        before = c;
    }
    return out + '"';
}

std::string comment_text(std::string_view text) {
    std::string out;
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool ends_comment = c == '/' && out.ends_with('*');
        const bool ends_markup = c == '>' && out.ends_with("--");
        const bool ends_trigraph = (c == '/' || c == '=') && out.ends_with("?\?");
        const bool is_apart = ends_comment || ends_markup || ends_trigraph;
        out += byte < 0x20 || byte == 0x7f ? " " : is_apart ? std::string{' ', c} : std::string{c};
    }
    for (;;) { // a backslash at the end goes on in the next line
        const std::size_t last = out.find_last_not_of(' ');
        out.resize(last == std::string::npos ? 0 : last + 1);
        if (!out.ends_with('\\'))
            return out;
        out.pop_back();
    }
}

// ---- formats of printf() (print_format.h) ------------------------------------------------------------------------------

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class ConversionReader {
public:
    ConversionReader(std::string_view format, std::size_t begin) : m_format(format), m_at(begin + 1) {
        m_out.begin = begin;
    }

    PrintConversion read() {
        m_out.flags = take("-+ #0");
        m_out.width = number();
        if (has('.')) {
            ++m_at;
            m_out.precision = "." + number();
        }
        take("hlLzjtq");
        if (m_at < m_format.size() && is_letter(m_format[m_at]))
            m_out.letter = m_format[m_at++];
        m_out.end = m_at;
        return m_out;
    }

private:
    std::string_view m_format;
    std::size_t m_at;
    PrintConversion m_out;

    bool has(char c) const { return m_at < m_format.size() && m_format[m_at] == c; }
    std::string take(std::string_view characters) {
        const std::size_t begin = m_at;
        m_at = std::min(m_format.find_first_not_of(characters, begin), m_format.size());
        return std::string(m_format.substr(begin, m_at - begin));
    }
    std::string number() {
        if (!has('*'))
            return take("0123456789");
        ++m_at;
        return "*";
    }
};

} // namespace

std::size_t PrintConversion::stars() const {
    return static_cast<std::size_t>(width == "*") + static_cast<std::size_t>(precision == ".*");
}

std::vector<PrintConversion> print_conversions(std::string_view format) {
    std::vector<PrintConversion> out;
    for (std::size_t at = format.find('%'); at < format.size();) {
        const bool is_percent = at + 1 < format.size() && format[at + 1] == '%';
        if (!is_percent)
            out.push_back(ConversionReader(format, at).read());
        at = format.find('%', is_percent ? at + 2 : out.back().end);
    }
    return out;
}

int print_number(std::string_view digits) {
    int value = 0;
    for (char c : digits)
        value = std::min(value * 10 + (c - '0'), widest_print + 1);
    return value;
}

} // namespace hidet
