// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/docks/analysis.h"

#include <algorithm>

#include <QHeaderView>
#include <QMenu>

#include "app/session/explain/loops.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/graph/runs/model_verdict.h"
#include "app/ui/live/cost_text.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/run/verdict.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/workbench/kernel_dock.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

enum AnalysisColumn { TextColumn, PlaceColumn, CostColumn };

constexpr int findings_width = 420;

// Of what was measured: how long it takes, how near that is to the roof, and what has changed since the baseline.
QString measuredText(const VerdictLine& line) {
    QStringList out;
    for (const VerdictPart& part : line.parts)
        if (!part.predicted && (part.id == "time" || part.id == "roof" || part.id == "delta"))
            out << part.text;
    return out.join(QString(" ") + QChar(0x00b7) + ' ');
}

} // namespace

AnalysisDock::AnalysisDock(Studio& studio) : m_studio(studio) {
    setNames("analysis", m_empty, "empty", m_head, "head", m_limit, "limit", m_rows, "findings", m_tabs, "sections");
    m_rows->setAccessibleName(tr("Findings, the most expensive first"));
    m_tabs->setAccessibleName(tr("Figures"));
    layOutParts(); // first: whatever gets a parent is styled anew with all that is in it
    for (const SectionInfo& info : allSections()) {
        DockWidget* content = info.make(studio);
        content->setObjectName("section." + info.id);
        content->setAccessibleName(info.title);
        m_stack->addWidget(content);
        m_sections.push_back({&info, content});
        connect(content, &DockWidget::badgeChanged, this, &AnalysisDock::nameTabs);
    }
    listen();
    setFocusProxy(m_stack);
    refresh();
}

void AnalysisDock::layOutParts() {
    m_head->setFont(bold(m_head->font()));
    m_head->setTextFormat(Qt::PlainText);
    m_head->setWordWrap(true);
    m_limit->setProperty("muted", true);
    m_limit->setMostLines(3);
    m_none->setObjectName("analysis.none");
    m_none->setMargin(8);
    m_none->setWordWrap(true);
    m_rows->setColumnCount(3);
    m_rows->setHeaderLabels({tr("Finding"), tr("Line"), tr("Costs")});
    m_rows->headerItem()->setTextAlignment(PlaceColumn, Qt::AlignRight | Qt::AlignVCenter);
    m_rows->headerItem()->setTextAlignment(CostColumn, Qt::AlignRight | Qt::AlignVCenter);
    m_rows->setRootIsDecorated(false);
    m_rows->setUniformRowHeights(true);
    m_rows->setFrameShape(QFrame::NoFrame);
    m_rows->setTextElideMode(Qt::ElideRight);
    m_rows->header()->setStretchLastSection(false);
    m_rows->header()->setSectionResizeMode(TextColumn, QHeaderView::Stretch);
    m_rows->header()->setSectionResizeMode(PlaceColumn, QHeaderView::ResizeToContents);
    m_rows->header()->setSectionResizeMode(CostColumn, QHeaderView::ResizeToContents);
    onListKey(*m_rows, {Qt::ALT | Qt::Key_Return}, [this] { fix(); });
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setElideMode(Qt::ElideNone);
    m_tabs->setContextMenuPolicy(Qt::CustomContextMenu);
    newColumn(m_left, {newColumn({8, 6, 8, 4}, 2, {m_head, m_limit}), m_none, {m_rows, 1}, stretched(0)});
    auto* right = new QWidget(m_full);
    newColumn(right, {m_tabs, {m_stack, 1}});
    newColumn(m_full)->addWidget(newSplitter(m_left, findings_width, right, 1400 - findings_width));
    fillDock(*this, m_pages, m_empty, m_full);
}

void AnalysisDock::listen() {
    m_studio.scripts.follow({&LiveScripts::explanationChanged}, this, &AnalysisDock::refresh);
    connect(&m_studio.tabs, &OpenTabs::currentChanged, this, &AnalysisDock::refresh);
    connect(m_studio.runs, &RunController::reportChanged, this, &AnalysisDock::showHead);
    connect(&m_studio.stages, &StageHub::baselineChanged, this, &AnalysisDock::showHead);
    connect(m_studio.modelRuns, &ModelRuns::reportChanged, this, &AnalysisDock::showHead);
    connect(m_rows, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* row) {
        if (row)
            m_chosen = row->text(TextColumn), showFinding();
    });
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        m_chosen = m_tabs->tabData(tab).toString();
        raise(m_chosen);
    });
    connect(m_tabs, &QTabBar::tabBarDoubleClicked, this, &AnalysisDock::putBeside);
    connect(m_tabs, &QWidget::customContextMenuRequested, this, &AnalysisDock::showTabMenu);
    m_studio.commands.bind(
        Command::PaneFigure, this, [this] { putBeside(m_tabs->currentIndex()); },
        [this] { return m_studio.tabs.current() && m_tabsOf == SectionOf::script && m_tabs->count() > 0; });
    onChosen(*m_rows, this, [this] { goToLine(); });
    connect(m_age, &ExplanationAge::changed, this, [this](bool isStale) { m_head->setEnabled(!isStale); });
}

