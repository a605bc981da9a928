// SPDX-License-Identifier: GPL-3.0-only
// What the worker does, in the status line: idle, busy with what and since when, lost because of what. Its menu restarts it.
#pragma once

#include <QMenu>
#include <QTimer>
#include <QToolButton>

#include "app/ui/core/icons.h"
#include "app/ui/core/placement.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class WorkerButton : public QToolButton {
    Q_OBJECT
public:
    WorkerButton(Studio& studio, QWidget* parent = nullptr) : QToolButton(parent), m_studio(studio) {
        setObjectName("worker");
        setPopupMode(InstantPopup);
        setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        setFocusPolicy(Qt::StrongFocus);
        auto* menu = new QMenu(this);
        menu->addAction(studio.commands.action(Command::RunCancel));
        menu->addAction(studio.commands.action(Command::RunRestartWorker));
        setMenu(menu);
        m_clock.setInterval(1000);
        connect(&m_clock, &QTimer::timeout, this, &WorkerButton::refresh);
        connect(studio.jobs, &JobRunner::workerChanged, this, &WorkerButton::refresh);
        connect(studio.jobs, &JobRunner::changed, this, &WorkerButton::refresh);
        connect(&studio.themes, &ThemeSource::changed, this, &WorkerButton::refresh);
        refresh();
    }

private:
    void refresh() {
        using Phase = session::ServiceState::Phase;
        const session::ServiceState state = m_studio.jobs->workerState();
        const Theme& theme = m_studio.themes.theme();
        // The name of this machine says nothing; that of another one does.
        const bool remote = info(placementOf(m_studio.settings)).worker == session::WorkerPlace::Remote;
        const QString host = QString::fromStdString(state.host);
        const QString where = !remote ? tr("local") : host.isEmpty() ? tr("remote") : host;
        const QString reason = QString::fromStdString(state.reason);
        QString what, hint = reason;
        QString glyph;
        QColor color = theme.muted;
        switch (state.phase) {
        case Phase::Resting: what = tr("starts with the first run"); break;
        case Phase::Starting: what = tr("starting"); break;
        case Phase::Idle: what = tr("idle"); break;
        case Phase::Busy: {
            const auto seconds =
                std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - state.since)
                    .count();
            const QString job = QString::fromStdString(state.doing);
            what = seconds >= 1 ? tr("%1, %2 s").arg(job).arg(seconds) : job;
            glyph = "run";
            color = theme.accent;
            break;
        }
        case Phase::Lost:
            what = tr("lost");
            glyph = "warning";
            color = theme.warning;
            hint = tr("%1. The next run starts another").arg(reason);
            break;
        case Phase::Broken:
            what = tr("gave up");
            glyph = "error";
            color = theme.error;
            hint = tr("%1. It was lost too often in a row: restart it").arg(reason);
            break;
        }
        setText(tr("Worker: %1, %2").arg(where, what));
        setIcon(glyph.isEmpty() ? QIcon() : ui::icon(glyph, color));
        setAccessibleName(tr("Worker"));
        setAccessibleDescription(hint.isEmpty() ? text() : text() + ". " + hint);
        setToolTip(hint.isEmpty() ? tr("Runs scripts in a process of its own") : hint);
        if (state.phase == Phase::Busy)
            m_clock.start();
        else
            m_clock.stop();
    }

    Studio& m_studio;
    QTimer m_clock;
};

} // namespace hidet::ui
