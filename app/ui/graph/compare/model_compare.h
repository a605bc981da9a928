// SPDX-License-Identifier: GPL-3.0-only
// Two models side by side: both graphs, with what is new, gone and changed coloured, and below them the differences, the
// kernels and the totals as tables. The graphs are those of the models' tabs, lent for as long as the comparison is on.
#pragma once

#include <QLabel>
#include <QSplitter>
#include <QTabBar>

#include "app/ui/graph/canvas/graph_pane.h"
#include "app/ui/graph/compare/model_pair.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/empty_state.h"

class QStackedWidget;

namespace hidet::ui {

class ModelCompare : public QWidget {
    Q_OBJECT
public:
    // Takes both panes as its children until giveBack().
    ModelCompare(Studio& studio, LiveModel& left, GraphPane& leftPane, LiveModel& right, GraphPane& rightPane,
                 QWidget* parent = nullptr);

    ModelPair& pair() { return *m_pair; }
    const QSplitter& graphs() const { return *m_graphs; }
    CompareTable& differences() { return *m_differences; }
    CompareTable& kernels() { return *m_kernels; }
    CompareTable& totals() { return *m_totals; }
    QString summary() const { return m_summary->text(); }
    GraphPane* paneOf(const LiveModel& model) const;
    QList<GraphPane*> giveBack(); // the panes, without a parent
    void step(int by);            // to the next difference, or the one before
    bool canStep() const;
    void swap();
    void showKernels();       // the table of them in front, the worst first
    bool hasKeyboard() const; // one of the graphs

signals:
    void closeRequested();

private:
    struct Side {
        QWidget* box = nullptr;
        ElidedLabel *title = nullptr, *detail = nullptr;
        GraphPane* pane = nullptr;
    };
    Side makeSide(const QString& name, GraphPane& pane);
    QWidget* makeBar();
    QWidget* makeTables();
    void showTable(int tab);
    void refresh();
    void refreshTitles();
    void refreshSummary();
    void showChosen(const CompareTable& table, int row);
    void showSelection();
    QString detailOf(const LiveModel& model) const;

    Studio& m_studio;
    ModelPair* m_pair;
    Side m_left, m_right;
    QSplitter *m_graphs, *m_all;
    QLabel* m_summary;
    BarParts* m_parts = nullptr; // of the line above the tables
    QToolButton *m_previous, *m_next, *m_minor, *m_swap, *m_close;
    QTabBar* m_tabs;
    QStackedWidget* m_tables;
    CompareTable *m_differences, *m_kernels, *m_totals;
    EmptyState* m_empty;
};

} // namespace hidet::ui
