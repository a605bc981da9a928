// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/model_graphs.h"

#include <utility>

#include <QPointer>

#include "app/ui/core/dispose.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

ModelGraphs::ModelGraphs(Studio& studio, QObject* parent) : QObject(parent), m_studio(studio) {}

void ModelGraphs::read(const session::ModelRequest& asked, Source source) {
    m_editing.stop();
    session::ModelViewRequest request;
    static_cast<session::ModelRequest&>(request) = asked;
    const quint64 number = ++m_request;
    m_source = source;
    m_arriving = nullptr;
    CarryRequest carrying;
    carrying.before = m_snapshot;
    carrying.keys = m_boxKeys;
    carrying.shown = m_shown;
    carrying.generation = number;
    m_reading.run(
        [this, request, number, carrying, source,
         guarded = QPointer<ModelGraphs>(this)](const std::atomic<bool>& stopped) mutable {
            request.cancelled = &stopped;
            request.published = [this, number, guarded, &stopped](session::SnapshotPtr snapshot) {
                if (stopped || snapshot->is_complete)
                    return;
                QMetaObject::invokeMethod(
                    qApp,
                    [this, guarded, number, snapshot] {
                        if (guarded && number == m_request)
                            take(snapshot, {});
                    },
                    Qt::QueuedConnection);
            };
            Arrived out{session::view_model(request), {}};
            carrying.stopped = &stopped;
            if (source == Source::Script && !out.snapshot->graphs.empty())
                out.carry = carryOver(carrying, *out.snapshot);
            return out;
        },
        [this](const Arrived& arrived) { take(arrived.snapshot, arrived.carry); });
    emit stateChanged();
}

void ModelGraphs::stop() {
    m_reading.cancel();
    emit stateChanged();
}

void ModelGraphs::textEdited() {
    m_isTyped = true;
    m_editing.start(m_studio.settings.number(Setting::DebounceMs));
    emit stateChanged();
}

QString ModelGraphs::doing() const {
    if (!isBusy())
        return {};
    if (!m_arriving)
        return tr("reading");
    return m_arriving->phase == session::ModelPhase::Imported ? tr("optimising") : tr("planning");
}

bool ModelGraphs::isBroken() const {
    return m_snapshot && m_snapshot->graphs.empty();
}

bool ModelGraphs::isBehind() const {
    return m_editing.isActive() || (m_failed && m_source == Source::Script) || (m_isTyped && m_snapshot && isBusy());
}

QString ModelGraphs::whyBehind() const {
    if (!m_failed || m_source != Source::Script)
        return {};
    for (const session::DiagnosticView& each : m_failed->diagnostics)
        if (each.severity == Severity::Error)
            return each.place.known() ? tr("line %1: %2").arg(each.place.line).arg(QString::fromStdString(each.message))
                                      : QString::fromStdString(each.message);
    return tr("the script has mistakes");
}

void ModelGraphs::take(const session::SnapshotPtr& snapshot, const ModelCarry& carried) {
    m_arriving = snapshot;
    // What was there stays until the new one is as far, or until it is known to be broken: nothing flickers. While a script
    // is edited it stays until all of the new one is there, with what has become of the selection.
    const bool stays = m_source == Source::Script && hasGraph() && (snapshot->graphs.empty() || !snapshot->is_complete);
    const bool worse = m_snapshot && !snapshot->is_complete && m_snapshot->phase > snapshot->phase;
    m_isTyped = m_isTyped && !snapshot->is_complete;
    if (snapshot->is_complete)
        m_failed = stays ? snapshot : nullptr;
    if (!worse && !stays)
        replace(snapshot, carried);
    emit stateChanged();
}

void ModelGraphs::replace(const session::SnapshotPtr& snapshot, const ModelCarry& carried) {
    session::SnapshotPtr before = std::exchange(m_snapshot, snapshot);
    if (m_shown >= 0) // the same pass, which may have another number
        m_shown = before && m_shown < static_cast<int>(before->graphs.size())
                      ? graphOfPass(*m_snapshot, before->graphs[std::size_t(m_shown)]->pass)
                      : -1;
    if (carried.keys)
        m_boxKeys = carried.keys;
    emit replaced(carried);
    emit snapshotChanged();
    emit shownChanged();
    disposeInBackground(std::move(before));
}

int ModelGraphs::shownNumber() const {
    const int count = m_snapshot ? static_cast<int>(m_snapshot->graphs.size()) : 0;
    return m_shown >= 0 && m_shown < count ? m_shown : count - 1;
}

void ModelGraphs::setShown(int number) {
    const int before = shownNumber();
    m_shown = m_snapshot && number == static_cast<int>(m_snapshot->graphs.size()) - 1 ? -1 : number;
    if (shownNumber() == before)
        return;
    emit shownChanged();
    m_studio.commands.refresh();
}

const session::ModelGraph* ModelGraphs::shown() const {
    return shownNumber() < 0 ? nullptr : m_snapshot->graphs[static_cast<std::size_t>(shownNumber())].get();
}

const session::ModelGraph* ModelGraphs::last() const {
    return m_snapshot ? m_snapshot->last() : nullptr;
}

} // namespace hidet::ui
