// SPDX-License-Identifier: GPL-3.0-only
// The threads that a finding of a run is about: who came to a barrier and where the others stand, which two threads race. A click
// or Return goes to the line. Of a kernel that is debugged: what its threads hold where they stand.
#include <algorithm>

#include <QComboBox>

#include "app/ui/charts/chart_legend.h"
#include "app/ui/charts/threads_picture.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/run/debug_page.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/workbench/dock_parts.h"
#include "app/ui/workbench/lessons.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

using session::DiagnosticView;
using session::ThreadsView;

constexpr std::size_t most_runs_told = 4;

// "0 to 15, 32"
QString runsText(const ThreadsView& party, std::size_t most) {
    QStringList out;
    for (std::size_t i = 0; i < std::min(party.threads.size(), most); ++i) {
        const auto& [first, last] = party.threads[i];
        out << (first == last ? QString::number(first) : ThreadsPicture::tr("%1 to %2").arg(first).arg(last));
    }
    if (party.threads.size() > most)
        out << ThreadsPicture::tr("... to %1").arg(party.threads.back()[1]);
    return out.join(", ");
}

class ThreadsDock : public DockWidget {
public:
    explicit ThreadsDock(Studio& studio) : m_studio(studio) {
        nameParts();
        listen();
        layOutParts();
        setFocusProxy(m_picture);
        refresh();
    }

private:
    void nameParts() {
        setNames("threads", m_findings, "finding", m_said, "sentence", m_legend, "legend", m_picture, "picture",
                 m_words, "words", m_table, "table", m_learn, "learn", m_empty, "empty");
        m_words->setProperty("muted", true);
        m_said->setMostLines(2);
        m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    }

    void layOutParts() {
        newColumn(m_side, {m_legend, {m_picture, 1}, newRow({8, 0, 8, 4}, usual_spacing, {m_words})});
        newColumn(m_full, {newBar({m_findings, {m_said, 1}, m_learn, m_saver->newButton(m_full)}),
                           {newSplitter(m_side, 800, m_table, 600), 1}});
        fillDock(*this, m_pages, m_empty, m_full);
        m_pages->addWidget(m_debug);
    }

    void listen() {
        connect(&m_studio.tabs, &OpenTabs::currentChanged, this, &ThreadsDock::refresh);
        connect(&m_studio.scripts, &LiveScripts::findingsChanged, this, &ThreadsDock::refresh);
        connect(&m_studio.debug, &DebugBoard::changed, this, &ThreadsDock::refresh);
        connect(&m_studio.requests, &ViewRequests::threadsRequested, this, &ThreadsDock::select);
        connect(m_findings, &QComboBox::activated, this, &ThreadsDock::showChosen);
        connect(m_picture, &ThreadsPicture::wordsChanged, this, [this] { m_words->setText(m_picture->words()); });
        connect(m_picture, &ThreadsPicture::picked, this, &ThreadsDock::goTo);
        onChosen(*m_table, this, [this](const QModelIndex& index) { goTo(index.row()); });
    }

    void shown() override { refresh(); }

    // Those that are about several threads.
    void refresh() {
        m_shown.clear();
        if (m_studio.tabs.current())
            std::ranges::copy_if(m_studio.scripts.findings(*m_studio.tabs.current()), std::back_inserter(m_shown),
                                 [](const DiagnosticView& each) { return !each.parties.empty(); });
        setBadge(m_shown.empty() ? QString() : QString::number(m_shown.size()));
        if (!isVisible())
            return;
        if (const Document* debugged = m_studio.debug.debugged(); debugged && debugged == m_studio.tabs.current()) {
            m_pages->setCurrentWidget(m_debug);
            return m_debug->refresh();
        }
        if (m_shown.empty())
            return sayEmpty();
        const int before = std::clamp(m_findings->currentIndex(), 0, int(m_shown.size()) - 1);
        m_findings->clear();
        for (const DiagnosticView& each : m_shown)
            m_findings->addItem(tr("%1, line %2").arg(text(each.id)).arg(each.place.line));
        m_findings->setCurrentIndex(before);
        m_findings->setVisible(m_shown.size() > 1);
        m_pages->setCurrentWidget(m_full);
        showChosen();
    }

    void sayEmpty() {
        m_pages->setCurrentWidget(m_empty);
        m_picture->show(std::nullopt);
        m_empty->say(
            tr("Which threads race, and where the threads of a block stand that does not come to its barrier"),
            tr("Appears here when a run on the emulator has found something of several threads; while a kernel is "
               "debugged, what its threads hold"));
    }

    const DiagnosticView& chosen() const { return m_shown[std::size_t(std::max(m_findings->currentIndex(), 0))]; }

    void showChosen() {
        if (m_shown.empty())
            return;
        const DiagnosticView& finding = chosen();
        m_said->setText(sentence(finding.message) + '.');
        m_learn->setLesson(lessonOf(finding));
        m_picture->show(finding);
        m_words->setText(m_picture->words());
        QStringList names;
        FigureRows rows;
        for (const ThreadsView& party : finding.parties) {
            names << doesText(party);
            rows.push_back({doesText(party),
                            party.place.known() ? QString::number(party.place.line) : QString(),
                            QString::number(party.count()),
                            {runsText(party, most_runs_told), runsText(party, party.threads.size())},
                            tupleText(party.block)});
        }
        m_legend->show(names, [many = int(names.size())](const Theme& theme) { return threadsPalette(theme, many); });
        m_table->show(rows);
    }

    void select(int line) {
        const auto found = std::ranges::find(m_shown, line, [](const DiagnosticView& each) { return each.place.line; });
        if (found == m_shown.end() || !isVisible())
            return;
        m_findings->setCurrentIndex(int(found - m_shown.begin()));
        showChosen();
    }

    void goTo(int party) {
        if (m_shown.empty() || party < 0 || party >= int(chosen().parties.size()))
            return;
        if (const session::Place& place = chosen().parties[std::size_t(party)].place; place.known())
            m_studio.requests.show(session::Place(place));
        else
            m_studio.notices.showStatus(tr("That is nowhere in the script: the end of the kernel"));
    }

    Studio& m_studio;
    QStackedWidget* m_pages = new QStackedWidget(this);
    QWidget* m_full = new QWidget(this);
    QComboBox* m_findings = newChoice(tr("Finding"), m_full);
    ElidedLabel* m_said = new ElidedLabel(m_full);
    QWidget* m_side = new QWidget(m_full);
    ChartLegend* m_legend = new ChartLegend(m_studio.themes, m_side);
    ThreadsPicture* m_picture = new ThreadsPicture(m_studio.themes, m_side);
    ElidedLabel* m_words = new ElidedLabel(m_side);
    FigureTable* m_table = new FigureTable(m_studio.themes, tr("Threads"),
                                           {textColumn(tr("Where they are")), tr("Line"), tr("Number"),
                                            textColumn(tr("Threads")), textColumn(tr("Block"))},
                                           m_full);
    LessonButton* m_learn = new LessonButton(m_studio, m_full);
    DebugPage* m_debug = new DebugPage(m_studio, this);
    EmptyState* m_empty = new EmptyState(this);
    PictureSaver* m_saver = new PictureSaver(
        m_studio, *this, [this] { return m_picture->hasPicture(); }, [this] { return m_picture->saved(); });
    std::vector<DiagnosticView> m_shown;
};

} // namespace

DockWidget* makeThreadsDock(Studio& studio) {
    return new ThreadsDock(studio);
}

} // namespace hidet::ui
