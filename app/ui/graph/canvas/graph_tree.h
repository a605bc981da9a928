// SPDX-License-Identifier: GPL-3.0-only
// The modules and operators of the model in front as a tree: the groups of its picture, with what is in them. A click goes there;
// the row of what is selected follows. Rows are made when their group is opened, so that a model of 20,000 operators costs nothing.
#pragma once

#include <QStackedLayout>
#include <QTreeWidget>

#include "app/ui/core/latest_task.h"
#include "app/ui/graph/canvas/picture_text.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class GraphTree : public QWidget {
public:
    explicit GraphTree(Studio& studio) : m_studio(studio) {
        m_stack->addWidget(m_tree);
        m_stack->addWidget(m_empty);
        setFocusProxy(m_tree);
        m_tree->setObjectName("outline.graph");
        makeTree(*m_tree, tr("Modules and operators"), 16);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &GraphTree::attach);
        connect(m_tree, &QTreeWidget::itemExpanded, this, &GraphTree::fill);
        onChosen(*m_tree, this, [this](QTreeWidgetItem* item) { go(*item); });
        attach();
    }

protected:
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        renew();
    }

private:
    using Boxes = std::shared_ptr<const session::GraphBoxes>;
    struct Part {
        bool isGroup;
        std::uint32_t index; // of the groups or of the boxes
    };
    enum Role { GroupRole = Qt::UserRole, BoxRole };

    void attach() {
        if (m_model)
            m_model->unfollow(this);
        m_model = m_studio.tabs.model();
        if (m_model) {
            connect(&m_model->graphs(), &ModelGraphs::shownChanged, this, &GraphTree::renew);
            connect(&m_model->display(), &GraphDisplay::groupingChanged, this, &GraphTree::renew);
            connect(&m_model->selection(), &GraphSelection::selectionChanged, this, &GraphTree::follow);
        }
        renew();
    }

    // Equal blocks are found beside the window's thread.
    void renew() {
        if (!isVisible() || !m_model)
            return;
        const session::SnapshotPtr snapshot = m_model->graphs().snapshot();
        if (!m_model->graphs().shown())
            return take(nullptr);
        m_making.run([snapshot, graph = m_model->graphs().shown(), grouping = m_model->display().grouping()](
                         const std::atomic<bool>&) { return graph->boxes(grouping); },
                     [this](const Boxes& boxes) { take(boxes); });
    }

    void take(const Boxes& boxes) {
        if (boxes && boxes == m_boxes)
            return;
        m_boxes = boxes;
        m_tree->clear();
        m_parts.assign(boxes ? boxes->groups.size() : 0, {});
        std::vector<bool> isKnown(m_parts.size());
        for (std::uint32_t box = 0; boxes && box < boxes->boxes.size(); ++box) {
            std::uint32_t in = boxes->drawn.nodes[box].group;
            m_parts[in].push_back({false, box});
            for (; in != 0 && !isKnown[in]; in = boxes->drawn.groups[in].parent) {
                isKnown[in] = true;
                m_parts[boxes->drawn.groups[in].parent].push_back({true, in});
            }
        }
        if (boxes)
            addParts(*m_tree->invisibleRootItem(), 0);
        m_empty->setText(tr("Modules and operators of the model will be listed here"));
        m_stack->setCurrentIndex(m_tree->topLevelItemCount() > 0 ? 0 : 1);
        follow();
    }

    void addParts(QTreeWidgetItem& parent, std::uint32_t group) {
        QList<QTreeWidgetItem*> rows;
        for (const Part& part : m_parts[group])
            rows << rowOf(part);
        parent.addChildren(rows);
    }

    QTreeWidgetItem* rowOf(const Part& part) const {
        if (!part.isGroup) {
            auto* row = new QTreeWidgetItem({QString::fromStdString(m_boxes->boxes[part.index].label)});
            row->setData(0, BoxRole, part.index);
            return row;
        }
        auto* row = new QTreeWidgetItem({titleOf(m_boxes->groups[part.index])});
        row->setData(0, GroupRole, part.index);
        row->setToolTip(0, tr("%1 operators").arg(m_boxes->groups[part.index].boxes));
        row->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
        return row;
    }

    void fill(QTreeWidgetItem* row) {
        if (row->childCount() == 0)
            addParts(*row, row->data(0, GroupRole).toUInt());
    }

    void go(const QTreeWidgetItem& row) {
        if (!m_model || !m_boxes)
            return;
        if (const QVariant group = row.data(0, GroupRole); group.isValid())
            return m_model->selection().goTo(GraphItem::ofGroup(m_boxes->drawn.groups[group.toUInt()].key), this);
        const session::GraphBox& box = m_boxes->boxes[row.data(0, BoxRole).toUInt()];
        m_model->selection().goTo(
            box.kind == session::BoxKind::Operator ? GraphItem::ofNode(box.node) : GraphItem::ofValue(box.value), this);
    }

    // The row of what is selected; of what is in a closed group that group's.
    void follow() {
        if (!isVisible() || !m_model || !m_boxes || m_tree->hasFocus())
            return;
        const GraphItem& selected = m_model->selection().selected();
        const auto box = m_boxes->box_of_node.find(selected.node);
        std::vector<std::uint32_t> around; // groups, from the inside out
        if (box != m_boxes->box_of_node.end())
            around.push_back(m_boxes->drawn.nodes[box->second].group);
        else if (const auto group = std::ranges::find(m_boxes->drawn.groups, selected.group, &drawing::ViewGroup::key);
                 selected.kind == GraphItem::Kind::Group && group != m_boxes->drawn.groups.end())
            around.push_back(std::uint32_t(group - m_boxes->drawn.groups.begin()));
        else
            return m_tree->setCurrentItem(nullptr);
        while (around.back() != 0)
            around.push_back(m_boxes->drawn.groups[around.back()].parent);
        QTreeWidgetItem* at = m_tree->invisibleRootItem();
        bool isOpen = true;
        for (auto group = around.rbegin() + 1; group != around.rend() && isOpen; ++group) {
            at = childOf(*at, GroupRole, *group);
            isOpen = at->isExpanded();
        }
        if (isOpen && box != m_boxes->box_of_node.end())
            at = childOf(*at, BoxRole, box->second);
        m_tree->setCurrentItem(at);
        m_tree->scrollToItem(at);
    }

    static QTreeWidgetItem* childOf(QTreeWidgetItem& parent, Role role, std::uint32_t index) {
        for (int i = 0; i < parent.childCount(); ++i)
            if (const QVariant is = parent.child(i)->data(0, role); is.isValid() && is.toUInt() == index)
                return parent.child(i);
        return &parent;
    }

    Studio& m_studio;
    QTreeWidget* m_tree = new QTreeWidget(this);
    QLabel* m_empty = newHint(16, this);
    QStackedLayout* m_stack = new QStackedLayout(this);
    QPointer<LiveModel> m_model;
    Boxes m_boxes;
    std::vector<std::vector<Part>> m_parts; // by group
    LatestTask m_making;
};

} // namespace hidet::ui
