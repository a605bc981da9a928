// SPDX-License-Identifier: GPL-3.0-only
#include <QComboBox>
#include <QTabBar>
#include <QToolButton>

#include "app/ui/charts/plot_view.h"
#include "app/ui/core/icons.h"
#include "app/ui/docks/docks.h"
#include "app/ui/run/offer_run.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/run/run_plots.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/kernel_dock.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

class PlotsDock : public DockWidget {
public:
    explicit PlotsDock(Studio& studio) : m_studio(studio), m_save(m_saver->newButton(this)) {
        makePanel(*this);
        setNames("plots", m_tabs, "kind", m_measure, "measure", m_view, "view", m_empty, "empty");
        m_tabs->setAccessibleName(tr("Kind of plot"));
        for (const QString& name : {tr("Distribution"), tr("Size sweep"), tr("Roofline")})
            m_tabs->addTab(name);
        m_measure->setAccessibleName(tr("What is drawn over the size"));
        m_measure->setProperty("flat", true);
        m_measure->addItems({tr("Time"), tr("Operations a second"), tr("Bytes a second")});
        m_copy->setAccessibleName(tr("Copy the plot"));
        m_copy->setToolTip(tr("Copies the plot as a picture and as a table"));
        newColumn(
            this,
            {newRow({0, 0, 8, 0}, 4, {m_tabs, stretched(1), m_measure, m_copy, m_save}), {m_view, 1}, {m_empty, 1}});
        setFocusProxy(m_view);
        connect(m_tabs, &QTabBar::currentChanged, this, &PlotsDock::refresh);
        connect(m_measure, &QComboBox::currentIndexChanged, this, &PlotsDock::refresh);
        connect(m_copy, &QToolButton::clicked, m_view, &PlotView::copy);
        connect(studio.runs, &RunController::currentReportChanged, this, &PlotsDock::refresh);
        connect(&studio.runs->history(), &HistoryStore::changed, this, &PlotsDock::refresh);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &PlotsDock::refresh);
        studio.scripts.follow({&LiveScripts::explanationChanged}, this, [](PlotsDock* dock) {
            if (dock->m_tabs->currentIndex() == 2 && dock->isVisible())
                dock->refresh();
        });
        connect(&studio.themes, &ThemeSource::changed, this, &PlotsDock::applyTheme);
        connect(studio.runs, &RunController::detailRequested, this, [this](VerdictDetail detail) {
            if (detail == VerdictDetail::Distribution)
                m_tabs->setCurrentIndex(0);
            if (detail == VerdictDetail::Roofline)
                m_tabs->setCurrentIndex(2);
        });
        applyTheme();
    }

private:
    void shown() override { refresh(); } // what is predicted has changed meanwhile

    void applyTheme() {
        m_copy->setIcon(icon("copy", m_studio.themes.theme().text));
        refresh();
    }

    void refresh() {
        const RunReport* report = m_studio.runs->currentReport();
        // Whoever sweeps wants to see that; afterwards the tab is the user's.
        const bool sweeps = report && report->result && !report->result->sweep.empty();
        if (sweeps && m_shown != report->result.get() && m_tabs->currentIndex() == 0) {
            const QSignalBlocker quiet(m_tabs);
            m_tabs->setCurrentIndex(1);
        }
        m_shown = report ? report->result.get() : nullptr;
        const int kind = m_tabs->currentIndex();
        m_measure->setVisible(kind == 1);
        m_view->show(kind == 0   ? distributionPlot(report)
                     : kind == 1 ? sweepPlot(report, static_cast<SweepMeasure>(m_measure->currentIndex()))
                                 : rooflinePlot(report, report ? m_studio.runs->baselineOf(*report) : nullptr,
                                                predictedKernel(report)));
        m_view->setVisible(m_view->hasPlot());
        m_empty->setVisible(!m_view->hasPlot());
        if (!m_view->hasPlot())
            explain(kind, report);
        m_copy->setEnabled(m_view->hasPlot());
        m_save->setEnabled(m_view->hasPlot());
    }

    // The kernel that was measured, as its text is now; else that of the panes.
    const session::KernelExplained* predictedKernel(const RunReport* report) const {
        const LivePipeline* live = m_studio.scripts.live();
        if (!live || !live->explained())
            return nullptr;
        const auto& kernels = live->explained()->kernels;
        const auto measured = std::ranges::find_if(kernels, [&](const session::KernelExplained& kernel) {
            return report && report->result && report->result->function == kernel.name;
        });
        if (measured != kernels.end())
            return &*measured;
        const std::optional<std::size_t> shown = shownKernel(*live->explained(), live);
        return shown ? &kernels[*shown] : nullptr;
    }

    // A plot that a run would bring offers the run; one of sizes first needs to know which.
    void explain(int kind, const RunReport* report) {
        QAction* panel = m_studio.commands.find("dock.run");
        if (kind == 1 && m_studio.tabs.current()) {
            m_empty->say(m_view->plot().empty, {});
            return m_empty->offer(panel, tr("Choose a sweep"));
        }
        const bool measured = report && report->result && report->result->measured;
        offerRun(m_studio, *m_empty, m_view->plot().empty);
        if (measured)
            m_empty->setAction({}, {});
    }

    Studio& m_studio;
    QTabBar* m_tabs = new QTabBar(this);
    QComboBox* m_measure = new QComboBox(this);
    QToolButton* m_copy = new QToolButton(this);
    PlotView* m_view = new PlotView(m_studio.themes, this);
    EmptyState* m_empty = new EmptyState(this);
    PictureSaver* m_saver = new PictureSaver(
        m_studio, *this, [this] { return m_view->hasPlot(); }, [this] { return m_view->saved(); });
    QToolButton* m_save;
    const void* m_shown = nullptr; // the result that was shown last
};

} // namespace

DockWidget* makePlotsDock(Studio& studio) {
    return new PlotsDock(studio);
}

} // namespace hidet::ui
