// SPDX-License-Identifier: Apache-2.0
#include "lang/base/generated_text.h"

#include "lang/base/ascii.h"

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

} // namespace hidet