// ---- what is in front ----------------------------------------------------------------------------------------------

// Nothing: a model is, or a script of which nothing is known.
std::optional<std::size_t> AnalysisDock::kernelInFront(const session::Explained* explained) const {
    if (!explained || m_studio.tabs.model())
        return std::nullopt;
    return shownKernel(*explained, m_studio.scripts.live());
}

void AnalysisDock::refresh() {
    const auto explained = m_age->explained();
    const std::optional<std::size_t> kernel = kernelInFront(explained.get());
    if (!isVisible()) {
        m_finding.cancel();
        return showCount(kernel ? session::findings_of(explained->kernels[*kernel], {})
                                : std::vector<session::KernelFinding>());
    }
    if (!m_studio.tabs.front()) {
        m_finding.cancel();
        m_pages->setCurrentWidget(m_empty);
        return m_empty->say(tr("Why a kernel or a model takes its time"),
                            tr("Appears here when a script or a model is open"));
    }
    m_pages->setCurrentWidget(m_full);
    if (kernel) {
        find(explained, *kernel);
    } else {
        m_finding.cancel();
        m_findings.clear();
        fill();
    }
    showHead();
}

void AnalysisDock::find(std::shared_ptr<const session::Explained> explained, std::size_t kernel) {
    m_finding.run(
        [explained = std::move(explained), kernel](const std::atomic<bool>& stopped) {
            const session::KernelExplained& of = explained->kernels[kernel];
            std::vector<session::LoopView> loops;
            if (explained->sources[kernel])
                loops = session::loops_of(*explained->sources[kernel], of, &stopped);
            return session::findings_of(of, loops);
        },
        [this](std::vector<session::KernelFinding>&& found) {
            m_findings = std::move(found);
            fill();
        });
}

void AnalysisDock::showHead() {
    if (!isVisible())
        return;
    m_head->setText(m_studio.tabs.model() ? headOfModel() : headOfScript());
    m_head->setVisible(!m_head->text().isEmpty());
    QString limit;
    const auto explained = m_age->explained();
    if (const auto kernel = kernelInFront(explained.get())) {
        const session::KernelExplained& of = explained->kernels[*kernel];
        if (of.cost && !of.cost->pipes.empty())
            limit = tr("%1: limited by %2. %3")
                        .arg(kernelName(*explained, *kernel), text(of.cost->pipes.front().name),
                             costText(of, baselineOf(m_studio, of).kernel()).counted);
    }
    m_limit->setText(limit);
    m_limit->setVisible(!limit.isEmpty());
    m_age->look();
}

QString AnalysisDock::headOfScript() const {
    const auto explained = m_age->explained();
    const Document* document = m_studio.tabs.current();
    if (const RunReport* report = m_studio.runs->currentReport()) {
        const QString measured = measuredText(verdictLine(*report, m_studio.runs->baselineOf(*report), explained.get(),
                                                          m_studio.runs->isStale(*document)));
        if (!measured.isEmpty() && report->result && report->result->measured && !m_studio.runs->isStale(*document))
            return measured;
    }
    const auto kernel = kernelInFront(explained.get());
    if (!kernel)
        return {};
    const session::KernelExplained& of = explained->kernels[*kernel];
    return costText(of, baselineOf(m_studio, of).kernel()).predicted;
}

QString AnalysisDock::headOfModel() const {
    const LiveModel& model = *m_studio.tabs.model();
    return measuredText(modelVerdict(model, m_studio.modelRuns->report(model)));
}

// ---- findings and sections -----------------------------------------------------------------------------------------

void AnalysisDock::fill() {
    offerTabs();
    const QSignalBlocker quiet(m_rows);
    m_rows->clear();
    for (const session::KernelFinding& finding : m_findings)
        m_rows->addTopLevelItem(rowOf(finding));
    m_rows->setVisible(!m_findings.empty());
    m_none->setVisible(m_findings.empty());
    m_left->setVisible(!m_findings.empty() || !m_head->text().isEmpty());
    showCount(m_findings);
    const auto before = std::ranges::find_if(
        m_findings, [&](const session::KernelFinding& each) { return sentence(each.sentence) == m_chosen; });
    const bool isSection =
        std::ranges::any_of(m_sections, [&](const Section& each) { return each.info->id == m_chosen; });
    if (m_findings.empty() || (isSection && before == m_findings.end()))
        return;
    m_rows->setCurrentItem(m_rows->topLevelItem(before == m_findings.end() ? 0 : int(before - m_findings.begin())));
    showFinding();
}

// Loops are looked at while the analysis is, and count as what their accesses do. A small grid is no fault of a kernel.
void AnalysisDock::showCount(const std::vector<session::KernelFinding>& findings) {
    const auto count = std::ranges::count_if(
        findings, [](const auto& each) { return each.figure != "loops" && (each.place.known() || each.seconds > 0); });
    setBadge(count > 0 ? QString::number(count) : QString());
}

