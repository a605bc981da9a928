// SPDX-License-Identifier: GPL-3.0-only
// Has jobs done by workers, of scripts and of models alike, one at a time: two processes that measure on one device would
// disturb each other. Whoever starts a job is told what it prints and how it ends; what is done now and how far that is stands
// here for everyone. One for each window; everything here is on the GUI thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>

#include "app/session/worker/device_workers.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/workbench/job_report.h"

namespace hidet::ui {

struct Studio;

struct RunningJob {
    QPointer<QObject> subject; // what has the tab
    QString title;             // "a script", "residual.onnx"
    session::Placement target{};
    QString doing;                     // "compiling, 3 of 12"
    std::optional<double> fraction;    // nothing: not known
    std::optional<double> secondsLeft; // of what is being done
    bool cancelling = false;
    QElapsedTimer since;
    QString words() const; // "Compiling, 3 of 12, 8.1 s, about 20 s left"
};

struct JobOrder {
    QObject* subject = nullptr;
    QString title;
    session::Placement target{};
    session::Job job;
    // Not called any more once `subject` is gone.
    std::function<void(const std::string& text)> printed;
    std::function<void(const session::Answer& answer, double seconds)> ended;
};

class JobRunner : public QObject {
    Q_OBJECT
public:
    JobRunner(Studio& studio, session::ServiceMaker make); // empty: worker processes
    ~JobRunner() override;

    QString whyNotRunnable() const; // why nothing can be started now, whatever it is; empty: it can
    QString targetProblem() const;  // why nothing runs on the target of the settings
    void start(JobOrder order);     // without an whyNotRunnable
    void cancel();
    const RunningJob* running() const { return m_running ? &*m_running : nullptr; }
    bool isRunning(const QObject& subject) const { return m_running && m_running->subject == &subject; }

    session::ServiceState
    workerState() const; // of the place of the last job, or of the target if that was chosen later
    void restartWorker();
    // What the report of a job proposes; `again` does the job again, on another target.
    void doNext(const JobReport& report, const std::function<void(session::Placement target)>& again);

signals:
    void changed(); // a job began or ended, or is at something else
    void workerChanged();

private:
    struct Mailbox;
    struct Bell;

    void bindCommands();
    void followSettings();
    void followRemoteWorker();
    void ring();
    void take(); // what lies in the mailbox
    void finish(session::Answer answer);
    void doubt(); // that it ends

    Studio& m_studio;
    static constexpr const char* endlessNotice = "endless";
    static constexpr int patience_ms = 5000; // without news

    std::optional<RunningJob> m_running;
    OneShot m_patience{patience_ms, [this] { doubt(); }};
    JobOrder m_order; // of it, but for the job
    session::Ticket m_ticket = 0;
    session::WorkerPlace m_place{};
    std::shared_ptr<Mailbox> m_mailbox;
    std::shared_ptr<Bell> m_bell;
    session::DeviceWorkers m_workers; // last: they call back until they are gone
};

} // namespace hidet::ui
