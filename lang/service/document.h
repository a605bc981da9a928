// SPDX-License-Identifier: Apache-2.0
// What analyse() keeps of a text. Only lang/service looks inside.
#pragma once

#include <string>

#include "lang/ast/ast.h"
#include "lang/base/source.h"
#include "lang/service/service.h"

namespace hidet::lang::service {

class Document {
public:
    std::string text;
    SourceMap sources; // the text with its calls, and the siblings it imports
    ast::Module tree;
    bool is_readable = true;

    std::uint32_t clamp(std::uint32_t offset) const {
        return offset < text.size() ? offset : static_cast<std::uint32_t>(text.size());
    }
};

// Runs a question. Whatever it throws is our bug, and costs the answer alone.
template <class Answer, class F>
Answer quietly(F&& question) {
    try {
        return question();
    } catch (...) {
        return Answer();
    }
}

} // namespace hidet::lang::service
