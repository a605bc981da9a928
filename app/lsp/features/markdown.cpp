// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/features/markdown.h"

#include "lang/base/text.h"

namespace hidet::lsp {

namespace {

// "[words](address)" at a place; empty: it is none, or leads out of the manual.
std::string words_of_link(const std::string& text, std::size_t at, std::size_t& end) {
    std::size_t middle = text.find("](", at);
    std::size_t line = text.find('\n', at);
    if (middle == std::string::npos || middle > line)
        return "";
    end = text.find(')', middle);
    if (end == std::string::npos || text.find("://", middle) < end)
        return "";
    ++end;
    return text.substr(at + 1, middle - at - 1);
}

std::string without_links(const std::string& text) {
    std::string out;
    bool is_code = false; // a block of it
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool begins_line = i == 0 || text[i - 1] == '\n';
        if (begins_line && text.compare(i, 3, "```") == 0)
            is_code = !is_code;
        std::size_t end = 0;
        std::string words = !is_code && text[i] == '[' ? words_of_link(text, i, end) : "";
        if (words.empty()) {
            out += text[i];
            continue;
        }
        out += words;
        i = end - 1;
    }
    return out;
}

} // namespace

std::string shortened_section(const std::string& section, std::size_t most_bytes) {
    std::string text = without_links(section);
    if (text.size() <= most_bytes)
        return text;
    std::string out;
    bool is_code = false;
    for (const std::string& line : split(text, '\n')) {
        bool is_full = line.empty() && !is_code && out.size() + 1 >= most_bytes / 2;
        if (is_full || out.size() + line.size() > most_bytes)
            break;
        if (line.starts_with("```"))
            is_code = !is_code;
        out += line + "\n";
    }
    return out + (is_code ? "```\n" : "") + "\n...\n";
}

} // namespace hidet::lsp
