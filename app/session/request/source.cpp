// SPDX-License-Identifier: Apache-2.0
#include "app/session/request/source.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "app/session/request/workspace_name.h"
#include "lang/base/file_place.h"
#include "lang/base/files.h"

namespace hidet::session {

namespace fs = std::filesystem;

// A script is a few hundred kilobytes at most; the bound keeps a mistyped path to a model from filling the memory.
constexpr std::int64_t max_source_bytes = std::int64_t{64} << 20;

static bool read_standard_input(std::string& text, DiagnosticSink& sink) {
    char buffer[1 << 16];
    while (std::size_t got = std::fread(buffer, 1, sizeof buffer, stdin)) {
        text.append(buffer, got);
        if (text.size() > static_cast<std::size_t>(max_source_bytes)) {
            sink.report(DiagId::FileTooLarge, {}, "standard input", max_source_bytes >> 20);
            return false;
        }
    }
    if (!std::ferror(stdin))
        return true;
    sink.report(DiagId::FileUnreadable, {}, "standard input", std::strerror(errno));
    return false;
}

Diagnostic file_problem(const Error& error, Span span) {
    Diagnostic out =
        Diagnostic::make(error.code == "file-not-found"                                  ? DiagId::FileNotFound
                         : error.code == "file-too-large"                                ? DiagId::FileTooLarge
                         : error.code == "disk-full" || error.code == "file-not-written" ? DiagId::FileUnwritable
                                                                                         : DiagId::FileUnreadable,
                         span);
    out.message = error.message;
    return out;
}

static std::vector<std::string> siblings(const fs::path& path) {
    std::vector<std::string> names;
    std::error_code error;
    fs::path folder = path.parent_path();
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
         entry.increment(error))
        names.push_back(entry->path().filename().string());
    return names;
}

static void report_missing(const std::string& path, DiagnosticSink& sink) {
    Diagnostic missing = Diagnostic::make(DiagId::FileNotFound, {}, path);
    fs::path wanted(path);
    std::string near = closest(wanted.filename().string(), siblings(wanted));
    if (!near.empty())
        missing.message += "; did you mean '" + (wanted.parent_path() / near).string() + "'?";
    sink.report(std::move(missing));
}

bool is_file(const std::string& path, DiagnosticSink& sink) {
    const FilePlace place = look_at(path);
    if (place.kind == FilePlace::Kind::Missing)
        report_missing(path, sink);
    else if (place.kind == FilePlace::Kind::Folder)
        sink.report(DiagId::FileIsFolder, {}, path);
    else if (place.kind == FilePlace::Kind::Unknown)
        sink.report(DiagId::FileUnreadable, {}, path, place.problem);
    else if (is_workspace_file(path))
        sink.report(DiagId::FileUnreadable, {}, path, cat("it is a workspace, which 'hidet-studio ", path, "' opens"));
    else
        return true;
    return false;
}

bool read_source(const std::string& path, Source& source, DiagnosticSink& sink) {
    if (path == "-") {
        source.name = "<stdin>";
        source.folder = ".";
        return read_standard_input(source.text, sink);
    }
    if (!is_file(path, sink))
        return false;
    if (path.ends_with(".onnx")) {
        sink.report(DiagId::FileUnreadable, {}, path, "it is a model, which 'hidetc model' and 'hidetc tune' take");
        return false;
    }
    Result<std::string> text = read_file(path, max_source_bytes);
    if (!text) {
        sink.report(file_problem(text.error()));
        return false;
    }
    source.text = std::move(text).value();
    source.name = path;
    fs::path folder = fs::path(path).parent_path();
    source.folder = folder.empty() ? "." : folder.string();
    source.is_ir = is_ir_file(path);
    return true;
}

bool write_text(const std::string& path, const std::string& text, DiagnosticSink& sink) {
    const Result<void> written = replace_file(path, text);
    if (!written)
        sink.report(file_problem(written.error()));
    return written.ok();
}

} // namespace hidet::session
