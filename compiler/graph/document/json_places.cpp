// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/document/json_places.h"

namespace hidet::graph {

namespace {

class Scanner {
public:
    explicit Scanner(std::string_view text) : m_text(text) {}

    // Stands before the value that the path leads to; false: it leads nowhere.
    bool enter(const std::vector<JsonStep>& path) {
        for (const JsonStep& step : path)
            if (!std::visit([&](const auto& each) { return enter(each); }, step))
                return false;
        return true;
    }
    TextRange value() {
        skip_blank();
        const std::size_t begin = m_at;
        skip_value();
        return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(m_at)};
    }

private:
    char next() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    void skip_blank() {
        while (m_at < m_text.size() && std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }
    bool take(char c) {
        skip_blank();
        if (next() != c)
            return false;
        ++m_at;
        return true;
    }
    std::string_view take_string() { // as it is written
        skip_blank();
        const std::size_t begin = ++m_at;
        while (m_at < m_text.size() && m_text[m_at] != '"')
            m_at += m_text[m_at] == '\\' ? 2 : 1;
        const std::string_view inside = m_text.substr(begin, m_at - begin);
        ++m_at;
        return inside;
    }
    void skip_value() {
        skip_blank();
        int depth = 0;
        do {
            const char c = next();
            if (c == '"') {
                take_string();
                continue;
            }
            depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            if (depth < 0 || (depth == 0 && c == ','))
                return; // the end of what holds a number or a word
            ++m_at;
        } while (m_at < m_text.size() && (depth > 0 || is_in_word()));
    }
    // A number or a word goes on until something else follows; a text or a closed bracket is done.
    bool is_in_word() const {
        const char last = m_text[m_at - 1];
        return last != '"' && last != '}' && last != ']' &&
               std::string_view(" \t\r\n,]}").find(next()) == std::string_view::npos;
    }

    bool enter(const std::string& member) {
        if (!take('{'))
            return false;
        while (m_at < m_text.size() && !take('}')) {
            skip_blank();
            const bool is_it = take_string() == member;
            take(':');
            if (is_it)
                return true;
            skip_value();
            take(',');
        }
        return false;
    }
    bool enter(std::size_t element) {
        if (!take('['))
            return false;
        while (m_at < m_text.size() && !take(']')) {
            if (element-- == 0)
                return true;
            skip_value();
            take(',');
        }
        return false;
    }

    const std::string_view m_text;
    std::size_t m_at = 0;
};

} // namespace

std::optional<TextRange> place_in_json(std::string_view text, const std::vector<JsonStep>& path) {
    Scanner scanner(text);
    if (!scanner.enter(path))
        return std::nullopt;
    return scanner.value();
}

} // namespace hidet::graph
