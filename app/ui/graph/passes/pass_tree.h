// SPDX-License-Identifier: GPL-3.0-only
// The graphs of a model, import first, with what each pass did: how many operators are new, gone or read something else, and
// which rules matched how often.
#pragma once

#include <QHeaderView>
#include <QTreeWidget>
#include <map>

#include "app/ui/core/words.h"
#include "app/ui/graph/tables/figure_unit.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class PassTree : public QTreeWidget {
    Q_OBJECT
public:
    explicit PassTree(Studio& studio, QWidget* parent = nullptr) : QTreeWidget(parent), m_studio(studio) {
        named(this, "graph_passes.list", tr("Passes of the model"));
        setColumnCount(ColumnCount);
        makeTree(*this);
        alignRight(*headerItem(), New, Time);
        header()->setStretchLastSection(false);
        header()->setSectionResizeMode(QHeaderView::ResizeToContents);
        header()->setSectionResizeMode(Pass, QHeaderView::Stretch);
        header()->setMinimumSectionSize(40);
        // Arrow keys and clicks alike; what the slider does comes through follow(), with signals held back.
        connect(this, &QTreeWidget::currentItemChanged, this, &PassTree::choose);
        connect(this, &QTreeWidget::itemClicked, this, &PassTree::choose);
        studio.themes.follow(this, [this] {
            setFont(m_studio.themes.smallFont());
            fill();
        });
    }

    void show(LiveModel* model) {
        const session::SnapshotPtr snapshot = model ? model->graphs().snapshot() : nullptr;
        const bool same = model == m_model && snapshot == m_shown.lock();
        m_model = model;
        m_shown = snapshot;
        if (!same)
            fill();
        follow();
    }

    using QWidget::show;
    // the graph that the model shows
    void follow() {
        const QSignalBlocker quiet(this);
        const int shown = m_model ? m_model->graphs().shownNumber() : -1;
        if (currentItem() && currentItem()->data(Pass, place_role).toInt() == shown && currentItem()->isSelected())
            return;
        QTreeWidgetItem* item = shown >= 0 && shown < topLevelItemCount() ? topLevelItem(shown) : nullptr;
        setCurrentItem(item);
        if (item)
            scrollToItem(item);
        viewport()->update(); // signals were held back, those to the view as well
    }

private:
    static constexpr int place_role = Qt::UserRole;    // of the graph
    static constexpr int rule_role = Qt::UserRole + 1; // of a row below a pass
    static QString counted(std::size_t count, QChar sign) {
        return count ? (sign.isNull() ? QString() : QString(sign)) + QString::number(count) : QString();
    }

    enum Column { Pass, New, Gone, Rewired, Time, ColumnCount };
    void fill() {
        const QSignalBlocker quiet(this);
        QSet<QString> shut;
        for (int i = 0; i < topLevelItemCount(); ++i)
            if (topLevelItem(i)->childCount() > 0 && !topLevelItem(i)->isExpanded())
                shut << topLevelItem(i)->text(Pass);
        clear();
        double longest = 0;
        const session::SnapshotPtr shown = m_shown.lock();
        if (shown)
            for (const auto& graph : shown->graphs)
                longest = std::max(longest, graph->ms / 1000);
        const FigureUnit unit = unitOfSeconds(longest);
        setHeaderLabels({tr("Pass"), tr("New"), tr("Removed"), tr("Rewired"), unit.name});
        if (shown)
            for (std::size_t i = 0; i < shown->graphs.size(); ++i)
                addPass(*shown->graphs[i], static_cast<int>(i), unit);
        for (int i = 0; i < topLevelItemCount(); ++i)
            topLevelItem(i)->setExpanded(!shut.contains(topLevelItem(i)->text(Pass)));
    }

    void addPass(const session::ModelGraph& graph, int place, const FigureUnit& unit) {
        const Theme& theme = m_studio.themes.theme();
        auto* item = new QTreeWidgetItem(this);
        item->setData(Pass, place_role, place);
        item->setText(Pass, QString::fromStdString(graph.title));
        item->setToolTip(Pass, sentence(graph.summary));
        if (place > 0) {
            item->setText(New, counted(graph.added.size(), '+'));
            item->setText(Gone, counted(graph.removed.size(), QChar(0x2212)));
            item->setText(Rewired, counted(graph.rewired.size(), {}));
            item->setText(Time, unit.text(graph.ms / 1000));
        } else {
            item->setText(New, QString::number(graph.nodes.size()));
            item->setToolTip(New, tr("Operators of the model"));
        }
        item->setForeground(New, place > 0 ? theme.ok : theme.muted);
        item->setForeground(Gone, theme.error);
        alignRight(*item, New, Time);
        std::map<std::string, std::size_t> rules;
        for (const session::GraphMatch& match : graph.matches)
            ++rules[match.rule];
        const std::string plain = graph.pass.substr(0, graph.pass.find('#'));
        for (const auto& [rule, count] : rules) {
            if (rule == plain) // a pass without rules of its own
                continue;
            auto* row = new QTreeWidgetItem(item);
            row->setData(Pass, place_role, place);
            row->setData(Pass, rule_role, QString::fromStdString(rule));
            row->setText(Pass, tr("%1 %2%3").arg(QString::fromStdString(rule), QChar(0xD7)).arg(count));
            row->setForeground(Pass, theme.muted);
            row->setToolTip(Pass, tr("Marks what the rule made"));
        }
    }

    void choose(QTreeWidgetItem* item) {
        const session::SnapshotPtr shown = m_shown.lock();
        if (!m_model || !item || !shown)
            return;
        const int place = item->data(Pass, place_role).toInt();
        const std::string rule = item->data(Pass, rule_role).toString().toStdString();
        m_model->graphs().setShown(place);
        if (rule.empty())
            return;
        QSet<quint32> made;
        for (const session::GraphMatch& match : shown->graphs[static_cast<std::size_t>(place)]->matches)
            if (match.rule == rule)
                made += QSet<quint32>(match.after.begin(), match.after.end());
        if (!made.isEmpty())
            m_model->selection().mark(made);
    }

    Studio& m_studio;
    QPointer<LiveModel> m_model;
    std::weak_ptr<const session::ModelSnapshot> m_shown; // is not kept for this
};

} // namespace hidet::ui
