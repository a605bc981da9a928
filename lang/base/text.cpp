// SPDX-License-Identifier: Apache-2.0
#include "lang/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "lang/base/text_hash.h"

namespace hidet {

TextPart::TextPart(const char* text) : TextPart(std::string_view(text)) {}
TextPart::TextPart(char c) : m_data(m_buffer), m_size(1) {
    m_buffer[0] = c;
}
TextPart::TextPart(long long value)
    : m_data(m_buffer),
      m_size(static_cast<std::size_t>(std::to_chars(m_buffer, m_buffer + sizeof m_buffer, value).ptr - m_buffer)) {}
TextPart::TextPart(unsigned long long value)
    : m_data(m_buffer),
      m_size(static_cast<std::size_t>(std::to_chars(m_buffer, m_buffer + sizeof m_buffer, value).ptr - m_buffer)) {}
TextPart::TextPart(double value)
    : m_data(m_buffer), m_size(static_cast<std::size_t>(std::snprintf(m_buffer, sizeof m_buffer, "%g", value))) {}

std::string concatenated(std::initializer_list<TextPart> parts) {
    std::size_t size = 0;
    for (const TextPart& part : parts)
        size += part.text().size();
    std::string out;
    out.reserve(size);
    for (const TextPart& part : parts)
        out += part.text();
    return out;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\n\r\f\v";
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0)
            out += separator;
        out += parts[i];
    }
    return out;
}

std::string substitute(std::string_view format, const std::vector<std::string>& args) {
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format.substr(i, 2) == "{}") {
            out += next < args.size() ? args[next] : "?";
            ++next;
            ++i;
        } else {
            out += format[i];
        }
    }
    return out;
}

static std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

// "cnt" for "count": the letters in order, from the same first letter.
static bool abbreviates(std::string_view word, std::string_view candidate) {
    if (word.size() < 3 || candidate.empty() || word[0] != candidate[0])
        return false;
    std::size_t next = 0;
    for (char c : candidate)
        next += next < word.size() && word[next] == c ? 1 : 0;
    return next == word.size();
}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
    if (word.size() < 2 || word.size() > 64)
        return "";
    // Doubled, so that a shared first letter can break ties between equal distances.
    std::size_t best_score = 2 * std::max<std::size_t>(1, word.size() / 3) + 1;
    std::string best;
    for (const std::string& candidate : candidates) {
        if (candidate == word || candidate.empty() || candidate.size() > 64)
            continue;
        std::size_t distance = abbreviates(word, candidate) ? 1 : edit_distance(word, candidate);
        bool nothing_shared = distance >= std::max(word.size(), candidate.size());
        std::size_t score = 2 * distance + (candidate[0] == word[0] ? 0 : 1);
        if (nothing_shared || score > best_score || (score == best_score && !best.empty() && candidate >= best))
            continue;
        best = candidate;
        best_score = score;
    }
    return best;
}

std::string in_brief(std::string text, std::size_t longest) {
    if (text.size() <= longest)
        return text;
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const auto characters = std::ranges::count_if(text, begins);
    std::size_t end = std::min<std::size_t>(longest, 240);
    while (end > 0 && !begins(text[end]))
        --end;
    text.resize(end);
    return cat(text, "... (", characters, " characters)");
}

std::string quote(std::string_view text) {
    bool use_double = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
    char mark = use_double ? '"' : '\'';
    std::string out(1, mark);
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (c == mark || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c == '\r')
            out += "\\r";
        else if (byte < 0x20 || byte == 0x7F)
            (out += "\\x") += hex_digits(byte, 2);
        else
            out += c;
    }
    return out += mark;
}

template <class T>
static std::string shortest_of(T value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string out(buffer, end);
    if (out.find_first_of(".e") == std::string::npos)
        out += ".0";
    return out;
}

std::string shortest(double value) {
    return shortest_of(value);
}

std::string shortest_float(float value) {
    return shortest_of(value);
}

std::size_t first_invalid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        auto byte = static_cast<unsigned char>(text[i]);
        std::size_t length = byte < 0x80                   ? 1
                             : byte >= 0xC2 && byte < 0xE0 ? 2
                             : byte >= 0xE0 && byte < 0xF0 ? 3
                             : byte >= 0xF0 && byte < 0xF5 ? 4
                                                           : 0;
        if (length == 0 || i + length > text.size())
            return i;
        std::uint32_t code = length == 1 ? byte : byte & (0x7Fu >> length);
        for (std::size_t k = 1; k < length; ++k) {
            auto next = static_cast<unsigned char>(text[i + k]);
            if ((next & 0xC0) != 0x80)
                return i;
            code = code << 6 | (next & 0x3Fu);
        }
        bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
        if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
            return i;
        i += length;
    }
    return std::string_view::npos;
}

bool is_valid_utf8(std::string_view text) {
    return first_invalid_utf8(text) == std::string_view::npos;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        std::size_t end = text.find(separator, begin);
        parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
        if (end == std::string_view::npos)
            return parts;
        begin = end + 1;
    }
}

} // namespace hidet
