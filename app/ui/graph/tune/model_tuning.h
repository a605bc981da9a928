// SPDX-License-Identifier: GPL-3.0-only
// The schedules that the operators of a model may have: what is predicted of each and what was measured, by jobs and by those
// that came before. What is known already is looked up on another thread whenever the model is another; choices of schedules
// leave it as it is.
#pragma once

#include <memory>
#include <optional>

#include <QObject>

#include "app/session/model/tune/candidates.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

class ModelTuning : public QObject {
    Q_OBJECT
public:
    static ModelTuning& of(LiveModel& model);          // made by the first who asks; lives as long as the model
    static void leave(LiveModel* model, QObject* who); // who listened to both, and looked; null: nobody did

    using ResultPtr = std::shared_ptr<const session::ModelTuneResult>;
    ResultPtr result() const { return m_result; } // null: nothing was looked up yet
    bool isBusy() const { return m_recalling.busy() || m_looking.busy(); }
    bool isStale() const { return m_result && m_resultOf != m_state; } // of another state of the model
    // Of the operators that share a kernel with the node of the last graph. Null: no template is for them.
    const session::TunedOperator* operatorOf(quint32 node) const;
    session::CandidateTable tableOf(const session::TunedOperator& op) const;

    int level() const { return m_level; } // 1: few candidates, 2: many
    void setLevel(int level);
    // Nothing is looked up while nobody looks.
    void setWanted(const QObject* who, bool wanted);
    const std::string& records() const { return m_records; }
    void setRecords(const QString& file); // empty: the user's

    void take(ResultPtr result, quint64 revision); // of a job
    // One step of undo. An empty schedule: nobody's choice.
    void choose(const session::TunedOperator& op, const std::string& schedule);
    void chooseFastest();
    // Plans the model with that schedule on another thread, and lets the code be seen.
    void showCode(const session::TunedOperator& op, const std::string& schedule);

    // What the copies of templates that the model is compiled with change of the operator's kernel.
    struct Effect {
        std::optional<double> predictedBefore, predictedAfter; // seconds
        std::optional<double> measuredBefore, measuredAfter;
        QString where; // it was measured
    };
    std::optional<Effect> effectOf(quint32 node) const; // nothing: there is no copy, or the kernel is not of a template

signals:
    void changed();
    void failed(const QString& sentence); // the code of a candidate cannot be shown

private:
    explicit ModelTuning(LiveModel& model);
    struct Found {
        ResultPtr now, before; // before: without copies of templates; null: there are none
    };
    struct Measured { // of the model, with copies of templates or without
        std::shared_ptr<const session::ModelBenchResult> bench;
        std::string of; // choices and dimensions
    };
    std::string stateNow() const;
    std::string settingNow() const;
    void note();
    void noteFindings();
    void recall();
    void merge(); // what jobs found into what was looked up
    quint32 anchorOf(quint32 node) const;
    std::optional<double> predictedIn(const ResultPtr& result, quint32 node) const;
    std::optional<double> measuredIn(const Measured& measured, quint32 node) const;

    LiveModel& m_model;
    int m_level = 1;
    std::string m_records;
    QSet<const QObject*> m_watchers;
    quint64 m_reads = 0; // of the model's file and scripts
    bool m_onlyChoices = false;
    quint64 m_revision = 0;
    std::string m_state, m_resultOf;
    ResultPtr m_result, m_before;
    std::vector<session::TunedOperator> m_tuned; // by jobs
    std::string m_tunedOf;
    Measured m_measuredBefore, m_measuredAfter;
    LatestTask m_recalling, m_looking;
};

} // namespace hidet::ui
