// SPDX-License-Identifier: Apache-2.0
// What hidetc writes: text for people on two streams, or one JSON document.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/session/picture/pictures.h"
#include "app/session/session.h"

namespace hidet::cli {

int exit_code(session::Status status);
void print_note(const std::string& line);   // standard error
int refuse_environment(const Error& error); // reported as what the environment refuses; the exit code of that
std::string utc_now();                      // "2026-03-01T12:30:00Z"
// A history that is there; false: reported, and `exit` set.
template <class History>
bool open_history(History& history, int& exit) {
    if (const Result<void> loaded = history.load_existing(); !loaded) {
        exit = refuse_environment(loaded.error());
        return false;
    }
    if (!history.note().empty())
        print_note(history.note());
    return true;
}
int end_of(const session::Outcome& outcome); // the exit code; does not return when a kernel still runs

// The source that a verb works on; where it cannot be read that is reported, and the exit code is not 0.
int open_source(const SourceOptions& options, session::Source& source);

void print_diagnostics(const std::vector<session::DiagnosticView>& diagnostics); // standard error
bool wrong_usage(const std::string& message, DiagId id = DiagId::BadValue);      // reported, and false
int refuse_usage(const std::string& message);                                    // the same; the exit code of that
// What the sink has ends a request like this.
void refuse(session::Outcome& outcome, session::Status status, const DiagnosticSink& sink);
void refuse(session::Outcome& outcome, session::Status status, const Diagnostic& diagnostic);
void print_diagnostic(const Diagnostic& diagnostic);               // without a place
bool open_file(const std::string& path, session::Source& source);  // false: reported
bool write_file(const std::string& path, const std::string& text); // likewise
// An option that has no effect on what the file is: "'--graph' is for a script, and 'x.onnx' is a model". Likewise.
bool refuse_option(const std::string& option, const char* is_for, const std::string& file);
void print_text(const std::string& text); // standard output
// A verb's result as one JSON document, else its text and what was found; its exit code, as of end_of().
using Printed = std::function<std::string()>;
int print_result(bool as_json, const session::Outcome& outcome, const Printed& json, const Printed& text);

// Writes what is left for standard output. Where some of it could not be written that is reported, and an exit code of
// success becomes that of the environment.
int close_output(int code);

// Each line of the text with its origin in front.
std::string with_origins(const session::TextSnapshot& snapshot);

void add_svg(Verb& verb, std::string& file);
// Writes them below each other; without a file nothing. False: it could not be, which is said.
bool write_pictures(const std::string& file, std::vector<session::Scene> pictures);

} // namespace hidet::cli
