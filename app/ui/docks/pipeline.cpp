// SPDX-License-Identifier: GPL-3.0-only
// When the warps of a block copy, wait, compute and store, as the last run had it on the emulator or by marks on a GPU, and what
// the waits are for.
// The mouse or the arrow keys say what a bar is, a click or Return goes to its line.
#include <algorithm>

#include <QComboBox>
#include <QSpinBox>

#include "app/session/figure/svg.h"
#include "app/session/picture/pictures.h"
#include "app/session/view/timeline_rows.h"
#include "app/ui/charts/chart_legend.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/run/pipeline_chart.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/workbench/dock_parts.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

using session::TimelineBubble;
using session::TimelineView;

constexpr int copy_steps_offered[] = {150, 300, 600, 1200, 2400};

// The script and who measures its kernel may launch the same one, which does the same.
bool isRepeated(const std::vector<TimelineView>& timelines, std::size_t at) {
    return std::any_of(timelines.begin(), timelines.begin() + std::ptrdiff_t(at), [&](const TimelineView& before) {
        return before.kernel == timelines[at].kernel && before.steps == timelines[at].steps &&
               before.spans.size() == timelines[at].spans.size();
    });
}

class PipelineDock : public DockWidget {
public:
    explicit PipelineDock(Studio& studio) : m_studio(studio) {
        setFocusProxy(m_chart);
        nameParts();
        layOutParts();
        listen();
        showLegend(TimelineView());
        refresh();
    }

private:
    void shown() override { refresh(); } // what is not seen is not drawn

    void nameParts() {
        setNames("pipeline", m_kernels, "kernel", m_rows, "rows", m_copies, "copies", m_head, "head", m_chart, "chart",
                 m_bubbles, "bubbles", m_empty, "empty", m_legend, "legend");
        m_rows->addItem(tr("A warp of each role"), 1);
        m_rows->addItem(tr("Four warps of each role"), 4);
        m_rows->addItem(tr("All warps"), 1 << 20);
        m_copies->setToolTip(tr("How many steps a copy to shared memory takes; another choice runs the script again"));
        nameNumber(m_block, "pipeline.block", tr("Block"),
                   tr("The block that is shown; another one runs the script again"));
        nameNumber(m_launch, "pipeline.launch", tr("Launch"),
                   tr("Which launch of each kernel is shown; another one runs the script again"));
        m_bubbles->setSelectionMode(QAbstractItemView::SingleSelection);
    }

    static void nameNumber(QSpinBox* box, const char* id, const QString& name, const QString& tip) {
        box->setObjectName(id);
        box->setAccessibleName(name);
        box->setToolTip(tip);
        box->setPrefix(name + ' ');
        box->setKeyboardTracking(false); // what is typed counts when it is there
    }

    void layOutParts() {
        auto* fit = new QToolButton(m_full);
        fit->setText(tr("Fit"));
        fit->setAccessibleName(tr("Show all of it"));
        fit->setToolTip(tr("Shows all of it (0); Ctrl and the wheel, or + and -, zoom"));
        fit->setFocusPolicy(Qt::TabFocus);
        connect(fit, &QToolButton::clicked, m_chart, &BarChart::fit);
        auto* left = new QWidget(m_full);
        newColumn(left, {{newScrollArea(m_chart, left), 1}, m_legend});
        newColumn(
            m_full,
            {newBar({m_kernels, m_rows, m_copies, m_block, m_launch, {m_head, 1}, fit, m_saver->newButton(m_full)}),
             {newSplitter(left, 780, m_bubbles, 620), 1}});
        fillDock(*this, m_pages, m_empty, m_full);
    }

