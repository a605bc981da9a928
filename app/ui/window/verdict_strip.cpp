// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/verdict_strip.h"

#include <algorithm>

#include <QAccessible>

#include "app/ui/core/icons.h"
#include "app/ui/core/mnemonics.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/graph/runs/model_verdict.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

constexpr int side = 8;
constexpr int figure_gap = 4;

QString shownOn(const VerdictPart& part) {
    return withoutMnemonics((part.predicted ? "~" : "") + part.text);
}

QColor colorOf(VerdictTone tone, const Theme& theme) {
    switch (tone) {
    case VerdictTone::Plain: return theme.text;
    case VerdictTone::Ok: return theme.ok;
    case VerdictTone::Warning: return theme.warning;
    case VerdictTone::Error: return theme.error;
    case VerdictTone::Muted: return theme.muted;
    }
    return theme.text;
}

// Null: it runs.
VerdictLine debugLine(const DebugStop* stop) {
    VerdictPart part{.id = "debug"};
    part.text = stop ? VerdictStrip::tr("Stands at line %1: %2").arg(stop->line).arg(stop->why.section('\n', 0, 0))
                     : VerdictStrip::tr("Debugging: runs to a breakpoint or a finding");
    part.hint = stop ? stop->why : part.text;
    part.tone = stop && stop->isFinding ? VerdictTone::Error : VerdictTone::Plain;
    return {{part}, false, part.text};
}

} // namespace

VerdictStrip::VerdictStrip(Studio& studio, QWidget* parent) : QFrame(parent), m_studio(studio), m_runs(*studio.runs) {
    setObjectName("verdict");
    setAttribute(Qt::WA_StyledBackground);
    setFixedHeight(32);
    m_row->setContentsMargins(side, 0, side, 0);
    m_row->setSpacing(figure_gap);
    m_words->setProperty("muted", true);
    m_words->setObjectName("verdict.words");
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(160);
    m_progress->setFixedHeight(4);
    m_progress->setAccessibleName(tr("How far the run is"));
    m_stop->setDefaultAction(studio.commands.action(Command::RunCancel));
    m_stop->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_row->addWidget(m_words);
    m_row->addWidget(m_progress);
    m_row->addWidget(m_stop);
    m_row->addStretch(1);
    m_clock.setInterval(100);
    connect(&m_clock, &QTimer::timeout, this, &VerdictStrip::showRunning);
    connect(studio.jobs, &JobRunner::changed, this, &VerdictStrip::refresh);
    connect(&m_runs, &RunController::currentReportChanged, this, &VerdictStrip::refresh);
    connect(&m_runs, &RunController::planChanged, this, &VerdictStrip::refresh);
    connect(studio.modelRuns, &ModelRuns::reportChanged, this, &VerdictStrip::refresh);
    connect(&studio.tabs, &OpenTabs::modelAdded, this, [this](LiveModel* model) {
        connect(&model->results(), &ModelResults::findingsChanged, this, &VerdictStrip::refresh);
        connect(&model->graphs(), &ModelGraphs::snapshotChanged, this, &VerdictStrip::refresh);
    });
    connect(&m_runs.history(), &HistoryStore::changed, this, &VerdictStrip::refresh);
    studio.scripts.follow({&LiveScripts::explanationChanged}, this, &VerdictStrip::refresh);
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &VerdictStrip::refresh);
    connect(&studio.themes, &ThemeSource::changed, this, &VerdictStrip::refresh);
    connect(&studio.debug, &DebugBoard::changed, this, &VerdictStrip::refresh);
    refresh();
}

bool VerdictStrip::isRunningHere() const {
    const QObject* front = m_studio.tabs.front();
    return front && m_studio.jobs->isRunning(*front);
}

QString VerdictStrip::invitation() const {
    if (!m_studio.tabs.front() || (m_studio.tabs.model() && m_studio.tabs.model()->graphs().isBroken()))
        return {};
    const QKeySequence key = m_studio.commands.action(Command::RunRun)->shortcut();
    const QString keys = key.isEmpty() ? tr("Run") : key.toString(QKeySequence::NativeText);
    return m_studio.tabs.model() ? tr("Not run yet. %1 measures it").arg(keys)
                                 : tr("Not run yet. %1 runs it, checks it and measures it").arg(keys);
}

// Of the text as it is; null: not yet.
const session::Explained* VerdictStrip::explained() const {
    const LivePipeline* live = m_studio.scripts.live();
    return live && live->explanationIsCurrent() ? live->explained().get() : nullptr;
}

void VerdictStrip::refresh() {
    const LiveModel* model = m_studio.tabs.model();
    const Document* document = m_studio.tabs.current();
    const RunReport* report = m_runs.currentReport();
    const bool here = isRunningHere();
    const bool isDebugged = document && document == m_studio.debug.debugged();
    m_line = {};
    if (isDebugged)
        m_line = debugLine(m_studio.debug.stop());
    else if (model && !here)
        m_line = modelVerdict(*model, m_studio.modelRuns->report(*model));
    else if (report && !here)
        m_line = verdictLine(*report, m_runs.baselineOf(*report), explained(), m_runs.isStale(*document));
    m_words->setVisible(m_line.parts.empty());
    m_progress->setVisible(here);
    m_stop->setVisible(here);
    if (here) {
        m_clock.start();
    } else {
        m_clock.stop();
        m_words->setText(invitation());
        m_line.sentence = m_line.parts.empty() ? m_words->text() : m_line.sentence;
        setAccessibleName(m_line.sentence);
    }
    showParts();
    if (here)
        showRunning();
    QAccessibleEvent event(this, QAccessible::NameChanged);
    QAccessible::updateAccessibility(&event);
}

