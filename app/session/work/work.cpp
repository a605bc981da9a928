// SPDX-License-Identifier: Apache-2.0
#include "app/session/work/work.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <utility>

#include "lang/base/check.h"
#include "lang/base/files.h"
#include "lang/base/out_of_memory.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"
#include "lang/base/text_hash.h"

namespace hidet::session {

void Work::enter(const std::string& next) {
    stage = next;
    if (fault == "out-of-memory")
        throw std::bad_alloc();
    HIDET_CHECK(fault.empty() || next.find(fault) == std::string::npos, "a fault that was asked for");
}

Work::Clock::Clock(Work& work, const char* stage) : m_work(work), m_start(std::chrono::steady_clock::now()) {
    auto found = std::ranges::find_if(work.times, [&](const StageTime& t) { return t.stage == stage; });
    m_row = static_cast<std::size_t>(found - work.times.begin());
    if (found == work.times.end())
        work.times.push_back({stage, 0});
}

Work::Clock::~Clock() {
    m_work.times[m_row].ms += milliseconds_since(m_start);
}

Work work_for(std::string options, const std::atomic<bool>* cancelled, std::string fault) {
    Work work;
    work.options = std::move(options);
    work.cancelled = cancelled;
    work.fault = std::move(fault);
    return work;
}

Work work_for(const std::string& verb, const PreviewRequest& request) {
    return work_for(verb + " " + request.source.name, request.cancelled, request.fault);
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::string folder_of_reproductions() {
    std::error_code failed;
    return (std::filesystem::temp_directory_path(failed) / "hidet-studio").string();
}

// The path of the file, or "" when it could not be written: the diagnostic matters more.
static std::string keep_reproduction(const Work& work, const std::string& what) {
    if (work.sources.size() == 0)
        return "";
    const std::string& script = work.sources.file(1).text();
    const std::string folder = folder_of_reproductions();
    // One for each error: while a script is typed the newest text that shows it takes the place of those before.
    const std::string path = folder + "/repro-" + hash_text(work.options + work.stage + what) + ".py";
    std::string head = "# hidetc " + work.options + "\n# internal error while " + work.stage + ": " + what + "\n";
    std::replace(head.begin(), head.end() - 1, '\r', ' ');
    const bool is_kept = make_folders(folder) && replace_file(path, head + script);
    return is_kept ? path : "";
}

static void report_internal(Work& work, const std::string& what) {
    Diagnostic diagnostic = Diagnostic::make(DiagId::InternalFailure, {}, work.stage, what);
    std::string path = keep_reproduction(work, what);
    diagnostic.notes.push_back(
        {{},
         path.empty() ? "this is a bug of hidet studio, not of the script"
                      : "this is a bug of hidet studio, not of the script; what it takes to see it again is in " +
                            path + ", and 'hidetc reduce' makes that smaller"});
    work.sink.report(std::move(diagnostic));
    work.status = Status::Internal;
}

void guarded(Work& work, const std::function<void()>& body) {
    try {
        body();
    } catch (const DiagnosticError& error) {
        work.sink.report(error.diagnostic);
    } catch (const OutOfMemory& error) {
        work.sink.report(error.diagnostic(work.stage));
        work.status = Status::Environment;
    } catch (const std::bad_alloc&) {
        work.sink.report(OutOfMemory("").diagnostic(work.stage));
        work.status = Status::Environment;
    } catch (const std::exception& error) {
        report_internal(work, error.what());
    }
}

static DiagnosticView view_in(const Work& work, const Diagnostic& diagnostic) {
    DiagnosticView view = view_of(diagnostic, work.sources);
    for (const FindingPlace& finding : work.findings)
        if (finding.id == diagnostic.id && finding.span == diagnostic.span && finding.message == diagnostic.message)
            view.where = finding.where, view.parties = finding.parties;
    return view;
}

std::vector<DiagnosticView> views_of(Work& work) {
    work.sink.sort();
    return transformed(work.sink.all(), [&](const Diagnostic& diagnostic) { return view_in(work, diagnostic); });
}

void finish(Work& work, Outcome& outcome) {
    bool broken =
        work.status == Status::Internal || work.status == Status::Environment || work.status == Status::TimedOut;
    if (work.stopped() && !broken)
        work.status = Status::Cancelled;
    else if (work.status == Status::Ok && work.sink.has_errors())
        work.status = Status::UserMistake;
    outcome.status = work.status;
    outcome.device_hangs = work.device_hangs;
    outcome.stages = work.times;
    outcome.diagnostics = views_of(work);
}

} // namespace hidet::session
