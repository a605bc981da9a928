// SPDX-License-Identifier: GPL-3.0-only
// Two open models that are compared: which of their operators are the same, and one selection, one hover and one state of
// groups for both. While it lives the nodes of both are coloured by what differs.
#pragma once

#include <QTimer>

#include "app/session/model/compare/compare_models.h"
#include "app/ui/graph/compare/compare_table.h"

namespace hidet::ui {

struct PairTables { // made with the comparison
    CompareRows differences, kernels, totals;
};

class ModelPair : public QObject {
    Q_OBJECT
public:
    ModelPair(LiveModel& left, LiveModel& right, QObject* parent);
    ~ModelPair() override;

    LiveModel& left() const { return *m_left; }
    LiveModel& right() const { return *m_right; }
    bool has(const LiveModel* model) const { return model == m_left || model == m_right; }
    void swap();

    const session::ModelComparison* comparison() const { return m_comparison.get(); } // null: none yet
    const PairTables& tables() const { return m_tables; }
    bool isBusy() const { return m_job.busy() || m_pause.isActive(); }
    QString whyNone() const; // empty: there is a comparison, or it is on its way

    // Selects on both sides, and brings into view; of what is on one side alone that side.
    void show(const GraphItem& left, const GraphItem& right);
    GraphItem partnerOf(const LiveModel& model, const GraphItem& item) const; // none: it has none

signals:
    void changed();  // the comparison, or the sides
    void selected(); // by one of the views

private:
    struct Found {
        std::shared_ptr<const session::ModelComparison> comparison;
        std::shared_ptr<const session::ModelGraph> left, right; // that were compared
        PairTables tables;
        QHash<drawing::Key, drawing::Key> toRight, toLeft; // groups
        LiveModel::Compared nodesLeft, nodesRight;
    };
    static Found find(const session::ComparedModel& left, const session::ComparedModel& right,
                      const session::GroupingOptions& grouping, const std::atomic<bool>& stopped);
    void watch(LiveModel& model);
    void compare();
    void take(Found found);
    void forget();
    LiveModel& other(const LiveModel& model) const { return &model == m_left ? *m_right : *m_left; }
    void followSelection(LiveModel& from);
    void followFolding(LiveModel& from);
    void openAlike(LiveModel& from, const QSet<drawing::Key>& opened, const QSet<drawing::Key>& closed);

    QPointer<LiveModel> m_left, m_right;
    std::shared_ptr<const session::ModelComparison> m_comparison;
    PairTables m_tables;
    QHash<drawing::Key, drawing::Key> m_toRight, m_toLeft;
    QHash<const LiveModel*, QSet<drawing::Key>> m_open; // as they were last seen
    bool m_isFollowing = false;                         // what a view hears of was done here
    QTimer m_pause;
    LatestTask m_job{LatestTask::Wanted::ByPerson}; // last: its results arrive here
};

} // namespace hidet::ui
