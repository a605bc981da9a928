// SPDX-License-Identifier: Apache-2.0
// What we tell a user about a script of theirs. One row of diagnostics.def per kind; ids are stable.
// Style: lower-case, no final period, the user's own words in quotes, the narrowest span; a note for the second place.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "lang/base/source.h"
#include "lang/base/text.h"

namespace hidet {

enum class Severity : std::uint8_t { Error, Warning, Note };

enum class DiagId : std::uint16_t {
#ifndef HIDET_WITHOUT_TABLES // set for code generators that read headers and cannot follow a table of tables
#define HIDET_DIAGNOSTIC(name, id, severity, format) name,
#include "lang/base/diagnostics.def"
#undef HIDET_DIAGNOSTIC
#endif
};

struct DiagnosticInfo {
    const char* name; // C++ enumerator
    const char* id;   // "unknown-name"
    Severity severity;
    const char* format; // "unknown name '{}'"
};
const DiagnosticInfo& info(DiagId id);
const std::vector<DiagnosticInfo>& all_diagnostics();

struct Note {
    Span span; // may be unknown
    std::string message;
};

// Replace the bytes of `span` by `text`; an empty span inserts.
struct FixIt {
    Span span;
    std::string text;
    std::string title; // "replace by 'spatial'"
};

struct Diagnostic {
    DiagId id{};
    Severity severity = Severity::Error;
    Span span;
    std::string message;
    std::vector<Note> notes;
    std::vector<FixIt> fixes;

    template <class... Args>
    static Diagnostic make(DiagId id, Span span, const Args&... args) {
        return make_from(id, span, {cat(args)...});
    }
    static Diagnostic make_from(DiagId id, Span span, const std::vector<std::string>& args);
    Diagnostic&& note(Span span, std::string message) &&;
    Diagnostic&& fix(Span span, std::string text, std::string title) &&;
    // Adds "did you mean 'x'?" with its fix-it when one of the candidates is close to the word.
    Diagnostic&& suggest(Span span, std::string_view word, const std::vector<std::string>& candidates) &&;
};

// Unwinds the evaluator or the translator to the statement (or file) that recovers. Never crosses a library boundary.
class DiagnosticError : public std::exception {
public:
    explicit DiagnosticError(Diagnostic diagnostic) : diagnostic(std::move(diagnostic)) {}
    const char* what() const noexcept override { return diagnostic.message.c_str(); }
    Diagnostic diagnostic;
};

template <class... Args>
[[noreturn]] void fail(DiagId id, Span span, const Args&... args) {
    throw DiagnosticError(Diagnostic::make(id, span, args...));
}

// Collects, and counts. Keeps one of those that say the same of a place, up to numbers, and stops keeping after a limit.
class DiagnosticSink {
public:
    void report(Diagnostic diagnostic);
    template <class... Args>
    void report(DiagId id, Span span, const Args&... args) {
        report(Diagnostic::make(id, span, args...));
    }
    const std::vector<Diagnostic>& all() const { return m_all; }
    int error_count() const { return m_errors; }
    bool has_errors() const { return m_errors > 0; }
    std::vector<Diagnostic> take();
    // By file, then place; stable for equal places.
    void sort();

private:
    std::vector<Diagnostic> m_all;
    int m_errors = 0;
};

// "file:line:col: error: message [id]", the line, a caret line, notes and fixes, each line ended by '\n'.
std::string render(const Diagnostic& diagnostic, const SourceMap& sources);
std::string render(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources);

} // namespace hidet
