// SPDX-License-Identifier: GPL-3.0-only
// Two open models that are compared: which of their operators are the same, and one selection, one hover and one state of
// groups for both. While it lives the nodes of both are coloured by what differs.
#pragma once

#include <QScopedValueRollback>

#include "app/session/model/compare/compare_models.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/graph/compare/compare_table.h"

namespace hidet::ui {

struct PairTables { // made with the comparison
    CompareRows differences, kernels, totals;
};

class ModelPair : public QObject {
    Q_OBJECT
public:
    ModelPair(LiveModel& left, LiveModel& right, QObject* parent) : QObject(parent), m_left(&left), m_right(&right) {
        // Several things change at once when a pass is chosen or a snapshot arrives.
        right.display().setGrouping(left.display().grouping());
        watch(left);
        watch(right);
        m_pause.start();
    }

    ~ModelPair() override {
        for (LiveModel* model : {m_left.data(), m_right.data()})
            if (model)
                model->display().setCompared({});
    }

    LiveModel& left() const { return *m_left; }
    LiveModel& right() const { return *m_right; }
    bool has(const LiveModel* model) const { return model == m_left || model == m_right; }
    void swap() {
        std::swap(m_left, m_right);
        forget();
        m_pause.start();
    }

    const session::ModelComparison* comparison() const { return m_comparison.get(); } // null: none yet
    const PairTables& tables() const { return m_tables; }
    bool isBusy() const { return m_job.busy() || m_pause.isActive(); }
    // empty: there is a comparison, or it is on its way
    QString whyNone() const {
        if (m_comparison)
            return {};
        for (const LiveModel* model : {m_left.data(), m_right.data()})
            if (!model->graphs().shown())
                return model->graphs().isBroken() ? tr("%1 could not be read").arg(model->title())
                       : model->graphs().isBusy() ? tr("%1 is being read").arg(model->title())
                                                  : tr("%1 was not read").arg(model->title());
        return {};
    }

    // Selects on both sides, and brings into view; of what is on one side alone that side.
    void show(const GraphItem& left, const GraphItem& right) {
        {
            const QScopedValueRollback following(m_isFollowing, true);
            const auto showOn = [this](LiveModel& model, const GraphItem& item) {
                model.selection().select(item, this);
                if (item)
                    model.selection().reveal(item);
            };
            showOn(*m_left, left);
            showOn(*m_right, right);
        }
        emit selected();
    }

    // none: it has none
    GraphItem partnerOf(const LiveModel& model, const GraphItem& item) const {
        if (!m_comparison)
            return {};
        const bool fromLeft = &model == m_left;
        const session::GraphMatching& matching = m_comparison->matching;
        const auto node = [&](quint32 id) { return fromLeft ? matching.right_of(id) : matching.left_of(id); };
        const auto value = [&](quint32 id) {
            const auto& values = fromLeft ? matching.value_of_left : matching.value_of_right;
            const auto at = values.find(id);
            return at == values.end() ? session::no_id : at->second;
        };
        switch (item.kind) {
        case GraphItem::Kind::None: return {};
        case GraphItem::Kind::Node: {
            const quint32 partner = node(item.node);
            return partner == session::no_id ? GraphItem() : GraphItem::ofNode(partner);
        }
        case GraphItem::Kind::Value: {
            const quint32 partner = value(item.value);
            return partner == session::no_id ? GraphItem() : GraphItem::ofValue(partner);
        }
        case GraphItem::Kind::Edge: {
            const quint32 partner = value(item.value), consumer = node(item.node);
            const bool is = partner != session::no_id && (consumer != session::no_id || item.node == session::no_id);
            return is ? GraphItem::ofEdge(partner, consumer) : GraphItem();
        }
        case GraphItem::Kind::Group: {
            const auto& groups = fromLeft ? m_toRight : m_toLeft;
            const auto at = groups.find(item.group);
            return at == groups.end() ? GraphItem() : GraphItem::ofGroup(*at);
        }
        }
        return {};
    }

signals:
    void changed();  // the comparison, or the sides
    void selected(); // by one of the views

private:
    struct Found {
        std::shared_ptr<const session::ModelComparison> comparison;
        std::shared_ptr<const session::ModelGraph> left, right; // that were compared
        PairTables tables;
        QHash<drawing::Key, drawing::Key> toRight, toLeft; // groups
        GraphDisplay::Compared nodesLeft, nodesRight;
    };
    static Found find(const session::ComparedModel& left, const session::ComparedModel& right,
                      const session::GroupingOptions& grouping, const std::atomic<bool>& stopped) {
        Found out;
        out.left = left.snapshot->graphs[left.shown];
        out.right = right.snapshot->graphs[right.shown];
        const auto comparison =
            std::make_shared<session::ModelComparison>(session::compare_models(left, right, &stopped));
        if (stopped)
            return out;
        const session::GraphMatching& matching = comparison->matching;
        const auto rows = [](QList<CompareRow> list) {
            return std::make_shared<const QList<CompareRow>>(std::move(list));
        };
        out.tables.differences = rows(differenceRows(*comparison, *out.left, *out.right));
        out.tables.kernels = rows(kernelRows(*comparison));
        out.tables.totals = rows(totalRows(*comparison));
        for (const session::GraphPair& pair : matching.nodes) {
            if (pair.left != session::no_id)
                out.nodesLeft[pair.left] = pair.state;
            if (pair.right != session::no_id)
                out.nodesRight[pair.right] = pair.state;
        }
        const auto leftBoxes = out.left->boxes(grouping), rightBoxes = out.right->boxes(grouping);
        for (const auto& [group, partner] : session::match_groups(*leftBoxes, *rightBoxes, matching)) {
            out.toRight[group] = partner;
            out.toLeft[partner] = group;
        }
        out.comparison = comparison;
        return out;
    }

