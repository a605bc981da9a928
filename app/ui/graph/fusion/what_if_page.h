// SPDX-License-Identifier: GPL-3.0-only
// The choices of the model in front: each can be switched off and on again, and says what it changes; beside them what all
// of them change together.
#pragma once

#include <array>

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeWidget>

#include "app/ui/graph/fusion/choice_effects.h"
#include "app/ui/graph/tables/figure_unit.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

// A model without its choices against the model with them: counts, and times that are predicted or measured.
class EffectPanel : public QWidget {
    Q_OBJECT
public:
    explicit EffectPanel(Studio& studio, QWidget* parent = nullptr);
    void show(const ChoiceEffects* effects, const LiveModel* model);
    using QWidget::show;
    QString textOf(const QString& row) const; // "Launches": "12 10 -2", for screen readers and tests

private:
    enum Row { Kernels, Launches, Memory, Predicted, Measured, RowCount };
    struct Cells {
        QLabel *title, *before, *after, *change;
    };
    void set(Row row, const QString& before, const QString& after, const QString& change);
    void showCounts(Row row, const session::ModelTotals* before, const session::ModelTotals* after,
                    std::size_t session::ModelTotals::*count);
    void showFigures(const session::ModelTotals* before, const session::ModelTotals* after);
    void showMeasured(const session::ModelBenchResult* before, const session::ModelBenchResult* after);
    void applyTheme();

    Studio& m_studio;
    std::array<Cells, RowCount> m_rows;
    QPushButton* m_measure;
    QLabel* m_note;
};

class WhatIfPage : public QWidget {
    Q_OBJECT
public:
    explicit WhatIfPage(Studio& studio, QWidget* parent = nullptr);
    void show(LiveModel* model);
    using QWidget::show;
    EffectPanel& effect() { return *m_effect; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum Column { Decision, About, Launches, Memory, Time, ColumnCount };
    void build();
    void fill();
    void showRow(QTreeWidgetItem& item, const ChoiceEffects::Row& row, const FigureUnit& bytes,
                 const FigureUnit& seconds);
    const ChoiceEffects::Row* rowOf(const QTreeWidgetItem* item) const;
    void removeCurrent();
    void openMenu(const QPoint& at);
    void showInGraph(const ChoiceEffects::Row& row);
    void showState();
    void showNote();
    void applyTheme();

    Studio& m_studio;
    QTreeWidget* m_list;
    QStackedWidget* m_body;
    EmptyState* m_empty;
    ElidedLabel* m_note;
    EffectPanel* m_effect;
    QWidget* m_line;
    QBoxLayout* m_halves = nullptr;
    QPointer<LiveModel> m_model;
};

} // namespace hidet::ui
