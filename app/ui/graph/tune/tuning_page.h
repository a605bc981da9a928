// SPDX-License-Identifier: GPL-3.0-only
// The schedules that the selected operator may have: a table beside a plot, each of which leads to the other, to the code and
// to a choice. Jobs that measure them are begun here.
#pragma once

#include <QComboBox>
#include <QPointer>
#include <QSplitter>
#include <QStackedWidget>

#include "app/ui/charts/plot_view.h"
#include "app/ui/graph/tune/candidate_plot.h"
#include "app/ui/graph/tune/model_tuning.h"
#include "app/ui/panes/pane_notice.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/widgets/work_line.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class TuningPage : public QWidget {
    Q_OBJECT
public:
    explicit TuningPage(Studio& studio, QWidget* parent = nullptr);

    const session::CandidateTable& table() const { return m_table; }
    // The schedule that is selected; empty: none is.
    std::string current() const;
    void setCurrent(const std::string& schedule);
    QString note() const { return m_note->text(); }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    void bindCommands();
    void follow(); // another model is in front
    void refresh();
    void showOperators();
    void showTable();
    void showPlot();
    void showNote();
    void showEmpty(const QString& text);
    void explainMissing();
    quint32 selectedNode() const; // of the last graph; no_id: none
    const session::TunedOperator* shownOperator() const;
    const session::CandidateRow* currentRow() const;
    void choose();
    void showCode();
    void chooseFastest();
    void tune(bool all);
    void tellFastest();

    Studio& m_studio;
    QPointer<LiveModel> m_model;
    QComboBox* m_operators;
    QComboBox* m_level;
    ElidedLabel* m_summary;
    WorkLine* m_work;
    PaneNotice* m_note;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QSplitter* m_split;
    FigureTable* m_rows;
    PlotView* m_plot;
    session::CandidateTable m_table;
    CandidatePlot m_drawn;
    std::string m_shownOf; // signature of the operator whose table is shown
    bool m_filling = false;
};

} // namespace hidet::ui
