// SPDX-License-Identifier: GPL-3.0-only
// A model without its choices against the model with them: counts, and times that are predicted or measured.
#pragma once

#include <array>

#include <QLabel>
#include <QPushButton>

#include "app/ui/graph/fusion/choice_effects.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

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

} // namespace hidet::ui
