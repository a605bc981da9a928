// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/live_scripts.h"

#include <utility>

#include "app/ui/workbench/studio.h"

namespace hidet::ui {

LivePipeline* LiveScripts::live() const {
    Document* current = m_studio.tabs.current();
    return current ? m_live.value(current) : nullptr;
}

LivePipeline* LiveScripts::liveOf(Document& document) {
    LivePipeline*& known = m_live[&document];
    if (known)
        return known;
    known = new LivePipeline(document, m_studio.settings, m_studio.tools, &document);
    LivePipeline* const made = known;
    const auto passOn = [this, made](void (LivePipeline::*from)(), void (LiveScripts::*to)()) {
        connect(made, from, this, [this, made, to] {
            if (live() == made)
                emit(this->*to)();
        });
    };
    passOn(&LivePipeline::updated, &LiveScripts::liveUpdated);
    passOn(&LivePipeline::analysed, &LiveScripts::analysed);
    passOn(&LivePipeline::explanationChanged, &LiveScripts::explanationChanged);
    made->submitNow();
    return made;
}

const std::vector<session::DiagnosticView>& LiveScripts::findings(const Document& document) const {
    static const std::vector<session::DiagnosticView> none;
    const auto found = m_findings.constFind(&document);
    return found == m_findings.constEnd() ? none : *found;
}

void LiveScripts::setFindings(Document& document, std::vector<session::DiagnosticView> findings) {
    if (findings.empty() && !m_findings.contains(&document))
        return;
    if (findings.empty())
        m_findings.remove(&document);
    else
        m_findings[&document] = std::move(findings);
    emit findingsChanged(&document);
}

void LiveScripts::forget(Document& document) {
    m_studio.stages.forget(document);
    delete m_live.take(&document);
    m_findings.remove(&document);
}

} // namespace hidet::ui
