// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <unistd.h>

#include "app/cli/text/document.h"
#include "app/session/figure/svg.h"
#include "lang/base/printable.h"

namespace hidet::cli {

static int g_output_error = 0; // errno of the first write to standard output that failed

static void note_output(bool written) {
    if (!written && g_output_error == 0)
        g_output_error = errno;
}

int exit_code(session::Status status) {
    switch (status) {
    case session::Status::Ok: return exit_fine;
    case session::Status::UserMistake: return exit_user;
    case session::Status::WrongUsage: return exit_usage;
    case session::Status::Environment: return exit_environment;
    case session::Status::Internal: return exit_internal;
    case session::Status::Cancelled: return exit_cancelled;
    case session::Status::TimedOut: return exit_timeout;
    }
    return exit_internal;
}

int refuse_environment(const Error& error) {
    print_diagnostic(Diagnostic::make(DiagId::EnvironmentRefused, {}, error.message));
    return exit_environment;
}

std::string utc_now() {
    const std::time_t time = std::time(nullptr);
    char text[32] = "";
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
    return text;
}

int end_of(const session::Outcome& outcome) {
    int code = exit_code(outcome.status);
    if (outcome.status == session::Status::Cancelled)
        print_note("stopped by Ctrl-C");
    if (outcome.device_hangs)
        session::leave_process(close_output(code));
    return code;
}

int print_result(bool as_json, const session::Outcome& outcome, const Printed& json, const Printed& text) {
    print_text(as_json ? json() : text());
    if (!as_json)
        print_diagnostics(outcome.diagnostics);
    return end_of(outcome);
}

void refuse(session::Outcome& outcome, session::Status status, const Diagnostic& diagnostic) {
    outcome.status = status;
    outcome.diagnostics.push_back(session::view_of(diagnostic, SourceMap{}));
}

void refuse(session::Outcome& outcome, session::Status status, const DiagnosticSink& sink) {
    for (const Diagnostic& diagnostic : sink.all())
        refuse(outcome, status, diagnostic);
}

int open_source(const SourceOptions& options, session::Source& source) {
    DiagnosticSink sink;
    if (session::read_source(options.file, source, sink))
        return exit_fine;
    session::Outcome outcome;
    refuse(outcome, session::Status::WrongUsage, sink);
    if (options.json)
        print_text(json_of_refusal(outcome));
    else
        print_diagnostics(outcome.diagnostics);
    return exit_code(outcome.status);
}

// Scripts, models and packages are strangers': what is piped is what they print, and a terminal is not theirs to drive.
void print_text(const std::string& text) {
    static const bool is_terminal = isatty(STDOUT_FILENO) != 0;
    const std::string shown = is_terminal ? for_terminal(text) : text;
    note_output(std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size());
}

int close_output(int code) {
    note_output(std::fflush(stdout) == 0);
    if (g_output_error == 0)
        return code;
    const std::string why = std::strerror(g_output_error);
    print_diagnostic(Diagnostic::make(DiagId::FileUnwritable, {}, "standard output", why));
    return code == exit_fine ? exit_environment : code;
}

// Both streams may be one terminal or one pipe: what was written first shall be seen first.
void print_diagnostics(const std::vector<session::DiagnosticView>& diagnostics) {
    note_output(std::fflush(stdout) == 0);
    for (const session::DiagnosticView& diagnostic : diagnostics)
        std::fputs(for_terminal(diagnostic.rendered).c_str(), stderr);
}

void print_diagnostic(const Diagnostic& diagnostic) {
    print_diagnostics({session::view_of(diagnostic, SourceMap{})});
}

bool wrong_usage(const std::string& message, DiagId id) {
    print_diagnostic(Diagnostic::make(id, {}, message));
    return false;
}

int refuse_usage(const std::string& message) {
    wrong_usage(message);
    return exit_usage;
}

static bool all_is_well(const DiagnosticSink& sink) {
    for (const Diagnostic& diagnostic : sink.all())
        print_diagnostic(diagnostic);
    return sink.all().empty();
}

bool open_file(const std::string& path, session::Source& source) {
    DiagnosticSink sink;
    session::read_source(path, source, sink);
    return all_is_well(sink);
}

bool write_file(const std::string& path, const std::string& text) {
    DiagnosticSink sink;
    session::write_text(path, text, sink);
    return all_is_well(sink);
}

bool refuse_option(const std::string& option, const char* is_for, const std::string& file) {
    const char* what = file.ends_with(".hidet")                             ? "a package"
                       : file.ends_with(".onnx") || file.ends_with(".json") ? "a model"
                       : file.ends_with(".npy")                             ? "an array"
                       : file.ends_with(".ir")                              ? "IR"
                       : file.ends_with(".cu")                              ? "CUDA C++"
                       : file.ends_with(".ptx")                             ? "PTX"
                                                                            : "a script";
    return wrong_usage(cat("'", option, "' is for ", is_for, ", and '", file, "' is ", what));
}

void print_note(const std::string& line) {
    note_output(std::fflush(stdout) == 0);
    std::fprintf(stderr, "%s\n", for_terminal(line).c_str());
}

static std::string origin_text(const session::OriginView& origin) {
    std::string text;
    if (origin.place.known()) {
        std::string_view file = origin.place.file;
        if (auto slash = file.rfind('/'); slash != std::string_view::npos)
            file.remove_prefix(slash + 1);
        text = cat(file, ":", origin.place.line, ":", origin.place.column);
    }
    if (!origin.pass.empty())
        text += (text.empty() ? "" : " ") + origin.pass;
    return text;
}

std::string with_origins(const session::TextSnapshot& snapshot) {
    std::vector<std::string> origins;
    std::size_t width = 0;
    for (const session::OriginView& origin : snapshot.lines) {
        origins.push_back(origin_text(origin));
        width = std::max(width, origins.back().size());
    }
    std::vector<std::string> lines = split(snapshot.text, '\n');
    if (!lines.empty() && lines.back().empty())
        lines.pop_back();
    std::string out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string& origin = i < origins.size() ? origins[i] : "";
        out += origin + std::string(width - origin.size(), ' ') + (lines[i].empty() ? " |" : " | ") + lines[i] + "\n";
    }
    return out;
}

void add_svg(Verb& verb, std::string& file) {
    verb.text("--svg", file, "FILE", "write the pictures of it to this file as well, as SVG");
}

bool write_pictures(const std::string& file, std::vector<session::Scene> pictures) {
    return file.empty() || write_file(file, session::svg_document(session::stacked(std::move(pictures), 8)));
}

} // namespace hidet::cli
