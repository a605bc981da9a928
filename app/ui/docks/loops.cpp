// SPDX-License-Identifier: GPL-3.0-only
// What limits each loop before anything runs: the cycles of a multiprocessor that its pipes take for a turn, and the edits that
// would raise the limit, with the lines that say so. Follows the caret and the text; while it is hidden nothing is computed.
#include <algorithm>

#include "app/session/explain/loop_rules.h"
#include "app/session/explain/loops.h"
#include "app/ui/charts/bar_chart.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/live/cost_text.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/workbench/dock_parts.h"
#include "app/ui/workbench/explanation_age.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

using session::LoopAdvice;
using session::LoopView;

// A loop, and the kernel that it is in.
struct FoundInKernel {
    QString kernel;
    LoopView loop;
};

QString flopsText(const LoopView& loop) {
    if (!loop.flops_unknown.empty())
        return tr("not known");
    const QString out = rateText(loop.flops + loop.matrix_flops, "FLOP");
    return loop.matrix_flops > loop.flops ? tr("%1 by matrix units").arg(out) : out;
}

// Of a loop that begins in this line (1-based): what stands deeper below it.
int lastLineOf(const QList<QByteArray>& lines, int line) {
    const auto depthOf = [&](qsizetype at) {
        const QByteArray& text = lines[at];
        return std::distance(text.begin(),
                             std::ranges::find_if_not(text, [](char c) { return c == ' ' || c == '\t'; }));
    };
    int last = line;
    for (qsizetype at = line; line > 0 && at < lines.size(); ++at) {
        if (lines[at].trimmed().isEmpty())
            continue;
        if (depthOf(at) <= depthOf(line - 1))
            break;
        last = int(at) + 1;
    }
    return last;
}

// What is proposed, and what the rule looks for that proposes it.
QString ruleText(const LoopAdvice& advice) {
    QString out = sentence(advice.edit);
    for (const session::LoopRuleInfo& rule : session::all_loop_rules())
        if (advice.rule == rule.name)
            out += tr(" (rule: %1)").arg(tr(rule.what));
    return out;
}

std::vector<QColor> pipePalette(const Theme& theme) {
    return {oklch(theme.dark ? 0.5 : 0.8, 0.12, 40), oklch(theme.dark ? 0.42 : 0.88, 0.05, 250)};
}

// A lane for each pipe, the limiting one in another colour.
Chart pipesChart(const LoopView& loop) {
    Chart out;
    out.name = tr("Pipes of a turn");
    out.x.title = tr("Lower bound, SM cycles per iteration and block");
    out.x.max = loop.pipes.empty() ? 1 : loop.pipes.front().cycles * 1.02;
    for (std::size_t i = 0; i < loop.pipes.size(); ++i) {
        out.lanes << text(loop.pipes[i].name);
        ChartBar bar;
        bar.right = loop.pipes[i].cycles;
        bar.bottom = double(i);
        bar.hue = i == 0 ? 0 : 1;
        out.bars.push_back(bar);
    }
    out.palette = pipePalette;
    out.summary =
        loop.limiter.empty() ? tr("Nothing is known to limit it") : tr("Limited by %1").arg(text(loop.limiter));
    const auto pipes = loop.pipes;
    out.label = [pipes](int bar) { return numberText(pipes[std::size_t(bar)].cycles); };
    out.words = [pipes](int bar) {
        const session::Pipe& pipe = pipes[std::size_t(bar)];
        return tr("%1: %2 cycles").arg(text(pipe.name), numberText(pipe.cycles));
    };
    out.header = {tr("pipe"), tr("cycles")};
    out.row = [pipes](int bar) {
        const session::Pipe& pipe = pipes[std::size_t(bar)];
        return QStringList{text(pipe.name), QString::number(pipe.cycles)};
    };
    return out;
}

class LoopsDock : public DockWidget {
public:
    explicit LoopsDock(Studio& studio) : m_studio(studio) {
        setFocusProxy(m_loops);
        layOutParts();
        nameParts();
        listen();
        refresh();
    }

private:
    void nameParts() {
        setNames("loops", m_loops, "table", m_pipes, "pipes", m_said, "sentence", m_advice, "advice", m_empty, "empty");
        m_said->setProperty("muted", true);
        for (FigureTable* each : {m_loops, m_advice})
            each->setSelectionMode(QAbstractItemView::SingleSelection);
    }

    void layOutParts() {
        auto* right = new QWidget(m_full);
        newColumn(right, {newBar({{m_said, 1}, m_saver->newButton(right)}), {m_pipes, 3}, {m_advice, 2}});
        newColumn(m_full, {newSplitter(m_loops, 760, right, 640)});
        fillDock(*this, m_pages, m_empty, m_full);
    }