    void watch(LiveModel& model) {
        m_open[&model] = model.display().open();
        const auto again = [this] { m_pause.start(); };
        connect(&model.graphs(), &ModelGraphs::shownChanged, this, again);
        connect(&model.graphs(), &ModelGraphs::snapshotChanged, this, again);
        connect(&model.results(), &ModelResults::findingsChanged, this, again);
        connect(&model, &LiveModel::stateChanged, this, &ModelPair::changed);
        connect(&model.display(), &GraphDisplay::groupingChanged, this, [this, &model, again] {
            other(model).display().setGrouping(model.display().grouping());
            again();
        });
        connect(&model.selection(), &GraphSelection::selectionChanged, this,
                [this, &model] { followSelection(model); });
        connect(&model.selection(), &GraphSelection::hoverChanged, this, [this, &model] {
            if (m_isFollowing)
                return;
            const QScopedValueRollback following(m_isFollowing, true);
            other(model).selection().hover(partnerOf(model, model.selection().hovered()), this);
        });
        connect(&model.display(), &GraphDisplay::foldingChanged, this, [this, &model] { followFolding(model); });
    }

    void compare() {
        if (!m_left->graphs().shown() || !m_right->graphs().shown())
            return forget();
        const auto side = [](const LiveModel& model) {
            session::ComparedModel out;
            out.snapshot = model.graphs().snapshot();
            out.shown = static_cast<std::size_t>(model.graphs().shownNumber());
            if (!model.results().isStale())
                out.findings = model.results().findings();
            return out;
        };
        m_job.run([left = side(*m_left), right = side(*m_right), grouping = m_left->display().grouping()](
                      const std::atomic<bool>& stopped) { return find(left, right, grouping, stopped); },
                  [this](Found found) { take(std::move(found)); });
        emit changed();
    }

    void take(Found found) {
        // What was shown meanwhile is being compared already.
        if (found.left.get() != m_left->graphs().shown() || found.right.get() != m_right->graphs().shown())
            return;
        const bool isFirst = !m_comparison;
        m_comparison = std::move(found.comparison);
        m_tables = std::move(found.tables);
        m_toRight = std::move(found.toRight);
        m_toLeft = std::move(found.toLeft);
        m_left->display().setCompared(std::move(found.nodesLeft));
        m_right->display().setCompared(std::move(found.nodesRight));
        if (isFirst) {
            openAlike(*m_left, m_left->display().open(), {});
            if (m_left->selection().selected())
                followSelection(*m_left);
        }
        emit changed();
    }

    void forget() {
        m_job.cancel();
        m_comparison = nullptr;
        m_tables = {};
        m_toLeft.clear();
        m_toRight.clear();
        m_left->display().setCompared({});
        m_right->display().setCompared({});
        emit changed();
    }

    LiveModel& other(const LiveModel& model) const { return &model == m_left ? *m_right : *m_left; }
    void followSelection(LiveModel& from) {
        if (m_isFollowing || !m_comparison)
            return;
        {
            const QScopedValueRollback following(m_isFollowing, true);
            LiveModel& to = other(from);
            const GraphItem partner = partnerOf(from, from.selection().selected());
            to.selection().select(partner, this);
            if (partner)
                to.selection().reveal(partner);
        }
        emit selected();
    }

    void followFolding(LiveModel& from) {
        const QSet<drawing::Key> before = std::exchange(m_open[&from], from.display().open());
        if (m_isFollowing || !m_comparison)
            return;
        openAlike(from, from.display().open() - before, before - from.display().open());
    }

    void openAlike(LiveModel& from, const QSet<drawing::Key>& opened, const QSet<drawing::Key>& closed) {
        const QScopedValueRollback following(m_isFollowing, true);
        const auto& groups = &from == m_left ? m_toRight : m_toLeft;
        LiveModel& to = other(from);
        QSet<drawing::Key> open = to.display().open();
        for (const drawing::Key group : opened)
            if (const auto at = groups.find(group); at != groups.end())
                open.insert(*at);
        for (const drawing::Key group : closed)
            if (const auto at = groups.find(group); at != groups.end())
                open.remove(*at);
        to.display().setAllOpen(open);
    }

    QPointer<LiveModel> m_left, m_right;
    std::shared_ptr<const session::ModelComparison> m_comparison;
    PairTables m_tables;
    QHash<drawing::Key, drawing::Key> m_toRight, m_toLeft;
    QHash<const LiveModel*, QSet<drawing::Key>> m_open; // as they were last seen
    bool m_isFollowing = false;                         // what a view hears of was done here
    OneShot m_pause{0, [this] { compare(); }};
    LatestTask m_job{LatestTask::Wanted::ByPerson}; // last: its results arrive here
};

} // namespace hidet::ui
