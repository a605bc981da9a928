// SPDX-License-Identifier: GPL-3.0-only
// What a run showed, at the right of the run panel: what was printed, how the results compare, and what the kernels use.
#pragma once

#include <QLabel>
#include <QPlainTextEdit>
#include <QTabWidget>

#include "app/ui/run/error_map_view.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/figure_table.h"

class QStackedWidget;

class QLabel;

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
    QPlainTextEdit* m_output;
    FigureTable* m_comparisons;
    ErrorMapView* m_map;
    FigureTable* m_kernels;
    QLabel* m_advice; // of the kernel that is selected: too long for a cell
    QStackedWidget* m_resultPages;
    QStackedWidget* m_kernelPages;
    EmptyState* m_noResults;
    EmptyState* m_noKernels;
    std::vector<session::Comparison> m_compared;
};

} // namespace hidet::ui
