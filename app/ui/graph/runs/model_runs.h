// SPDX-License-Identifier: GPL-3.0-only
// Compiles, measures, compares and tunes models where scripts run too, and tells the model what came of it. One for each window; everything here is on the GUI thread.
#pragma once

#include <QHash>
#include <QObject>

#include "app/session/worker/jobs.h"
#include "app/ui/graph/runs/model_history_store.h"
#include "app/ui/graph/runs/model_report.h"

namespace hidet::ui {

class LiveModel;
struct Studio;

class ModelRuns : public QObject {
    Q_OBJECT
public:
    explicit ModelRuns(Studio& studio);

    // Of the model in front. No target: that of the settings.
    void start(ModelJob job, std::optional<session::Placement> target = {});
    void tune(TuneOrder order, std::optional<session::Placement> target = {});
    QString whyNotRunnable() const; // why that cannot be now; empty: it can

    const ModelReport* report(const LiveModel& model) const; // of the last job; null: there was none
    ModelHistoryStore& history() { return m_history; }
    // Asks whoever compares models to show the run beside the model.
    void compareWithKept(LiveModel& model, const session::ModelRecord& run);
    void doNext(const ModelReport& report); // its next step
    // Where the files of what the model's comparison put out are, for as long as somebody has it; null: there are none.
    std::shared_ptr<const QTemporaryDir> tensors(const LiveModel& model) const { return m_tensors.value(&model); }

signals:
    void reportChanged(hidet::ui::LiveModel* model);
    // The document of the run's graph.
    void comparisonRequested(hidet::ui::LiveModel* model, const hidet::session::ModelRecord& run, const QString& path);

private:
    void bindCommands();
    void showFirstBad();
    void start(const QString& refusal, ModelJob job, TuneOrder tuning, std::optional<session::Placement> target);
    void again(const ModelReport& report, session::Placement target);
    void start(LiveModel& model, ModelReport report);
    void conclude(LiveModel& model, ModelReport report, const session::Answer& answer, double seconds);
    bool goesOn(LiveModel& model, const ModelReport& report);
    session::Job jobOf(const LiveModel& model, const ModelReport& report) const;
    void tell(LiveModel& model, const ModelReport& report);
    void showError(LiveModel& model, const ModelReport& report);
    void keep(const LiveModel& model, const ModelReport& report);
    static QString noticeOf(const LiveModel& model);

    Studio& m_studio;
    ModelHistoryStore m_history;
    QHash<const LiveModel*, ModelReport> m_reports;
    QHash<const LiveModel*, std::shared_ptr<const QTemporaryDir>> m_tensors;
};

} // namespace hidet::ui
