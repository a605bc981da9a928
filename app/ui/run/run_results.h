// SPDX-License-Identifier: GPL-3.0-only
// What a run showed, at the right of the run panel: what was printed, how the results compare, and what the kernels use.
#pragma once

#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>

#include "app/ui/core/figures.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"
#include "app/ui/run/error_map_view.h"
#include "app/ui/run/offer_run.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class RunResults : public QTabWidget {
    Q_OBJECT
public:
    RunResults(Studio& studio, QWidget* parent = nullptr) : QTabWidget(parent), m_studio(studio), m_runs(*studio.runs) {
        setObjectName("run.results");
        setAccessibleName(tr("What the run showed"));
        setDocumentMode(true);
        setNames("run", m_output, "output", m_comparisons, "comparisons", m_kernels, "kernels", m_advice, "advice");
        m_output->setAccessibleName(tr("Output"));
        m_output->setReadOnly(true);
        m_output->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        m_output->setUndoRedoEnabled(false);
        m_output->setMaximumBlockCount(most_lines);
        m_output->setFrameShape(QFrame::NoFrame);
        m_output->setPlaceholderText(tr("What the script prints appears here"));
        m_kernels->hideColumn(advice_column);
        m_advice->setAccessibleName(tr("How more blocks would fit"));
        m_advice->setProperty("muted", true);
        m_advice->setWordWrap(true);
        m_advice->setMargin(8);

        auto* split = new QSplitter(Qt::Horizontal, this);
        split->addWidget(m_comparisons);
        split->addWidget(m_map);
        split->setSizes({520, 260});
        split->setStretchFactor(0, 1);
        split->setStretchFactor(1, 0);
        split->setChildrenCollapsible(false);
        m_resultPages->addWidget(m_noResults);
        m_resultPages->addWidget(split);
        m_kernelPages->addWidget(m_noKernels);
        auto* kernels = new QWidget(this);
        newColumn(kernels, {{m_kernels, 1}, m_advice});
        m_kernelPages->addWidget(kernels);
        addTab(m_output, tr("Output"));
        addTab(m_resultPages, tr("Comparison"));
        addTab(m_kernelPages, tr("Kernels"));

        connect(m_comparisons, &QTableWidget::currentCellChanged, this, [this](int row) {
            if (row >= 0 && row < int(m_compared.size()))
                m_map->show(m_compared[std::size_t(row)]);
        });
        connect(m_kernels, &QTableWidget::currentCellChanged, this, &RunResults::showAdvice);
        connect(&m_runs, &RunController::printed, this, [this](const Document* document, const QByteArray& text) {
            if (document != m_studio.tabs.current())
                return;
            // The view follows what comes unless the reader has scrolled away from the end.
            QScrollBar* bar = m_output->verticalScrollBar();
            const bool follows = bar->value() >= bar->maximum() - 1;
            QTextCursor end(m_output->document());
            end.movePosition(QTextCursor::End);
            end.insertText(QString::fromUtf8(text));
            if (follows)
                bar->setValue(bar->maximum());
        });
        connect(&m_runs, &RunController::currentReportChanged, this, &RunResults::refresh);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &RunResults::refresh);
        studio.themes.follow(this, &RunResults::applyTheme);
    }

    void showDetail(VerdictDetail detail) {
        switch (detail) {
        case VerdictDetail::Output: return setCurrentIndex(0);
        case VerdictDetail::Results: return setCurrentIndex(1);
        case VerdictDetail::Kernels: return setCurrentIndex(2);
        default: return;
        }
    }

