// SPDX-License-Identifier: GPL-3.0-only
// The graphs of a model, import first, with what each pass did: how many operators are new, gone or read something else, and
// which rules matched how often.
#pragma once

#include <QTreeWidget>

#include "app/ui/graph/tables/figure_unit.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class PassTree : public QTreeWidget {
    Q_OBJECT
public:
    explicit PassTree(Studio& studio, QWidget* parent = nullptr);
    void show(LiveModel* model);
    using QWidget::show;
    void follow(); // the graph that the model shows

private:
    enum Column { Pass, New, Gone, Rewired, Time, ColumnCount };
    void fill();
    void addPass(const session::ModelGraph& graph, int place, const FigureUnit& unit);
    void choose(QTreeWidgetItem* item);

    Studio& m_studio;
    QPointer<LiveModel> m_model;
    std::weak_ptr<const session::ModelSnapshot> m_shown; // is not kept for this
};

} // namespace hidet::ui
