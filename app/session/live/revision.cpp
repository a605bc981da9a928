// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/revision.h"

#include <algorithm>

#include "app/session/work/work.h"

namespace hidet::session {

static PreviewRequest preview_of(const LiveRequest& request, std::shared_ptr<Tools> tools,
                                 const std::atomic<bool>& cancelled) {
    PreviewRequest preview;
    preview.source = request.source;
    preview.calls = request.calls;
    preview.texts = Keep::Everything;
    preview.arch = request.arch == default_arch ? "" : request.arch; // nobody chose: the script may
    preview.tools = std::move(tools);
    preview.explains = request.explains_machine;
    preview.fault = request.fault;
    preview.cancelled = &cancelled;
    return preview;
}

Revision::Revision(std::shared_ptr<const LiveRequest> request, std::shared_ptr<Tools> tools, Publisher& publisher)
    : m_publisher(publisher), m_preview(preview_of(*request, std::move(tools), m_cancelled)) {
    m_state.revision = request->revision;
    m_state.request = std::move(request);
}

double Revision::elapsed() const {
    return milliseconds_since(m_start) - m_paused;
}

bool Revision::wants(Form form) const {
    const std::vector<Form>& forms = request().forms;
    return std::find(forms.begin(), forms.end(), form) != forms.end();
}

void Revision::publish(const std::function<void(LiveSnapshot&)>& change) {
    std::lock_guard publishing(m_publisher.mutex);
    if (stopped())
        return;
    std::shared_ptr<const LiveSnapshot> snapshot;
    {
        std::lock_guard lock(m_mutex);
        change(m_state);
        if (request().explains && m_state.evaluated)
            m_explanation.put_into(m_state);
        gather();
        snapshot = std::make_shared<const LiveSnapshot>(m_state);
    }
    if (m_publisher.listener)
        m_publisher.listener(std::move(snapshot));
}

void Revision::gather() {
    m_state.diagnostics = m_script;
    m_state.diagnostics.insert(m_state.diagnostics.end(), m_contracts.begin(), m_contracts.end());
    for (const auto& views : m_compilers)
        m_state.diagnostics.insert(m_state.diagnostics.end(), views.begin(), views.end());
    m_state.has_errors =
        std::any_of(m_state.diagnostics.begin(), m_state.diagnostics.end(),
                    [](const DiagnosticView& diagnostic) { return diagnostic.severity == Severity::Error; });
    if (m_state.status == Status::Ok && m_state.has_errors)
        m_state.status = Status::UserMistake;
}

void Revision::set_script_diagnostics(std::vector<DiagnosticView> diagnostics, Status status) {
    std::lock_guard lock(m_mutex);
    m_script = std::move(diagnostics);
    if (status == Status::Internal || status == Status::Environment || m_state.status == Status::Ok)
        m_state.status = status;
}

void Revision::set_contract_diagnostics(std::vector<DiagnosticView> diagnostics) {
    std::lock_guard lock(m_mutex);
    m_contracts = std::move(diagnostics);
}

void Revision::set_compiler_diagnostics(std::size_t module, std::vector<DiagnosticView> diagnostics) {
    std::lock_guard lock(m_mutex);
    m_compilers.resize(std::max(m_compilers.size(), module + 1));
    m_compilers[module] = std::move(diagnostics);
}

void Revision::end_work() {
    if (--m_workers == 0)
        publish([](LiveSnapshot& state) { state.complete = true; });
}

} // namespace hidet::session
