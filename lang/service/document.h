// SPDX-License-Identifier: Apache-2.0
// What analyse() keeps of a text. Only lang/service looks inside.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "lang/ast/ast.h"
#include "lang/base/source.h"
#include "lang/parse/scanner.h"
#include "lang/service/bindings.h"
#include "lang/service/facts.h"
#include "lang/service/service.h"

namespace hidet::lang::service {

// A .py file in the folder of the script that the script imports.
struct Sibling {
    std::string path;
    std::shared_ptr<SourceMap> sources;
    ast::Module tree;
    Bindings names;
    std::string_view text() const { return sources->file(1).text(); }
};

class Document {
public:
    std::string text;
    SourceMap sources; // the text with its calls, and the siblings it imports
    ast::Module tree;
    Tokens tokens; // as the scanner saw them, with ends of lines
    std::vector<Range> comments;
    Bindings names;
    Facts facts;
    std::vector<std::string> sibling_names;               // "helper", of all files in the folder
    std::map<std::string, Sibling, std::less<>> siblings; // those that the text names
    bool is_readable = false;
    mutable std::atomic<int> failures = 0; // of our own code

    std::uint32_t clamp(std::uint32_t offset) const {
        return offset < text.size() ? offset : static_cast<std::uint32_t>(text.size());
    }
    std::string_view at(Range range) const {
        return std::string_view(text).substr(range.begin, range.end - range.begin);
    }
};

// Runs a question. Whatever it throws is our bug, and costs the answer alone.
template <class Answer, class F>
Answer quietly(const Document& document, F&& question) {
    try {
        return question();
    } catch (...) {
        ++document.failures;
        return Answer();
    }
}

} // namespace hidet::lang::service
