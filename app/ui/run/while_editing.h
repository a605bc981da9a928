// SPDX-License-Identifier: GPL-3.0-only
// Checks and measures the kernel in front again when nobody has typed for a while and the text is free of mistakes; off until
// the user says otherwise. The newest text wins, and what the user runs himself comes first.
#pragma once

#include <QObject>
#include <algorithm>

#include "app/ui/core/one_shot.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class RunController;

class WhileEditing : public QObject {
    Q_OBJECT
public:
    WhileEditing(Studio& studio, RunController& runs)
        : QObject(&runs), m_studio(studio), m_runs(runs), m_pause(pause_ms, [this] {
              m_isDue = true;
              run();
          }) {
        connect(&studio.tabs, &OpenTabs::documentAdded, this, [this](Document* document) {
            connect(document, &Document::textChanged, this, [this, document] {
                if (document == m_studio.tabs.current())
                    wait();
            });
        });
        connect(&studio.tabs, &OpenTabs::currentChanged, this, [this] {
            m_pause.stop();
            m_isDue = false;
        });
        connect(&studio.scripts, &LiveScripts::liveUpdated, this, &WhileEditing::run);
        connect(&runs, &RunController::signaturesChanged, this, &WhileEditing::run);
        connect(studio.jobs, &JobRunner::changed, this, &WhileEditing::run, Qt::QueuedConnection);
        studio.settings.follow({Setting::MeasureWhileEditing}, this, [this] { wait(); });
        studio.commands.bind(Command::RunWhileEditing, this, [this] {
            m_studio.settings.set(Setting::MeasureWhileEditing, !isOn());
            m_studio.notices.showStatus(isOn() ? tr("The kernel is measured again when you pause")
                                               : tr("The kernel is measured when you run it"));
        });
    }

private:
    static constexpr int pause_ms = 500;

    bool isOn() const { return m_studio.settings.flag(Setting::MeasureWhileEditing); }
    // for the pause
    void wait() {
        m_isDue = false;
        if (isOn() && m_studio.tabs.current())
            m_pause.start();
        else
            m_pause.stop();
    }

    // if it is time
    void run() {
        const Document* document = m_studio.tabs.current();
        const LivePipeline* live = m_studio.scripts.live();
        if (!m_isDue || !document || !live || !live->latest())
            return;
        const session::LiveSnapshot& latest = *live->latest();
        const bool isLowered = std::ranges::none_of(latest.modules, [](const session::LiveModule& module) {
            return module.lowering == session::Progress::Pending;
        });
        if (live->evaluatedText() != document->text() || !latest.evaluated || !(isLowered || latest.complete))
            return; // it comes with an update
        if (latest.has_errors || latest.modules.empty()) {
            m_isDue = false; // until the text changes
            return;
        }
        if (const RunningJob* job = m_studio.jobs->running()) {
            if (m_runs.isByItself() && !job->cancelling)
                m_studio.jobs->cancel(); // of a text that is no more
            return;                      // it comes when that has ended
        }
        if (!m_runs.signaturesAreCurrent() || !m_runs.whyNotRunnable().isEmpty())
            return;
        m_isDue = false;
        m_runs.runByItself();
    }

    Studio& m_studio;
    RunController& m_runs;
    OneShot m_pause;
    bool m_isDue = false; // the pause is over, and the text was not run yet
};

} // namespace hidet::ui
