// SPDX-License-Identifier: Apache-2.0
#include "lang/service/snippets.h"

#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

enum class Where { Host, Kernel, Anywhere };

Snippet snippet(const char* name, const char* what, Where where, const char* text) {
    return {name, what, where == Where::Kernel, where == Where::Anywhere, text};
}

} // namespace

const std::vector<Snippet>& all_snippets() {
    static const std::vector<Snippet> all = {
#define HIDET_SNIPPET(name, what, where, text) snippet(name, what, Where::where, text),
#include "lang/service/snippets.def"
    };
    return all;
}

std::string snippet_text(const Snippet& snippet, const Document& document, std::uint32_t offset) {
    const std::string_view text = document.text();
    const std::string indent(blanks_at(text, start_of_line(text, offset)));
    const std::string line_end(line_end_of(text));
    std::string out;
    std::string_view source = snippet.text;
    while (source.ends_with('\n'))
        source.remove_suffix(1); // the caret is in a line that has an end
    for (char c : source)
        out += c == '\n' ? line_end + indent : std::string(1, c);
    return out;
}

} // namespace hidet::lang::service
