// SPDX-License-Identifier: Apache-2.0
// What the interpreter's messages say of a plan.
#pragma once

#include "runtime/package/expression_text.h"
#include "runtime/package/plan.h"

namespace hidet::package {

struct SymbolNames {
    const Body& body;
    Text operator[](std::size_t row) const { return body.symbols[row].name; }
};

template <std::size_t Room>
class Words { // text that is made piece by piece
public:
    template <class... Parts>
    void add(const Parts&... parts) {
        TextWriter(m_text + m_size, Room - m_size).add(parts...);
        m_size += std::strlen(m_text + m_size);
    }
    const char* data() const { return m_text; }
    std::size_t size() const { return m_size; }

private:
    char m_text[Room] = "";
    std::size_t m_size = 0;
};

inline Words<400> expression_words(const Body& body, Row row) {
    Words<400> words;
    const SymbolNames names{body};
    ExprPrinter(body.expressions, names, words).print(row);
    return words;
}

inline Words<400> shape_words(const Body& body, const List<Row>& shape) { // "[n, 2]"
    Words<400> words;
    const SymbolNames names{body};
    words.add("[");
    for (std::size_t d = 0; d < shape.size(); ++d) {
        words.add(d ? ", " : "");
        ExprPrinter(body.expressions, names, words).print(shape[d]);
    }
    words.add("]");
    return words;
}

inline Words<400> extents_words(const std::int64_t* extents, std::size_t rank) {
    Words<400> words;
    words.add("[");
    for (std::size_t d = 0; d < rank; ++d)
        words.add(d ? ", " : "", extents[d]);
    words.add("]");
    return words;
}

inline Words<400> extents_words(const List<ExprValue>& expressions, const List<Row>& shape) {
    Words<400> words;
    words.add("[");
    for (std::size_t d = 0; d < shape.size(); ++d) {
        words.add(d ? ", " : "");
        expressions[shape[d]].is_known ? words.add(expressions[shape[d]].value) : words.add("?");
    }
    words.add("]");
    return words;
}

} // namespace hidet::package
