// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/export.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <utility>

#include "app/session/exporting/exporter.h"
#include "app/session/kernel_bench/history.h"
#include "app/session/preview/sites.h"
#include "app/session/work/refusal.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"
#include "lang/base/text_hash.h"
#include "runtime/package/digest.h"

namespace hidet::session {

namespace fs = std::filesystem;

namespace {

// Of a run that measured something that may be right.
bool counts(const RunRecord& run, const ExportRequest& request) {
    const bool is_right = run.verdict == VerdictKind::Correct || run.verdict == VerdictKind::Unchecked;
    return is_right && run.times && run.times->count > 0 && (request.module == 0 || run.module == request.module) &&
           (request.function.empty() || run.function == request.function);
}

std::string microseconds(double seconds) {
    return three_digits(seconds * 1e6);
}

std::string sentence_of(const RunRecord& run) {
    return cat(run.function, "(", run.shapes, "): ", microseconds(run.times->median), " us, the median of ",
               run.times->count, " calls (", microseconds(run.times->p10), " to ", microseconds(run.times->p90),
               "), on ", run.where, ", ", verdict_name(run.verdict));
}

// What was measured of the script, for those who find its export. Of the history that the request names, if it does: the last
// run of each function, shapes and device, of this text of the script. The same runs give the same sentences. False: it cannot
// be read, and the reason is in the work's sink.
bool add_figures(ExportWork& out) {
    const std::string& path = out.request.history;
    if (path.empty())
        return true;
    History history(path);
    if (const Result<void> loaded = history.load_existing(); !loaded) {
        report_environment(out.work, out.work.sink, loaded.error());
        return false;
    }
    const std::string hash = hash_text(out.request.source.text);
    std::map<std::string, const RunRecord*> last; // by what is compared, but for the name of the script
    for (const RunRecord& run : history.runs())
        if (run.hash == hash && counts(run, out.request))
            last[cat(run.module, "|", run.function, "|", run.shapes, "|", run.where)] = &run;
    for (const auto& [key, run] : last)
        out.figures.push_back(sentence_of(*run));
    return true;
}

using Exporter = bool (*)(ExportWork&);
constexpr Exporter exporters[] = {
#define HIDET_EXPORTER(name, key, subject, ending, exporter, summary) exporter,
#include "app/session/exporting/exporters.def"
};

const char* title_of(ExportSubject subject) {
    return subject == ExportSubject::Script ? "a script" : "a model";
}

std::string quoted_names(std::optional<ExportSubject> subject) {
    std::vector<std::string> names;
    for (const ExportFormatInfo& each : all_export_formats())
        if (!subject || each.subject == *subject)
            names.push_back(cat("'", each.name, "'"));
    return join(names, ", ");
}

// Null: the reason is in the work's sink.
const ExportFormatInfo* format_of(Work& work, const ExportRequest& request) {
    const ExportSubject subject = request.is_model() ? ExportSubject::Model : ExportSubject::Script;
    const ExportFormatInfo* format = find_export_format(request.format);
    if (request.format.empty()) {
        const auto usual = std::ranges::find(all_export_formats(), subject, &ExportFormatInfo::subject);
        format = usual == all_export_formats().end() ? nullptr : &*usual;
    }
    if (!format) {
        report_wrong_usage(work,
                           Diagnostic::make(DiagId::NoSuchFormat, {}, request.format, quoted_names(std::nullopt)));
        return nullptr;
    }
    if (format->subject == subject)
        return format;
    report_wrong_usage(work, Diagnostic::make(DiagId::FormatNotFor, {}, format->name, title_of(subject), request.path(),
                                              quoted_names(subject)));
    return nullptr;
}

std::string formats_with(bool ExportTakes::*taken) {
    std::vector<std::string> names;
    for (const ExportFormatInfo& each : all_export_formats())
        if (taken_by(each.format).*taken)
            names.push_back(cat("'", each.name, "'"));
    return join(names, ", ");
}

// False: the request says what the format would not heed, and the reason is in the work's sink.
bool heeds_all(Work& work, const ExportRequest& request, const ExportFormatInfo& format) {
    struct Row {
        bool is_given;
        bool ExportTakes::*taken;
        const char* name;
    };
    const Row rows[] = {{!request.function.empty(), &ExportTakes::function, "--function"},
                        {!request.contracts, &ExportTakes::contracts, "--no-contraction"},
                        {request.seed != 0, &ExportTakes::seed, "--seed"}};
    const ExportTakes takes = taken_by(format.format);
    for (const Row& row : rows)
        if (row.is_given && !(takes.*row.taken))
            return report_wrong_usage(
                work, Diagnostic::make(DiagId::OptionNotOfFormat, {}, row.name, format.name, formats_with(row.taken)));
    return !takes.runs_script || !request.source.is_ir ||
           report_wrong_usage(work, Diagnostic::make(DiagId::FormatRunsScript, {}, format.name, request.path()));
}

void export_into(Work& work, const ExportRequest& request, ExportResult& result) {
    const ExportFormatInfo* format = format_of(work, request);
    if (!format || !heeds_all(work, request, *format))
        return;
    result.format = format->name;
    if (const auto by_hand = request.is_model() ? std::nullopt : compiled_form(request.path()))
        return work.sink.report(
            DiagId::CannotExport, {}, request.path(), format->name,
            cat("it is ", info(*by_hand).label, " that was changed by hand, and what is exported is made of a script"));
    ExportWork out(work, request, *format, result);
    const bool is_made = add_figures(out) && exporters[static_cast<std::size_t>(format->format)](out);
    if (!is_made || work.sink.has_errors() || work.stopped()) {
        result.files.clear();
        result.next.clear();
    }
    std::ranges::sort(result.files, {}, &ExportedFile::path);
}

// The user names the file itself: of the ending that the format has.
bool is_alone(const ExportResult& result, const std::string& out) {
    const ExportFormatInfo* format = find_export_format(result.format);
    return format && *format->ending && result.files.size() == 1 && out.ends_with(cat(".", format->ending));
}

void refuse(ExportResult& result, Status status, const Diagnostic& diagnostic) {
    result.status = status;
    result.diagnostics.push_back(view_of(diagnostic, SourceMap{}));
}

// "x.hidet", which is no folder: an ending that begins with a letter is not the rest of a version.
bool is_named_like_file(const std::string& out) {
    const std::string ending = fs::path(out).extension().string();
    return ending.size() > 1 && std::isalpha(static_cast<unsigned char>(ending[1]));
}

std::string other_format_for(const std::string& out) {
    const auto writes = [&](const ExportFormatInfo& each) {
        return *each.ending && out.ends_with(cat(".", each.ending));
    };
    const auto other = std::ranges::find_if(all_export_formats(), writes);
    return other == all_export_formats().end()
               ? ""
               : cat(" (the format '", other->name, "' does, of ", title_of(other->subject), ")");
}

// False: files cannot be written below what the user names, and the reason is in the result.
bool may_be_folder(ExportResult& result, const std::string& out) {
    std::error_code ignored;
    if (fs::is_directory(out, ignored))
        return true;
    const std::string ending = find_export_format(result.format)->ending;
    const bool is_own = !ending.empty() && out.ends_with("." + ending);
    if (fs::exists(out, ignored) || is_own)
        refuse(result, Status::WrongUsage,
               Diagnostic::make(DiagId::FormatMakesFolder, {}, result.format,
                                is_own ? std::to_string(result.files.size()) : "its", out));
    else if (is_named_like_file(out))
        refuse(result, Status::WrongUsage,
               Diagnostic::make(DiagId::BadValue, {},
                                cat("'", out, "' is named like a file, which the format '", result.format,
                                    "' does not write", other_format_for(out), "; '", out, "/' is a folder")));
    return result.status == Status::Ok;
}

// What a user copies has the name that the only file got.
void rename_only_file(ExportResult& result, const std::string& name) {
    const std::string old = std::exchange(result.files.front().path, name);
    const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    for (std::string& line : result.next)
        for (std::size_t at = line.find(old); at != std::string::npos; at = line.find(old, at)) {
            const std::size_t end = at + old.size();
            const bool is_whole =
                (at == 0 || !is_of_name(line[at - 1])) && (end == line.size() || !is_of_name(line[end]));
            if (is_whole)
                line.replace(at, old.size(), name);
            at += is_whole ? name.size() : 1;
        }
}

bool write_file(ExportResult& result, const fs::path& path, const ExportedFile& file) {
    std::error_code error;
    if (path.has_parent_path())
        fs::create_directories(path.parent_path(), error);
    if (error) {
        refuse(result, Status::Environment,
               Diagnostic::make(DiagId::FileUnwritable, {}, path.string(), error.message()));
        return false;
    }
    DiagnosticSink sink;
    if (!write_text(path.string(), file.bytes, sink)) {
        for (const Diagnostic& diagnostic : sink.all())
            refuse(result, Status::Environment, diagnostic);
        return false;
    }
    if (file.is_executable)
        fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                        fs::perm_options::add, error);
    return true;
}

} // namespace

