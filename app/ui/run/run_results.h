// SPDX-License-Identifier: GPL-3.0-only
// What a run showed, at the right of the run panel: what was printed, how the results compare, and what the kernels use.
#pragma once

#include <QLabel>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QTabWidget>

#include "app/ui/run/error_map_view.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/figure_table.h"

namespace hidet::ui {

class RunResults : public QTabWidget {
    Q_OBJECT
public:
    RunResults(Studio& studio, QWidget* parent = nullptr);
    void showDetail(VerdictDetail detail);

private:
    void refresh();
    void showOutput();
    void showComparisons(const RunReport* report);
    void showKernels(const RunReport* report);
    void showAdvice();
    void applyTheme();

    Studio& m_studio;
    RunController& m_runs;
    QPlainTextEdit* m_output = new QPlainTextEdit(this);
    FigureTable* m_comparisons =
        new FigureTable(m_studio.themes, tr("Comparisons"),
                        {textColumn(tr("Tensor")), tr("Wrong"), textColumn(tr("Worst at")), tr("Got"), tr("Expected"),
                         tr("Max error"), tr("Max relative"), tr("Max ULP"), tr("Elements")},
                        this);
    ErrorMapView* m_map = new ErrorMapView(m_studio.themes, this);
    FigureTable* m_kernels = new FigureTable(
        m_studio.themes, tr("Kernels"),
        {textColumn(tr("Kernel")), tr("Registers"), tr("Spills, B"), tr("Shared, B"), tr("Block"), tr("Grid"),
         tr("Occupancy, %"), textColumn(tr("Limited by")), tr("Waves"), textColumn(tr("For one more block"))},
        this);
    QLabel* m_advice = new QLabel(this); // of the kernel that is selected: too long for a cell
    QStackedWidget* m_resultPages = new QStackedWidget(this);
    QStackedWidget* m_kernelPages = new QStackedWidget(this);
    EmptyState* m_noResults = new EmptyState(this);
    EmptyState* m_noKernels = new EmptyState(this);
    std::vector<session::Comparison> m_compared;
};

} // namespace hidet::ui
