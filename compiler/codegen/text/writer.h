// SPDX-License-Identifier: Apache-2.0
// Text under construction: bytes, indentation, and the origin of each token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/artifact/source.h"
#include "lang/base/generated_text.h"

namespace hidet::compiler::text {

class Writer {
public:
    // Appends text that may be several tokens; each of them has the current origin.
    void put(std::string_view text);
    // Appends text that is one token: a literal, a comment.
    void token(std::string_view text);
    void layout(std::string_view text) { m_text += text; } // no tokens
    void begin_line() { m_text.append(static_cast<std::size_t>(m_indent) * 4, ' '); }
    void end_line() { m_text += '\n'; }
    void indent() { ++m_indent; }
    void dedent() { --m_indent; }
    std::size_t column() const; // of what is written next, from 0

    // What is written while it lives has this origin, unless that is unknown.
    class At {
    public:
        At(Writer& writer, Origin origin) : m_writer(writer), m_outer(writer.m_origin) {
            if (origin.known())
                writer.m_origin = origin;
        }
        ~At() { m_writer.m_origin = m_outer; }
        At(const At&) = delete;

    private:
        Writer& m_writer;
        Origin m_outer;
    };

    Origin origin() const { return m_origin; }
    const std::string& text() const { return m_text; }
    const std::vector<TokenOrigin>& tokens() const { return m_tokens; }
    // Appends all that another writer holds.
    void append(const Writer& other);

private:
    void add_token(std::size_t begin, std::size_t end);

    std::string m_text;
    std::vector<TokenOrigin> m_tokens;
    Origin m_origin;
    int m_indent = 0;
};

} // namespace hidet::compiler::text
