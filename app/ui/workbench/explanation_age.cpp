// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/explanation_age.h"

namespace hidet::ui {

constexpr int explanation_fades_after_ms = 400;

ExplanationAge::ExplanationAge(Studio& studio, QObject* parent)
    : QObject(parent), m_studio(studio), m_fading(explanation_fades_after_ms, [this] { set(true); }) {
    for (auto signal : {&LiveScripts::liveUpdated, &LiveScripts::analysed, &LiveScripts::explanationChanged})
        connect(&studio.scripts, signal, this, &ExplanationAge::look);
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &ExplanationAge::look);
}

std::shared_ptr<const session::Explained> ExplanationAge::explained() const {
    const LivePipeline* live = m_studio.scripts.live();
    return live ? live->explained() : nullptr;
}

void ExplanationAge::look() {
    const LivePipeline* live = m_studio.scripts.live();
    if (!live || !live->explained() || live->explanationIsCurrent()) {
        m_fading.stop();
        set(false);
    } else if (!m_fading.isActive() && !m_isStale) {
        m_fading.start();
    }
}

void ExplanationAge::set(bool isStale) {
    if (isStale == m_isStale)
        return;
    m_isStale = isStale;
    emit changed(isStale);
}

} // namespace hidet::ui
