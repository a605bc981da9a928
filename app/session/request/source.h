// SPDX-License-Identifier: Apache-2.0
// Reading what the user named on the command line or opened in the studio.
#pragma once

#include <optional>
#include <string>

#include "app/session/snapshot/forms.h"
#include "lang/base/diagnostic.h"
#include "lang/base/result.h"

namespace hidet::session {

struct Source {
    std::string name; // as the user wrote it; what diagnostics say
    std::string text;
    std::string folder;               // for imports and data files
    bool is_ir = false;               // the textual form of IR instead of a script
    std::optional<Form> by_hand = {}; // CUDA C++ or PTX that a person changed, instead of a script
};

// With the same text, and the same modules that it imports.
inline bool is_same_script(const Source& a, const Source& b) {
    return a.text == b.text && a.folder == b.folder;
}

// What lang/base/files.h refuses, in its own words.
Diagnostic file_problem(const Error& error, Span span = {});

bool is_file(const std::string& path, DiagnosticSink& sink); // false: reported

// "-" is standard input. Failures are diagnostics without a place.
bool read_source(const std::string& path, Source& source, DiagnosticSink& sink);
bool write_text(const std::string& path, const std::string& text, DiagnosticSink& sink);

} // namespace hidet::session