private:
    static constexpr int most_lines = 20'000;
    static constexpr int advice_column = 9;
    static QString sizesText(const std::array<std::int64_t, 3>& sizes) {
        QStringList parts = numbersOf(sizes);
        while (parts.size() > 1 && parts.last() == "1")
            parts.removeLast();
        return parts.join(" x ");
    }

    void refresh() {
        const RunReport* report = m_runs.currentReport();
        showOutput();
        showComparisons(report);
        showKernels(report);
    }

    void showOutput() {
        const Document* document = m_studio.tabs.current();
        QString text = document ? QString::fromUtf8(m_runs.output(*document)) : QString();
        const RunReport* report = m_runs.currentReport();
        const bool runs = document && m_studio.jobs->isRunning(*document);
        if (report && !runs && !report->trouble.isEmpty()) {
            if (!text.isEmpty() && !text.endsWith('\n'))
                text += '\n';
            text += report->trouble + (report->advice.isEmpty() ? "\n" : "\n" + report->advice + "\n");
            if (!report->lastWords.isEmpty())
                text += tr("The last it said:\n%1\n").arg(report->lastWords);
        }
        if (m_output->toPlainText() != text)
            m_output->setPlainText(text);
    }

    void showComparisons(const RunReport* report) {
        m_compared.clear();
        if (report && report->result)
            m_compared = report->result->comparisons;
        m_resultPages->setCurrentIndex(m_compared.empty() ? 0 : 1);
        setTabText(1, m_compared.empty() ? tr("Comparison") : tr("Comparison  %1").arg(m_compared.size()));
        const bool checked =
            report && report->result && report->result->verdict.kind == session::VerdictKind::Unchecked;
        offerRun(m_studio, *m_noResults,
                 checked ? tr("The results were compared with nothing. Choose a reference at the left and run again")
                 : report && report->result && report->result->verdict.kind == session::VerdictKind::Correct
                     ? tr("The script's own checks pass. Choose another reference to see errors element by element")
                     : tr("How each result differs from its reference will appear here"));
        const Theme& theme = m_studio.themes.theme();
        FigureRows rows;
        for (const session::Comparison& comparison : m_compared) {
            const bool wrong = comparison.bad > 0 || !comparison.refusal.empty();
            const QColor color = wrong ? theme.error : QColor();
            std::vector<FigureCell> row;
            const QString type = QString::fromStdString(comparison.dtype) + indexText(comparison.shape);
            const QString hint =
                comparison.refusal.empty()
                    ? tr("%1; tolerated: %2 + %3 of what is expected; NaN: %4 got, %5 expected; never written: %6")
                          .arg(type, numberText(comparison.absolute), numberText(comparison.relative))
                          .arg(comparison.got_nan)
                          .arg(comparison.wanted_nan)
                          .arg(comparison.never_written)
                    : QString::fromStdString(comparison.refusal);
            row.push_back({QString::fromStdString(comparison.tensor), hint, color,
                           icon(wrong ? "error" : "ok", wrong ? theme.error : theme.ok)});
            if (comparison.refusal.empty()) {
                const bool some = !comparison.worst.empty();
                row.push_back({QString::number(comparison.bad), hint, color});
                row.push_back({some ? indexText(comparison.worst) : tr("none"), hint, color});
                row.push_back({some ? numberText(comparison.got) : QString(), hint});
                row.push_back({some ? numberText(comparison.wanted) : QString(), hint});
                for (const std::optional<double>& error :
                     {comparison.max_absolute, comparison.max_relative, comparison.max_ulp})
                    row.push_back({numberText(error), hint, error ? QColor() : theme.muted});
                row.push_back({QString::number(comparison.count), type});
            }
            rows.push_back(std::move(row));
        }
        m_comparisons->show(rows);
        if (m_compared.empty())
            return m_map->show(std::nullopt);
        int first = m_comparisons->currentRow();
        if (first < 0 || first >= int(m_compared.size()))
            first = 0;
        for (std::size_t i = 0; i < m_compared.size(); ++i)
            if (m_compared[i].bad > 0 && m_compared[std::size_t(first)].bad == 0)
                first = int(i);
        m_comparisons->setCurrentCell(first, 0);
        m_map->show(m_compared[std::size_t(first)]);
    }

    void showKernels(const RunReport* report) {
        FigureRows rows;
        const Theme& theme = m_studio.themes.theme();
        if (report && report->result)
            for (const session::KernelView& kernel : report->result->kernels) {
                std::vector<FigureCell> row;
                const QString unknown = QString::fromStdString(kernel.unavailable);
                const QString hint = kernel.facts ? tr("For %1, launched %2 times by a call")
                                                        .arg(QString::fromStdString(kernel.arch))
                                                        .arg(kernel.launches)
                                                  : unknown;
                row.push_back({QString::fromStdString(kernel.name), hint});
                const auto figure = [&](std::optional<double> value, bool bad = false) {
                    row.push_back({value ? fixedText(*value, 0) : tr("unknown"), hint,
                                   bad     ? theme.warning
                                   : value ? QColor()
                                           : theme.muted});
                };
                const auto& facts = kernel.facts;
                const auto of = [&](auto get) { return facts ? std::optional<double>(get(*facts)) : std::nullopt; };
                figure(of([](const auto& f) { return f.registers; }));
                figure(of([](const auto& f) { return f.spill_store_bytes + f.spill_load_bytes; }),
                       facts && facts->spill_store_bytes + facts->spill_load_bytes > 0);
                row.push_back(
                    {facts ? tr("%1 + %2").arg(facts->static_shared_bytes).arg(kernel.dynamic_shared()) : tr("unknown"),
                     tr("Static and dynamic shared memory of a block"), facts ? QColor() : theme.muted});
                row.push_back({kernel.launch ? sizesText(kernel.launch->block) : tr("unknown"), hint});
                row.push_back({kernel.launch ? sizesText(kernel.launch->grid) : QString(), hint});
                if (const auto& occupancy = kernel.occupancy) {
                    const QString sum = tr("%1 of %2 warps").arg(occupancy->warps).arg(occupancy->most_warps);
                    row.push_back({percentNumber(occupancy->fraction), sum});
                    row.push_back({QString::fromStdString(occupancy->limited_by), sum});
                    const QString grid = QString::fromStdString(session::grid_text(*occupancy));
                    row.push_back({QString::fromStdString(session::waves_text(*occupancy)), grid});
                    const bool fits = occupancy->impossible.empty();
                    row.push_back({QString::fromStdString(fits ? occupancy->one_more : occupancy->impossible), sum,
                                   fits ? QColor() : theme.error});
                }
                rows.push_back(std::move(row));
            }
        m_kernelPages->setCurrentIndex(rows.empty() ? 0 : 1);
        setTabText(2, rows.empty() ? tr("Kernels") : tr("Kernels  %1").arg(rows.size()));
        offerRun(m_studio, *m_noKernels, tr("Registers, shared memory and occupancy of each kernel will appear here"));
        m_kernels->show(rows);
        showAdvice();
    }

    // Of the selected kernel, or of the first one.
    void showAdvice() {
        const int row = std::max(0, m_kernels->currentRow());
        const QTableWidgetItem* name = m_kernels->item(row, 0);
        const QTableWidgetItem* advice = m_kernels->item(row, advice_column);
        const bool some = name && advice && !advice->text().isEmpty();
        m_advice->setVisible(some);
        m_advice->setText(some ? tr("%1: %2").arg(name->text(), advice->text()) : QString());
    }

    void applyTheme() {
        m_output->setFont(m_studio.themes.codeFont());
        refresh();
    }

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