void VerdictStrip::showRunning() {
    if (!isRunningHere())
        return;
    const RunningJob& running = *m_studio.jobs->running();
    m_progress->setRange(0, running.fraction ? 1000 : 0);
    m_progress->setValue(int(running.fraction.value_or(0) * 1000));
    m_words->setText(running.words());
    setAccessibleName(tr("Running on %1: %2").arg(info(running.target).where, running.doing));
}

// Buttons are kept and reused, so that the keyboard stays where it is when the text changes.
void VerdictStrip::showParts() {
    const Theme& theme = m_studio.themes.theme();
    while (m_buttons.size() < qsizetype(m_line.parts.size())) {
        auto* button = new QToolButton(this);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setFocusPolicy(Qt::StrongFocus);
        const qsizetype at = m_buttons.size();
        connect(button, &QToolButton::clicked, this, [this, at] {
            if (at < qsizetype(m_line.parts.size()))
                follow(m_line.parts[std::size_t(at)]);
        });
        m_row->insertWidget(m_row->count() - 1, button);
        m_buttons << button;
    }
    for (qsizetype i = 0; i < m_buttons.size(); ++i) {
        QToolButton* button = m_buttons[i];
        const bool used = i < qsizetype(m_line.parts.size());
        button->setVisible(used);
        if (!used)
            continue;
        const VerdictPart& part = m_line.parts[std::size_t(i)];
        QColor color = colorOf(part.tone, theme);
        if (m_line.stale)
            color = theme.stale(color);
        button->setObjectName("verdict." + part.id);
        button->setProperty("part", part.text);
        button->setText(shownOn(part));
        button->setAccessibleName(part.text);
        button->setAccessibleDescription(part.hint);
        const QString since = m_studio.tabs.model() ? tr("%1\nThe model or what was chosen for it has changed since")
                                                    : tr("%1\nThe text or the arguments have changed since");
        button->setToolTip(wrappedTip(m_line.stale ? since.arg(part.hint) : part.hint));
        button->setIcon(part.icon.isEmpty() ? QIcon() : icon(part.icon, color));
        button->setToolButtonStyle(part.icon.isEmpty() ? Qt::ToolButtonTextOnly : Qt::ToolButtonTextBesideIcon);
        QFont font = this->font();
        font.setItalic(part.predicted);
        font.setBold(part.id == "verdict");
        button->setFont(font);
        button->setStyleSheet(QString("QToolButton { color: %1; padding: 3px 6px; }").arg(color.name()));
    }
    setToolTip(wrappedTip(m_line.sentence));
    fit();
}

// Parts go, the least important first, until the rest has room; the last one that stays is shortened.
void VerdictStrip::fit() {
    if (m_line.parts.empty())
        return;
    const int room = width() - 2 * side;
    std::vector<std::size_t> order(m_line.parts.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return m_line.parts[a].weight > m_line.parts[b].weight; });
    int used = 0;
    bool full = false;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const VerdictPart& part = m_line.parts[order[k]];
        QToolButton* button = m_buttons[qsizetype(order[k])];
        button->setText(shownOn(part));
        button->setMaximumWidth(QWIDGETSIZE_MAX);
        const int width = button->sizeHint().width();
        if (k == 0 && width > room) {
            button->setMaximumWidth(std::max(24, room));
            const int extra = width - button->fontMetrics().horizontalAdvance(part.text);
            const QString shortened =
                button->fontMetrics().elidedText(part.text, Qt::ElideRight, std::max(16, room - extra));
            button->setText(withoutMnemonics(shortened));
            full = true;
            continue;
        }
        if (k > 0 && (full || used + figure_gap + width > room)) {
            full = true;
            button->hide();
            continue;
        }
        used += width + (k > 0 ? figure_gap : 0);
        button->show();
    }
}

void VerdictStrip::followModel(const VerdictPart& part) {
    const ModelReport* report = m_studio.modelRuns->report(*m_studio.tabs.model());
    if (part.id == "advice" && report)
        return m_studio.modelRuns->doNext(ModelReport(*report)); // the next step may replace it
    const QString dock = part.id == "memory"                          ? "dock.memory"
                         : part.id == "errors"                        ? "dock.numerics"
                         : part.id == "time" || part.id == "launches" ? "dock.timeline"
                                                                      : "dock.model_run";
    if (QAction* show = m_studio.commands.find(dock))
        show->trigger();
    if (part.id == "errors")
        m_studio.commands.action(Command::GraphFirstBad)->trigger();
}

void VerdictStrip::follow(const VerdictPart& part) {
    if (m_studio.tabs.model())
        return followModel(part);
    if (part.id == "debug")
        return m_studio.requests.showThreads(0);
    const RunReport* report = m_runs.currentReport();
    if (!report)
        return;
    const RunReport now = *report; // the next step may replace it
    switch (part.detail) {
    case VerdictDetail::Nothing: return;
    case VerdictDetail::Place: return m_studio.requests.show(session::Place(part.place));
    case VerdictDetail::Advice: return m_runs.doNext(now);
    case VerdictDetail::Emulate: return m_studio.commands.action(Command::RunEmulate)->trigger();
    default: break;
    }
    const bool plots = part.detail == VerdictDetail::Distribution || part.detail == VerdictDetail::Roofline;
    const QString dock = plots ? "dock.plots" : part.detail == VerdictDetail::History ? "dock.history" : "dock.run";
    if (QAction* show = m_studio.commands.find(dock))
        show->trigger();
    emit m_runs.detailRequested(part.detail);
}

QStringList VerdictStrip::shownParts() const {
    QStringList out;
    for (std::size_t i = 0; i < m_line.parts.size(); ++i)
        if (!m_buttons[qsizetype(i)]->isHidden())
            out << m_line.parts[i].id;
    return out;
}

void VerdictStrip::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit();
}

} // namespace hidet::ui