    void listen() {
        connect(&m_studio.tabs, &OpenTabs::currentChanged, this, &PipelineDock::refresh);
        connect(m_studio.runs, &RunController::currentReportChanged, this, &PipelineDock::refresh);
        for (QComboBox* each : {m_kernels, m_rows})
            connect(each, &QComboBox::activated, this, [this] { draw(); });
        connect(m_copies, &QComboBox::activated, this, [this] { chooseCopies(); });
        connect(m_block, &QSpinBox::valueChanged, this, [this](int number) { choose(Setting::TimedBlock, number); });
        connect(m_launch, &QSpinBox::valueChanged, this, [this](int number) { choose(Setting::TimedLaunch, number); });
        m_studio.settings.follow({Setting::CopySteps}, this, [this] { showCopies(); });
        showCopies();
        connect(m_chart, &BarChart::picked, this, [this](int bar) { goTo(bar); });
        connect(m_chart, &BarChart::hovered, this, [this](int bar) { point(bar); });
        connect(m_bubbles, &QTableWidget::currentCellChanged, this, [this](int row, int, int before, int) {
            if (row != before)
                markBubble(row);
        });
        onChosen(*m_bubbles, this, [this](const QModelIndex& index) {
            if (m_shown && index.row() < int(m_shown->bubbles.size()))
                m_studio.requests.show(session::Place(m_shown->bubbles[std::size_t(index.row())].place));
        });
    }

    // ---- how long copies take ------------------------------------------------------------------------------------

    void showCopies() {
        const int chosen = std::max(1, m_studio.settings.number(Setting::CopySteps));
        m_copies->clear();
        std::vector<int> offered(std::begin(copy_steps_offered), std::end(copy_steps_offered));
        if (std::ranges::find(offered, chosen) == offered.end())
            offered.insert(std::ranges::upper_bound(offered, chosen), chosen);
        for (const int steps : offered)
            m_copies->addItem(tr("A copy takes %1 steps").arg(steps), steps);
        m_copies->setCurrentIndex(m_copies->findData(chosen));
    }

    void chooseCopies() {
        if (m_copies->currentData().toInt() == m_studio.settings.number(Setting::CopySteps))
            return;
        m_studio.settings.set(Setting::CopySteps, m_copies->currentData());
        m_studio.runs->run(session::Placement::Emulate);
    }

    // ---- which block ---------------------------------------------------------------------------------------------

    void choose(Setting setting, int number) {
        const RunReport* run = m_studio.runs->currentReport();
        if (!run || m_studio.settings.number(setting) == number)
            return;
        m_studio.settings.set(setting, number);
        m_studio.runs->run(run->target);
    }

    void showNumbers() {
        const QSignalBlocker block(m_block), launch(m_launch);
        const auto most = [](std::int64_t count) { return int(std::min<std::int64_t>(count, 1 << 30)); };
        m_block->setRange(0, most(m_shown->blocks) - 1);
        m_block->setValue(int(m_shown->block));
        m_launch->setRange(1, most(m_shown->launches));
        m_launch->setValue(int(m_shown->launch));
        m_block->setVisible(m_shown->blocks > 1);
        m_launch->setVisible(m_shown->launches > 1);
        m_copies->setVisible(!m_shown->marked); // which do not know when a copy lands
    }

    void showLegend(const TimelineView& timeline) {
        m_legend->show(pipelineLegend(timeline), [this](const Theme& theme) {
            return m_drawn.chart.palette ? m_drawn.chart.palette(theme) : std::vector<QColor>();
        });
    }

    // ---- what is shown -------------------------------------------------------------------------------------------

