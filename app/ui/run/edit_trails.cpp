// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/edit_trails.h"

#include <QDateTime>

#include "app/session/explain/text_figures.h"

namespace hidet::ui {

EditTrails::EditTrails(Studio& studio, QObject* parent) : QObject(parent), m_studio(studio) {
    connect(&studio, &Studio::liveUpdated, this, &EditTrails::note);
    connect(&studio, &Studio::currentChanged, this, &EditTrails::note);
    connect(&studio, &Studio::explanationChanged, this, &EditTrails::explain);
    connect(&studio, &Studio::documentClosing, this, [this](Document* document) { m_trails.erase(document); });
}

const session::EditTrail& EditTrails::of(const Document& document) const {
    static const session::EditTrail none;
    const auto found = m_trails.find(&document);
    return found == m_trails.end() ? none : found->second;
}

void EditTrails::endBurst(const Document& document) {
    m_trails[&document].end_burst();
}

void EditTrails::note() {
    const LivePipeline* live = m_studio.live();
    const auto latest = live ? live->latest() : nullptr;
    if (!latest || !latest->evaluated || latest->has_errors || live->document().isIr() ||
        live->evaluatedText() != live->document().text())
        return;
    session::EditTrail& trail = m_trails[&live->document()];
    const std::string text = live->evaluatedText().toStdString();
    if (!trail.states().empty() && *trail.states().back().text == text)
        return;
    trail.note(text, std::chrono::steady_clock::now(),
               QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString());
    explain(); // which may have been there before
    emit changed();
}

void EditTrails::explain() {
    const LivePipeline* live = m_studio.live();
    if (!live || !live->explanationIsCurrent())
        return;
    const auto trail = m_trails.find(&live->document());
    if (trail == m_trails.end())
        return;
    trail->second.explain(live->document().text().toStdString(), session::figures_of(live->explained()->kernels));
    emit changed();
}

} // namespace hidet::ui
