// SPDX-License-Identifier: GPL-3.0-only
// Compiles, measures and compares models in the workers that scripts run in, follows how far that is, and tells the model
// what came of it. One for each window; everything here is on the GUI thread.
#pragma once

#include <memory>
#include <optional>

#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QPointer>

#include "app/ui/graph/runs/model_report.h"
#include "app/ui/workbench/run_services.h"

namespace hidet::ui {

class LiveModel;
class Workers;
struct Studio;

struct ModelRunning {
    QPointer<LiveModel> model;
    ModelJob job = ModelJob::Bench;
    QString target;
    QString doing;                     // "compiling, 3 of 12"
    std::optional<double> fraction;    // nothing: not known
    std::optional<double> secondsLeft; // of what is being done
    bool cancelling = false;
    QElapsedTimer since;
    QString words() const; // "Compiling, 3 of 12, 8.1 s, about 20 s left"
};

class ModelRuns : public QObject {
    Q_OBJECT
public:
    explicit ModelRuns(Studio& studio); // after its RunController
    ~ModelRuns() override;

    // Of the model in front. No target: that of the settings.
    void start(ModelJob job, const QString& target = {});
    QString obstacle() const; // why that cannot be now; empty: it can
    void cancel();
    const ModelRunning* running() const { return m_running ? &*m_running : nullptr; }
    bool isRunning(const LiveModel& model) const { return m_running && m_running->model == &model; }

    const ModelReport* report(const LiveModel& model) const; // of the last job; null: there was none
    void doNext(const ModelReport& report);                  // its next step
    void restartWorker();

signals:
    void runningChanged(); // began, ended, is at something else
    void reportChanged(hidet::ui::LiveModel* model);

private:
    struct Mailbox; // what a service's threads have for us

    void bindCommands();
    void showFirstBad();
    Workers& workers() const;
    session::Job jobOf(const LiveModel& model, const ModelReport& report) const;
    void take(); // what lies in the mailbox
    void finish(const session::Answer& answer);
    void tell(LiveModel& model, const ModelReport& report);
    void complain(LiveModel& model, const ModelReport& report);
    static QString noticeOf(const LiveModel& model);

    Studio& m_studio;
    QHash<const LiveModel*, ModelReport> m_reports;
    std::optional<ModelRunning> m_running;
    ModelReport m_next; // what is being done
    session::Ticket m_ticket = 0;
    RunPlace m_place = RunPlace::Gpu;
    std::shared_ptr<Mailbox> m_mailbox;
};

} // namespace hidet::ui