    void refresh() {
        if (!isVisible())
            return;
        const RunReport* run = m_studio.runs->currentReport();
        const auto result = run ? run->result : nullptr;
        const bool isStale = run && m_studio.runs->isStale(*m_studio.tabs.current());
        if (!result || result->summary.timelines.empty())
            return sayEmpty(run);
        if (result == m_result && isStale == m_look.isStale)
            return;
        m_look.isStale = isStale;
        m_look.script = QString::fromUtf8(run->text).split('\n');
        m_result = result;
        const QString before = m_kernels->currentText();
        m_kernels->clear();
        for (std::size_t i = 0; i < result->summary.timelines.size(); ++i) {
            const TimelineView& timeline = result->summary.timelines[i];
            if (isRepeated(result->summary.timelines, i))
                continue;
            const QString name = text(timeline.kernel);
            const int same = m_kernels->count() + 1;
            m_kernels->addItem(m_kernels->findText(name) < 0 ? name : tr("%1, number %2").arg(name).arg(same),
                               qulonglong(i));
        }
        m_kernels->setVisible(m_kernels->count() > 1);
        m_kernels->setCurrentIndex(std::max(0, m_kernels->findText(before)));
        m_pages->setCurrentWidget(m_full);
        draw();
    }

    void draw() {
        if (!m_result)
            return;
        const std::size_t index = m_kernels->currentData().toULongLong();
        m_shown = {m_result, &m_result->summary.timelines[index]};
        m_look.warpsOfRole = std::size_t(m_rows->currentData().toInt());
        m_drawn = pipelineChart(m_shown, m_look);
        m_chart->show(m_drawn.chart);
        m_chart->setMinimumHeight(m_chart->wholeHeight());
        showLegend(*m_shown);
        showNumbers();
        m_head->setText(head());
        fillBubbles();
    }

    QString head() const {
        QString out = tr("Block %1 of %2, %3 warps: %4")
                          .arg(m_shown->block)
                          .arg(text(m_shown->kernel))
                          .arg(m_shown->warps)
                          .arg(text(session::times_of(*m_shown, m_shown->steps)));
        if (m_shown->stages > 0)
            out += tr(", %1 stages, a copy takes %2 steps").arg(m_shown->stages).arg(m_shown->copy_steps);
        if (m_shown->is_cut_short)
            out += tr("; there is more, which is left out");
        out += tr("; %1").arg(text(m_shown->source));
        return m_look.isStale ? tr("Of the run before the last change: %1").arg(out) : out;
    }

    void fillBubbles() {
        const Theme& theme = m_studio.themes.theme();
        FigureRows rows;
        for (const TimelineBubble& bubble : m_shown->bubbles) {
            QString reason = capitalized(text(bubble.reason));
            if (bubble.by_copy && bubble.by_place.known())
                reason += tr(" (line %1)").arg(bubble.by_place.line);
            const QColor color = m_look.isStale ? theme.muted : QColor();
            rows.push_back({{QString::number(bubble.place.line), {}, color},
                            {tr("those that %1").arg(text(bubble.role)), {}, color},
                            {QString::number(bubble.times), {}, color},
                            {percentText(bubble.share), {}, color},
                            {reason, reason, color}});
        }
        const QSignalBlocker quiet(m_bubbles);
        m_bubbles->show(rows);
        m_bubbles->setCurrentCell(-1, -1);
    }

    void sayEmpty(const RunReport* run) {
        m_shown = nullptr;
        m_result = nullptr;
        m_pages->setCurrentWidget(m_empty);
        const QString title = tr("When the warps of a block copy, wait, compute and store");
        if (!m_studio.tabs.current())
            m_empty->say(title, tr("Appears here when a script is open and has run on the emulator"));
        else if (run && run->result && run->result->summary.launches > 0 && isTimed(*run))
            return sayMissed(title, *run);
        else if (run && run->result && session::info(session::info(run->target).target).emulates)
            m_empty->say(title, tr("The last run launched no kernel"));
        else if (run && run->result && !run->result->summary.device.empty())
            return offerMarks(title, *run);
        else if (run && run->result && run->result->summary.launches > 0)
            m_empty->say(title, tr("The last run noted no times; one on the emulator with all checks does"));
        else
            m_empty->say(title, tr("Appears here when the script has run on the emulator"));
        QAction* action = m_studio.commands.action(Command::RunEmulate);
        m_empty->offerWithKeys(action, m_studio.tabs.current() ? action->text() : QString());
    }

