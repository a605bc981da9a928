// SPDX-License-Identifier: GPL-3.0-only
// What the choices of a model change: the model with them against the same without any, predicted at once and measured once
// both were run. The model without choices is looked at once for each state of its file, on another thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QObject>

#include "app/session/model/tune/what_if.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

class ChoiceEffects : public QObject {
    Q_OBJECT
public:
    static ChoiceEffects& of(LiveModel& model); // made by the first who asks; lives as long as the model

    // A decision in the list: one that is switched off is no longer in the choices, but can be switched on again.
    struct Row {
        session::ListedChoice listed;
        bool isOn = true;
        std::optional<session::ModelChange> change; // nothing: not known yet, or it is off
    };
    const std::vector<Row>& rows() const { return m_rows; }
    void setOn(const session::ModelChoice& choice, bool on);
    void remove(const session::ModelChoice& choice);

    // Chooses that the two operators of the edge share a kernel, or tells why they cannot: then nothing is chosen.
    void fuse(const GraphItem& edge, std::function<void(const QString& reason)> refused);

    // Without choices and with them, both planned and of today; nothing: on its way, or the model cannot be planned.
    const std::optional<session::ModelTotals>& before() const { return m_before; }
    std::optional<session::ModelTotals> after() const;
    // Of today; null: not measured.
    std::shared_ptr<const session::ModelBenchResult> measuredBefore() const { return m_measuredBefore; }
    std::shared_ptr<const session::ModelBenchResult> measuredAfter() const;
    bool isBusy() const { return m_baseline.busy() || m_each.busy(); }
    // Effects are found only while somebody looks at them.
    void setWanted(bool wanted);

signals:
    void changed();

private:
    explicit ChoiceEffects(LiveModel& model);
    void noteRevision();
    void noteSnapshot();
    void noteFindings();
    void list();
    void findBaseline();
    void findEach();
    void setChange(const std::string& choices, const session::ModelChoice& choice, const session::ModelChange& change);

    LiveModel& m_model;
    bool m_wanted = false;
    bool m_onlyChoices = false; // are what the next revision changes
    quint64 m_revision = 0;
    std::vector<Row> m_rows;
    std::vector<session::ModelChoice> m_off; // that the user switched off
    std::string m_eachOf;                    // the choices that changes were sought for
    std::optional<session::ModelTotals> m_before;
    bool m_baselineFailed = false;
    std::shared_ptr<const session::ModelBenchResult> m_measuredBefore;
    LatestTask m_baseline, m_each, m_trial;
};

} // namespace hidet::ui
