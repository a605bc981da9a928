// SPDX-License-Identifier: Apache-2.0
// One request on its way through the pipeline: what several threads find out about it is put together here, and published.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>

#include "app/session/live/explanation.h"

namespace hidet::session {

// Lets one snapshot out at a time, and none of a revision that was overtaken.
struct Publisher {
    std::mutex mutex;
    std::function<void(std::shared_ptr<const LiveSnapshot>)> listener;
};

class Revision {
public:
    Revision(std::shared_ptr<const LiveRequest> request, std::shared_ptr<Tools> tools, Publisher& publisher);

    const LiveRequest& request() const { return *m_state.request; }
    const PreviewRequest& preview() const { return m_preview; } // the same, as the stages take it
    const std::atomic<bool>& cancelled() const { return m_cancelled; }
    bool stopped() const { return m_cancelled.load(std::memory_order_relaxed); }
    // After this nothing is published. The caller holds the publisher's mutex.
    void cancel() { m_cancelled = true; }

    // Changes what is known and publishes it.
    void publish(const std::function<void(LiveSnapshot&)>& change);
    void set_script_diagnostics(std::vector<DiagnosticView> diagnostics, Status status); // with the next publication
    void set_contract_diagnostics(std::vector<DiagnosticView> diagnostics);
    void set_compiler_diagnostics(std::size_t module, std::vector<DiagnosticView> diagnostics);

    // For those who are about to publish, and nobody else.
    Explanation& explanation() { return m_explanation; }

    // The last of those who work on the revision says that it is complete.
    void begin_work() { ++m_workers; }
    void end_work();

    std::size_t first = 0;  // the module that the user looks at; set by the analyst before any other thread sees it
    double elapsed() const; // ms since submit(), without the pause
    std::chrono::steady_clock::time_point due() const { return m_start + request().pause; }
    // How long the lowering waited for that; said before it begins.
    void paused(double ms) { m_paused = ms; }
    bool wants(Form form) const;

private:
    void gather();

    Publisher& m_publisher;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    double m_paused = 0;
    std::atomic<bool> m_cancelled{false};
    std::atomic<int> m_workers{0};
    PreviewRequest m_preview;
    std::mutex m_mutex; // of what follows
    LiveSnapshot m_state;
    Explanation m_explanation;
    std::vector<DiagnosticView> m_script;
    std::vector<DiagnosticView> m_contracts;
    std::vector<std::vector<DiagnosticView>> m_compilers; // by module
};

} // namespace hidet::session