    void listen() {
        m_studio.scripts.follow({&LiveScripts::explanationChanged}, this, &LoopsDock::refresh);
        connect(&m_studio.tabs, &OpenTabs::currentChanged, this, &LoopsDock::refresh);
        connect(&m_studio.stages, &StageHub::baselineChanged, this, &LoopsDock::refresh);
        connect(&m_studio.scripts, &LiveScripts::caretMoved, this, [this](Document* document, int offset) {
            if (document != m_studio.tabs.current())
                return;
            m_line = 1 + int(document->text().left(offset).count('\n'));
            if (isVisible())
                follow();
        });
        connect(m_loops, &QTableWidget::currentCellChanged, this, [this](int row, int, int before, int) {
            if (row != before)
                showLoop(true);
        });
        onChosen(*m_loops, this, [this] {
            if (const FoundInKernel* found = current())
                m_studio.requests.show(session::Place(found->loop.place));
        });
        onChosen(*m_advice, this, [this](const QModelIndex& index) { goToEvidence(index.row()); });
        connect(m_age, &ExplanationAge::changed, this, [this](bool isStale) {
            for (QWidget* each : std::initializer_list<QWidget*>{m_loops, m_advice, m_said})
                each->setEnabled(!isStale);
        });
    }

    void shown() override { refresh(); }

    // ---- what is shown -------------------------------------------------------------------------------------------

    void refresh() {
        const auto explained = m_age->explained();
        if (!isVisible())
            return;
        if (!explained || explained->kernels.empty())
            return sayEmpty(explained != nullptr);
        m_age->look();
        const Baseline* pinned = m_studio.stages.baseline(m_studio.tabs.current());
        m_making.run(
            [explained, before = pinned ? pinned->explained : nullptr](const std::atomic<bool>& stopped) {
                return std::pair(foundIn(*explained, stopped),
                                 before ? foundIn(*before, stopped) : std::vector<FoundInKernel>());
            },
            [this](std::pair<std::vector<FoundInKernel>, std::vector<FoundInKernel>>&& made) {
                take(std::move(made.first), made.second);
            });
    }

    static std::vector<FoundInKernel> foundIn(const session::Explained& explained, const std::atomic<bool>& stopped) {
        std::vector<FoundInKernel> out;
        for (std::size_t i = 0; i < explained.kernels.size() && !stopped; ++i)
            if (explained.sources[i])
                for (LoopView& loop : session::loops_of(*explained.sources[i], explained.kernels[i], &stopped))
                    out.push_back({kernelName(explained, i), std::move(loop)});
        return out;
    }

    void sayEmpty(bool isKnown) {
        m_making.cancel();
        m_found.clear();
        m_pages->setCurrentWidget(m_empty);
        m_empty->say(tr("What limits the loops of a kernel, and what would raise that"),
                     !m_studio.tabs.current() ? tr("Appears here when a script with kernels is open")
                     : isKnown                ? tr("No kernel of this script has a loop of many turns")
                                              : tr("Appears here when the kernels of the script have been looked at"));
    }

    void take(std::vector<FoundInKernel>&& made, const std::vector<FoundInKernel>& baseline) {
        if (made.empty())
            return sayEmpty(true);
        m_found = std::move(made);
        m_pages->setCurrentWidget(m_full);
        const auto rowsOf = [&](const std::vector<FoundInKernel>& all) {
            return transformed(all, [&](const FoundInKernel& found) { return cellsOf(found); });
        };
        const int before = m_loops->currentRow();
        {
            const QSignalBlocker quiet(m_loops);
            m_loops->show(rowsOf(m_found), rowsOf(baseline));
            m_loops->setCurrentCell(std::clamp(before, 0, int(m_found.size()) - 1), 0);
        }
        follow();
        showLoop(false);
    }

    std::vector<FigureCell> cellsOf(const FoundInKernel& found) const {
        const LoopView& loop = found.loop;
        const bool isOne = std::ranges::all_of(m_found, [&](const auto& each) { return each.kernel == found.kernel; });
        QString name = (loop.is_inner ? tr("inner, over %1") : tr("over %1")).arg(text(loop.variable));
        if (!isOne)
            name = found.kernel + ": " + name;
        const QString turns = loop.trips > 0 ? QString::number(loop.trips) : tr("not known");
        if (!loop.unknown.empty())
            return {QString::number(loop.place.line),
                    name,
                    {sentence(loop.unknown), sentence(loop.unknown), m_studio.themes.theme().muted},
                    {},
                    turns,
                    {},
                    {},
                    {}};
        return {
            {QString::number(loop.place.line)},
            {name},
            {text(loop.limiter), {}, {}, {}, true},
            {loop.advice.empty() ? QString() : tr("%1x").arg(numberText(loop.advice.front().gain)), {}, {}, {}, true},
            {turns},
            {flopsText(loop), text(loop.flops_unknown), {}, {}, loop.flops_at_most},
            {bytesText(loop.sector_bytes), tr("In sectors; lanes ask for %1").arg(bytesText(loop.global_bytes))},
            {bytesText(loop.shared_bytes)}};
    }

