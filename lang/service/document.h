// SPDX-License-Identifier: Apache-2.0
// What is known of a text. Only lang/service looks inside.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "lang/ast/ast.h"
#include "lang/base/diagnostic.h"
#include "lang/base/source.h"
#include "lang/parse/scanner.h"
#include "lang/service/bindings.h"
#include "lang/service/facts.h"
#include "lang/service/service.h"

namespace hidet::lang::service {

// A .py file in the folder of the script that the script imports.
struct Sibling {
    std::string path;
    std::string_view text;
    ast::Module tree; // the names refer to it
    Bindings names;
};

// What a text says without being evaluated. Shared by the documents of the text.
struct Reading {
    std::string text;
    SourceMap sources; // the text with its calls, and the siblings it imports
    ast::Module tree;
    std::vector<Diagnostic> mistakes; // of the text
    Tokens tokens;                    // as the scanner saw them, with ends of lines
    std::vector<Range> comments;
    Bindings names;
    std::string folder;                                   // of the siblings
    std::vector<std::string> sibling_names;               // "helper", of all files in the folder
    std::map<std::string, Sibling, std::less<>> siblings; // those that the text names
    bool is_readable = false;
    int failures = 0; // of our own code
};

class Document {
public:
    Document(std::shared_ptr<const Reading> reading, KnownFacts known)
        : facts(std::move(known)), failures(reading->failures), m_reading(std::move(reading)) {}

    const std::string& text() const { return m_reading->text; }
    const SourceMap& sources() const { return m_reading->sources; }
    const ast::Module& tree() const { return m_reading->tree; }
    const Tokens& tokens() const { return m_reading->tokens; }
    const std::vector<Range>& comments() const { return m_reading->comments; }
    const Bindings& names() const { return m_reading->names; }
    const std::string& folder() const { return m_reading->folder; }
    const std::string& path() const { return m_reading->sources.file(1).name(); }
    const std::vector<std::string>& sibling_names() const { return m_reading->sibling_names; }
    const std::map<std::string, Sibling, std::less<>>& siblings() const { return m_reading->siblings; }
    bool is_readable() const { return m_reading->is_readable; }
    const std::shared_ptr<const Reading>& reading() const { return m_reading; }

    std::uint32_t clamp(std::uint32_t offset) const {
        return offset < text().size() ? offset : static_cast<std::uint32_t>(text().size());
    }
    std::string_view at(Range range) const {
        return std::string_view(text()).substr(range.begin, range.end - range.begin);
    }

    const KnownFacts facts;
    mutable std::atomic<int> failures; // of our own code

private:
    std::shared_ptr<const Reading> m_reading;
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