// Those of what is in front.
void AnalysisDock::offerTabs() {
    const SectionOf of = m_studio.tabs.model() ? SectionOf::model : SectionOf::script;
    if (m_tabs->count() == 0 || m_tabsOf != of) {
        const QSignalBlocker quiet(m_tabs);
        m_tabsOf = of;
        while (m_tabs->count() > 0)
            m_tabs->removeTab(0);
        for (const Section& section : m_sections)
            if (section.info->of == of)
                m_tabs->setTabData(m_tabs->addTab(section.info->title), section.info->id);
        raise(m_sectionOf.value(int(of), m_tabs->tabData(0).toString()));
    }
    nameTabs();
}

void AnalysisDock::nameTabs() {
    for (int i = 0; i < m_tabs->count(); ++i)
        for (const Section& section : m_sections)
            if (section.info->id == m_tabs->tabData(i)) {
                m_tabs->setTabText(i, section.content->withBadge(section.info->title));
                m_tabs->setTabToolTip(i, wrappedTip(section.info->help));
            }
}

QTreeWidgetItem* AnalysisDock::rowOf(const session::KernelFinding& finding) const {
    const QString cost = finding.seconds > 0 ? "~" + timeText(finding.seconds) : QString();
    const QString line = finding.place.known() ? QString::number(finding.place.line) : QString();
    auto* row = new QTreeWidgetItem({sentence(finding.sentence), line, cost});
    row->setTextAlignment(PlaceColumn, Qt::AlignRight | Qt::AlignVCenter);
    row->setTextAlignment(CostColumn, Qt::AlignRight | Qt::AlignVCenter);
    QString tip = sentence(finding.sentence) + '.';
    if (!finding.cure.empty())
        tip += ' ' + tr("Cure: %1.").arg(text(finding.cure));
    if (!finding.fixes.empty())
        tip += ' ' + tr("Alt+Enter: %1.").arg(text(finding.fixes.back().title));
    row->setToolTip(TextColumn, wrappedTip(tip));
    row->setToolTip(CostColumn, tr("Of the predicted time, at most, that goes when it is mended"));
    row->setFont(CostColumn, italic(font()));
    return row;
}

const session::KernelFinding* AnalysisDock::finding() const {
    const int row = m_rows->currentItem() ? m_rows->indexOfTopLevelItem(m_rows->currentItem()) : -1;
    return row >= 0 && row < int(m_findings.size()) ? &m_findings[std::size_t(row)] : nullptr;
}

void AnalysisDock::showFinding() {
    const session::KernelFinding* of = finding();
    if (!of)
        return;
    raise(text(of->figure));
    if (of->figure == "accesses" && of->place.known())
        emit m_studio.requests.accessRequested(of->place.line);
}

// Also a section of what is not in front, which says so.
void AnalysisDock::raise(const QString& id) {
    const QSignalBlocker quiet(m_tabs);
    for (int i = 0; i < m_tabs->count(); ++i)
        if (m_tabs->tabData(i) == id)
            m_tabs->setCurrentIndex(i);
    for (const Section& section : m_sections)
        if (section.info->id == id) {
            m_stack->setCurrentWidget(section.content);
            m_stack->setFocusProxy(section.content);
            m_sectionOf[int(section.info->of)] = id;
        }
}

void AnalysisDock::showSection(const QString& id) {
    m_chosen = id;
    offerTabs();
    raise(id);
}

// Beside a script: a graph has no room for it.
void AnalysisDock::putBeside(int tab) {
    if (tab >= 0 && m_tabsOf == SectionOf::script && m_studio.tabs.current())
        m_studio.stages.showFigure(m_tabs->tabData(tab).toString());
}

void AnalysisDock::showTabMenu(const QPoint& at) {
    const int tab = m_tabs->tabAt(at);
    if (tab < 0 || m_tabsOf != SectionOf::script || !m_studio.tabs.current())
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName("analysis.menu");
    menu->addAction(tr("Open beside the script"), this, [this, tab] { putBeside(tab); });
    menu->popup(m_tabs->mapToGlobal(at));
}

DockWidget* AnalysisDock::section() const {
    return static_cast<DockWidget*>(m_stack->currentWidget());
}

void AnalysisDock::goToLine() {
    if (const session::KernelFinding* of = finding(); of && of->place.known())
        m_studio.requests.show(session::Place(of->place));
}

void AnalysisDock::fix() {
    const session::KernelFinding* of = finding();
    if (!of || of->fixes.empty())
        return m_studio.notices.showStatus(tr("No fix of this is known"));
    const LivePipeline* live = m_studio.scripts.live();
    if (!live || !live->explanationIsCurrent())
        return m_studio.notices.showStatus(tr("The script has changed since; its fixes come with the next look at it"));
    m_studio.requests.applyFix(std::vector(of->fixes));
}

DockWidget* makeAnalysisDock(Studio& studio) {
    return new AnalysisDock(studio);
}

} // namespace hidet::ui
