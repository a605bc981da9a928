// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/ptx_text.h"

#include <algorithm>
#include <cctype>

#include "lang/base/text.h"
#include "runtime/toolchain/nvrtc.h"

namespace hidet::toolchain {

namespace {

constexpr std::int64_t most_parameter_bytes = 1 << 20;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}

// Where a comment or a string that begins here ends; where it is, if none does.
std::size_t behind_text(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at);
    const auto end_of = [&](std::string_view mark, std::size_t from) {
        const std::size_t found = text.find(mark, from);
        return found == std::string_view::npos ? text.size() : found + mark.size();
    };
    if (rest.starts_with("//")) // the end of its line is not part of it
        return std::min(text.find('\n', at), text.size());
    if (rest.starts_with("/*"))
        return end_of("*/", at + 2);
    return rest.starts_with("\"") ? end_of("\"", at + 1) : at;
}

// The words and single signs of a text, without comments and strings.
class PtxWords {
public:
    explicit PtxWords(std::string_view text) : m_text(text) { next(); }
    std::string_view word() const { return m_word; } // empty: the text has ended
    void next() {
        while (m_at < m_text.size()) {
            if (const std::size_t behind = behind_text(m_text, m_at); behind > m_at)
                m_at = behind;
            else if (std::isspace(static_cast<unsigned char>(m_text[m_at])))
                ++m_at;
            else
                break;
        }
        std::size_t end = m_at;
        while (end < m_text.size() && is_word(m_text[end]))
            ++end;
        m_word = m_text.substr(m_at, std::max(end, m_at + 1) - m_at);
        m_at += m_word.size();
    }
    bool take(std::string_view word) {
        if (m_word != word)
            return false;
        next();
        return true;
    }

private:
    std::string_view m_text;
    std::string_view m_word;
    std::size_t m_at = 0;
};

std::int64_t number_of(std::string_view digits) {
    std::int64_t value = 0;
    for (const char c : digits)
        if (!std::isdigit(static_cast<unsigned char>(c)) || (value = value * 10 + (c - '0')) > most_parameter_bytes)
            return 0;
    return value;
}

// Of ".u64", ".b8", ".f16x2"; 0: the word is no type.
std::int64_t bytes_of_type(std::string_view word) {
    if (word == ".texref" || word == ".samplerref" || word == ".surfref")
        return 8;
    if (word.size() < 3 || std::string_view("usbf").find(word[1]) == std::string_view::npos)
        return 0;
    const std::size_t lanes = word.find('x');
    const std::int64_t bits = number_of(word.substr(2, lanes == std::string_view::npos ? lanes : lanes - 2));
    return bits / 8 *
           (lanes == std::string_view::npos ? 1 : std::max<std::int64_t>(1, number_of(word.substr(lanes + 1))));
}

// From behind the word ".param" to the comma or the parenthesis behind its name.
std::int64_t read_parameter(PtxWords& words) {
    std::int64_t bytes = 0;
    for (; !words.word().empty() && words.word() != "," && words.word() != ")"; words.next())
        if (const std::int64_t size = bytes_of_type(words.word()))
            bytes = size;
        else if (words.word() == "[") {
            words.next();
            bytes = std::min(bytes * number_of(words.word()), most_parameter_bytes);
        }
    return bytes;
}

PtxEntry read_entry(PtxWords& words) {
    PtxEntry entry;
    entry.name = words.word();
    words.next();
    if (!words.take("("))
        return entry;
    while (!words.word().empty() && !words.take(")"))
        if (words.take(".param"))
            entry.parameter_bytes.push_back(read_parameter(words));
        else
            words.next();
    return entry;
}

class PlaceWriter {
public:
    explicit PlaceWriter(std::string_view text) : m_text(text) {}
    std::string written() {
        while (m_at < m_text.size())
            step();
        if (m_out.empty() || m_out.back() != '\n')
            m_out.push_back('\n');
        return m_out + cat(".file 1 \"", program_name, "\"\n");
    }

private:
    void step() {
        if (const std::size_t behind = behind_text(m_text, m_at); behind > m_at)
            return copy(behind - m_at);
        const char c = m_text[m_at];
        if (std::isspace(static_cast<unsigned char>(c)))
            return copy(1);
        if (m_begins)
            return begin();
        if (c == '{' && is_body())
            return open();
        m_in_operand += c == '{' ? 1 : c == '}' ? -1 : 0;
        m_has_value = m_has_value || c == '=';
        m_begins = c == ';' && m_in_operand <= 0;
        m_has_value = m_has_value && !m_begins;
        copy(1);
    }

    // Of a function, or of a section; not of an operand or of the values of a variable.
    bool is_body() const { return m_depth == 0 && !m_has_value; }
    void open() {
        ++m_depth;
        m_begins = true;
        m_in_operand = 0;
        copy(1);
    }

    // The first sign of a statement, a directive, a label or a block.
    void begin() {
        const char c = m_text[m_at];
        const std::size_t word = word_end() - m_at;
        const std::string_view name = m_text.substr(m_at, word);
        if (c == '{')
            return open();
        if (c == '}' || c == ';') {
            m_depth -= c == '}' && m_depth > 0 ? 1 : 0;
            return copy(1);
        }
        if (name == ".loc" || name == ".file") { // to the end of its line
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
            return;
        }
        if (is_line_directive(name))
            return copy(std::min(m_text.find('\n', m_at), m_text.size()) - m_at);
        if (is_label(m_at + word))
            return copy(m_text.find(':', m_at) + 1 - m_at);
        if (m_depth > 0 && c != '.')
            m_out += cat(".loc 1 ", m_line, " 1 ");
        m_begins = false;
        m_in_operand = 0;
        copy(std::max<std::size_t>(word, 1));
    }

    // These end with their line, where others have a semicolon or a body.
    static bool is_line_directive(std::string_view name) {
        return name == ".version" || name == ".target" || name == ".address_size";
    }
    std::size_t word_end() const {
        std::size_t end = m_at;
        while (end < m_text.size() && is_word(m_text[end]))
            ++end;
        return end;
    }
    bool is_label(std::size_t at) const {
        if (at == m_at)
            return false;
        at = std::min(m_text.find_first_not_of(" \t", at), m_text.size());
        return m_text.substr(at).starts_with(":") && !m_text.substr(at).starts_with("::");
    }
    void copy(std::size_t count) {
        const std::string_view part = m_text.substr(m_at, count);
        m_line += static_cast<int>(std::ranges::count(part, '\n'));
        m_out += part;
        m_at += part.size();
    }

    std::string_view m_text;
    std::string m_out;
    std::size_t m_at = 0;
    int m_line = 1;
    int m_depth = 0;
    int m_in_operand = 0; // braces within a statement
    bool m_begins = true; // what comes next is the first sign of a statement
    bool m_has_value = false;
};

} // namespace

std::vector<PtxEntry> entries_of_ptx(std::string_view ptx) {
    std::vector<PtxEntry> entries;
    for (PtxWords words(ptx); !words.word().empty();)
        if (words.take(".entry"))
            entries.push_back(read_entry(words));
        else
            words.next();
    return entries;
}

std::string target_of_ptx(std::string_view ptx) {
    for (PtxWords words(ptx); !words.word().empty(); words.next())
        if (words.take(".target"))
            return std::string(words.word());
    return {};
}

std::string with_own_lines(std::string_view ptx) {
    return PlaceWriter(ptx).written();
}

} // namespace hidet::toolchain