    bool isTimed(const RunReport& run) const {
        const session::Target target = session::info(run.target).target;
        const bool isMarked = m_studio.settings.flag(Setting::Markers) && target != session::Target::Cpu;
        return session::info(target).emulates || isMarked;
    }

    void sayMissed(const QString& title, const RunReport& run) {
        m_empty->say(title, tr("The last run timed nothing in launch %1 of a kernel with a block %2")
                                .arg(m_studio.settings.number(Setting::TimedLaunch))
                                .arg(m_studio.settings.number(Setting::TimedBlock)));
        m_empty->setAction(tr("Show the first block of the first launch"), [this, target = run.target] {
            m_studio.settings.set(Setting::TimedBlock, 0);
            m_studio.settings.set(Setting::TimedLaunch, 1);
            m_studio.runs->run(target);
        });
    }

    void offerMarks(const QString& title, const RunReport& run) {
        m_empty->say(title, tr("The kernel ran without marks, which say when its warps do what"));
        m_empty->setAction(tr("Run it with marks"), [this, target = run.target] {
            m_studio.settings.set(Setting::Markers, true);
            m_studio.runs->run(target);
        });
    }

    // ---- the way to the script ------------------------------------------------------------------------------------

    const session::TimelineSpan* spanAt(int bar) const {
        const bool isKnown = m_shown && bar >= 0 && bar < int(m_drawn.spans.size());
        return isKnown ? &m_shown->spans[m_drawn.spans[std::size_t(bar)]] : nullptr;
    }

    void goTo(int bar) {
        if (const session::TimelineSpan* span = spanAt(bar))
            m_studio.requests.show(session::Place(span->place));
    }

    void point(int bar) {
        const session::TimelineSpan* span = spanAt(bar);
        m_studio.links.setMouse(this, span && span->place.known() ? std::optional(span->place) : std::nullopt);
    }

    void markBubble(int row) {
        const bool isKnown = m_shown && row >= 0 && row < int(m_shown->bubbles.size());
        m_chart->setSelected(isKnown ? barsOf(*m_shown, m_drawn, m_shown->bubbles[std::size_t(row)]) : QSet<int>());
    }

    SavedPicture picture() {
        SavedPicture out = m_chart->saved("pipeline");
        out.svg = [timeline = m_shown] {
            return QByteArray::fromStdString(session::svg_document(session::picture_of(*timeline)));
        };
        return out;
    }

    Studio& m_studio;
    QStackedWidget* m_pages = new QStackedWidget(this);
    QWidget* m_full = new QWidget(this);
    QComboBox* m_kernels = newChoice(tr("Kernel"), m_full);
    QComboBox* m_rows = newChoice(tr("Which warps are shown"), m_full);
    QComboBox* m_copies = newChoice(tr("How long a copy takes"), m_full);
    QSpinBox* m_block = new QSpinBox(m_full);
    QSpinBox* m_launch = new QSpinBox(m_full);
    ElidedLabel* m_head = (new BarParts(m_studio.themes, m_full))->newLabel();
    BarChart* m_chart = new BarChart(m_studio.themes, m_full);
    ChartLegend* m_legend = new ChartLegend(m_studio.themes, m_full);
    FigureTable* m_bubbles = new FigureTable(
        m_studio.themes, tr("Waits"),
        {tr("Line"), textColumn(tr("Who waits")), tr("Times"), tr("Of its time"), textColumn(tr("For what"))}, m_full);
    EmptyState* m_empty = new EmptyState(this);
    PictureSaver* m_saver = new PictureSaver(
        m_studio, *this, [this] { return m_shown != nullptr; }, [this] { return picture(); });
    std::shared_ptr<const session::KernelBenchResult> m_result;
    std::shared_ptr<const TimelineView> m_shown; // of it
    PipelineLook m_look;
    PipelineChart m_drawn;
};

} // namespace

DockWidget* makePipelineDock(Studio& studio) {
    return new PipelineDock(studio);
}

} // namespace hidet::ui
