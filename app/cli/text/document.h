// SPDX-License-Identifier: Apache-2.0
// Results as JSON documents, by the lists of their fields (session/fields).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session/fields/kind.h"
#include "app/session/session.h"

namespace hidet::cli {

class Document {
public:
    Document();
    ~Document();
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    template <class T>
    Document& add(const char* name, const T& value) {
        return add(name, session::fields::kind_of<T>(), &value);
    }
    Document& add(const char* name, const std::string& value);
    // The members of a struct, as members of the document.
    template <class T>
    Document& add_members(const T& value) {
        return add_members(session::fields::kind_of<T>(), &value);
    }
    std::string text() const;

private:
    Document& add(const char* name, const session::fields::Kind& kind, const void* value);
    Document& add_members(const session::fields::Kind& kind, const void* value);

    struct Tree;
    std::unique_ptr<Tree> m_tree;
};

// A result between what is said of every one: its diagnostics, and how long its stages took. Of a script also what it
// printed.
template <class Result>
std::string json_of(const Result& result) {
    Document out;
    out.add("diagnostics", result.diagnostics);
    return out.add_members(result).add("stages", result.stages).text();
}
template <class Result>
std::string json_of(const Result& result, const std::string& output) {
    Document out;
    out.add("output", output).add("diagnostics", result.diagnostics);
    return out.add_members(result).add("stages", result.stages).text();
}
std::string json_of_refusal(const session::Outcome& outcome); // of a request that came to nothing

} // namespace hidet::cli
