// SPDX-License-Identifier: Apache-2.0
// What one request works with: its texts, its diagnostics, and the name of the stage it is in.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/request/request.h"
#include "app/session/snapshot/outcome.h"
#include "lang/base/diagnostic.h"

namespace hidet::package {
class ThreadPool;
}

namespace hidet::session {

struct FindingPlace { // beside a diagnostic of the sink: which threads it is about
    DiagId id;
    Span span;
    std::string message;
    ThreadPlace where;
    std::vector<ThreadsView> parties;
};

struct Work {
    SourceMap sources;
    DiagnosticSink sink;
    std::string stage = "reading the script"; // completes "internal error while ..."
    std::string options;                      // for the reproduction file
    std::string fault;
    const std::atomic<bool>* cancelled = nullptr;
    Status status = Status::Ok; // the worst that happened, as far as it is not read off the sink
    std::vector<FindingPlace> findings;
    // That compiled CPU code runs on; whoever needs one first makes it. Two that are compared have to share it: where the system has
    // put the threads of a pool decides how fast a loop over them is.
    std::shared_ptr<package::ThreadPool> pool;
    bool device_hangs = false; // a kernel did not end: the process has to leave without the driver's exit handlers

    std::vector<StageTime> times;

    // Adds what passes while it lives to the time of a stage.
    class Clock {
    public:
        Clock(Work& work, const char* stage);
        ~Clock();
        Clock(const Clock&) = delete;
        Clock& operator=(const Clock&) = delete;

    private:
        Work& m_work;
        std::size_t m_row;
        std::chrono::steady_clock::time_point m_start;
    };

    bool stopped() const { return cancelled && cancelled->load(std::memory_order_relaxed); }
    // Names the stage; a request that asked for a fault in it gets one.
    void enter(const std::string& next);
};

// With the name that reports of internal errors give it: "check FILE". `fault`: the stage that shall fail, or empty.
Work work_for(std::string options, const std::atomic<bool>* cancelled, std::string fault = {});
// Of what is asked of a script: "check" and its name.
Work work_for(const std::string& verb, const PreviewRequest& request);

double milliseconds_since(std::chrono::steady_clock::time_point start);

// Runs the body. What it throws becomes a diagnostic: an InternalError (or any exception we did not foresee) is our bug,
// and a file with the script and the options is kept so that it can be reported.
void guarded(Work& work, const std::function<void()>& body);
std::string folder_of_reproductions(); // where such files lie

// Sorts and converts what is in the sink.
std::vector<DiagnosticView> views_of(Work& work);

// Judges what happened: fills the outcome.
void finish(Work& work, Outcome& outcome);

} // namespace hidet::session
