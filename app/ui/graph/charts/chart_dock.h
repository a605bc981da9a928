// SPDX-License-Identifier: GPL-3.0-only
// A dock that shows the model in front as a chart, below a line that says what it comes to. While it is hidden it computes
// nothing.
#pragma once

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>

#include "app/ui/core/commands.h"
#include "app/ui/graph/charts/run_charts.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/dock.h"

namespace hidet::ui {

class ChartLink;

class ChartDock : public DockWidget {
    Q_OBJECT
public:
    // `id` is the beginning of object names: "timeline".
    ChartDock(Studio& studio, const QString& id);

    BarChart& chart() { return *m_chart; }

protected:
    virtual void refresh() = 0; // of model(), which may be null
    LiveModel* model() const;
    void showChart(ModelChart chart, const QString& head);
    // What will appear, and the command that makes it appear.
    void showEmpty(const QString& title, const QString& text, std::optional<Command> offer = {});
    void offer(const QString& text, std::function<void()> act); // after showEmpty()
    void showEvent(QShowEvent* event) override;
    void addBeside(QWidget* widget); // right of the chart

    Studio& m_studio;
    ChartLink* m_link;
    QHBoxLayout* m_bar; // above the chart

private:
    void outdate();

    QStackedWidget* m_pages;
    QWidget* m_full;
    QHBoxLayout* m_row;
    QLabel* m_head;
    QToolButton* m_fit;
    QToolButton* m_copy;
    BarChart* m_chart;
    EmptyState* m_empty;
    bool m_outdated = true;
};

} // namespace hidet::ui