    const FoundInKernel* current() const {
        const int row = m_loops->currentRow();
        return row >= 0 && row < int(m_found.size()) ? &m_found[std::size_t(row)] : nullptr;
    }

    // The innermost loop around the caret, if there is one.
    void follow() {
        if (!m_studio.tabs.current())
            return;
        const QList<QByteArray> lines = m_studio.tabs.current()->text().split('\n');
        int best = -1;
        for (int i = 0; i < int(m_found.size()); ++i) {
            const session::Place& place = m_found[std::size_t(i)].loop.place;
            const bool isAround = m_line >= place.line && m_line <= lastLineOf(lines, place.line);
            if (isAround && (best < 0 || place.line >= m_found[std::size_t(best)].loop.place.line))
                best = i;
        }
        if (best < 0 || best == m_loops->currentRow())
            return;
        const QSignalBlocker quiet(m_loops);
        m_loops->setCurrentCell(best, 0);
        showLoop(false);
    }

    void showLoop(bool byUser) {
        const FoundInKernel* found = current();
        m_pipes->show(found ? pipesChart(found->loop) : Chart());
        FigureRows rows;
        if (found)
            for (const LoopAdvice& advice : found->loop.advice) {
                const QStringList lines =
                    listOf(advice.evidence, [](const session::Place& place) { return QString::number(place.line); });
                rows.push_back({{tr("%1x").arg(numberText(advice.gain)), {}, {}, {}, true},
                                {sentence(advice.edit), wrappedTip(ruleText(advice))},
                                text(advice.limit),
                                lines.join(", ")});
            }
        const QSignalBlocker quiet(m_advice);
        m_advice->show(rows);
        m_advice->setVisible(!rows.empty());
        m_said->setText(found ? sentenceOf(found->loop) : QString());
        if (found && byUser)
            m_studio.links.setCaret(this, found->loop.place);
    }

    static QString sentenceOf(const LoopView& loop) {
        if (!loop.unknown.empty())
            return tr("Nothing more is known: %1").arg(text(loop.unknown));
        if (loop.limiter.empty())
            return tr("Nothing is known to limit it");
        QString out = tr("~%1 limits it").arg(text(loop.limiter));
        if (loop.advice.empty())
            out += tr("; no rule knows an edit that would raise that");
        return out;
    }

    // One line after the other, where there are several.
    void goToEvidence(int row) {
        const FoundInKernel* found = current();
        if (!found || row < 0 || row >= int(found->loop.advice.size()))
            return;
        const std::vector<session::Place>& evidence = found->loop.advice[std::size_t(row)].evidence;
        if (evidence.empty())
            return;
        m_evidence = m_row == row ? (m_evidence + 1) % evidence.size() : 0;
        m_row = row;
        m_studio.requests.show(session::Place(evidence[m_evidence]));
    }

    Studio& m_studio;
    QStackedWidget* m_pages = new QStackedWidget(this);
    QWidget* m_full = new QWidget(this);
    FigureTable* m_loops = new FigureTable(m_studio.themes, tr("Loops"),
                                           {tr("Line"), textColumn(tr("Loop")), textColumn(tr("Limited by")),
                                            comparedColumn(tr("Could gain")), comparedColumn(tr("Turns")),
                                            comparedColumn(tr("Computes in a turn")), comparedColumn(tr("Global")),
                                            comparedColumn(tr("Shared"))},
                                           m_full);
    BarChart* m_pipes = new BarChart(m_studio.themes, m_full);
    ElidedLabel* m_said = new ElidedLabel(m_full);
    FigureTable* m_advice =
        new FigureTable(m_studio.themes, tr("What would raise the limit"),
                        {tr("Limit"), textColumn(tr("Edit")), textColumn(tr("Then limited by")), tr("Lines")}, m_full);
    EmptyState* m_empty = new EmptyState(this);
    ExplanationAge* m_age = new ExplanationAge(m_studio, this);
    PictureSaver* m_saver = new PictureSaver(
        m_studio, *this, [this] { return current() && !current()->loop.pipes.empty(); },
        [this] { return m_pipes->saved("loop"); });
    std::vector<FoundInKernel> m_found;
    int m_line = 1;             // of the caret
    int m_row = -1;             // of the advice that was followed last
    std::size_t m_evidence = 0; // of it
    LatestTask m_making;
};

} // namespace

DockWidget* makeLoopsDock(Studio& studio) {
    return new LoopsDock(studio);
}

} // namespace hidet::ui