const std::vector<ExportFormatInfo>& all_export_formats() {
    static const std::vector<ExportFormatInfo> all = {
#define HIDET_EXPORTER(name, key, subject, ending, exporter, summary)                                                  \
    {ExportFormat::name, key, ExportSubject::subject, ending, summary},
#include "app/session/exporting/exporters.def"
    };
    return all;
}

const ExportFormatInfo* find_export_format(std::string_view name) {
    const auto found =
        std::ranges::find(all_export_formats(), name, [](const auto& each) { return std::string_view(each.name); });
    return found == all_export_formats().end() ? nullptr : &*found;
}

ExportSubject export_subject_of(std::string_view path) {
    return path.ends_with(".onnx") || path.ends_with(".json") ? ExportSubject::Model : ExportSubject::Script;
}

bool ExportWork::refuse(const std::string& what, const std::string& why, Span place) {
    work.sink.report(DiagId::CannotExport, place, what, format.name, why);
    return false;
}

ExportResult make_export(const ExportRequest& request) {
    Work work =
        work_for(cat("export ", request.path(), " --format ", request.format), request.cancelled, request.fault);
    ExportResult result;
    guarded(work, [&] { export_into(work, request, result); });
    finish(work, result);
    return result;
}

std::string hash_of(const ExportedFile& file) {
    const package::Checksum hash = package::checksum_of(file.bytes.data(), file.bytes.size());
    return hex_digits(hash.high, 16) + hex_digits(hash.low, 16);
}

bool write_export(ExportResult& result, const std::string& out, std::vector<std::string>& written) {
    const bool alone = is_alone(result, out);
    if (alone)
        rename_only_file(result, out);
    else if (!may_be_folder(result, out))
        return false;
    for (const ExportedFile& file : result.files) {
        const fs::path path = alone ? fs::path(out) : fs::path(out) / file.path;
        if (!write_file(result, path, file))
            return false;
        written.push_back(path.string());
    }
    return true;
}

} // namespace hidet::session
