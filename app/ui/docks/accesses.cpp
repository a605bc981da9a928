// SPDX-License-Identifier: GPL-3.0-only
// What each access of the kernels costs, the worst first, with a picture of what a warp touches. Enter goes to the line, Alt+Enter
// applies the fix.
#include <algorithm>
#include <cmath>
#include <set>

#include <QToolButton>

#include "app/ui/charts/access_picture.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/live/access_notes.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/workbench/kernel_dock.h"
#include "app/ui/workbench/lessons.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

using session::AccessView;
using session::DiagnosticView;
using session::KernelExplained;
using session::ThreadsView;

struct Row {
    const KernelExplained* kernel = nullptr;
    const AccessView* view = nullptr;
};

QString countText(double count) {
    return count == std::floor(count) ? QString::number(static_cast<qlonglong>(count)) : numberText(count);
}

QString movesText(const AccessView& view) {
    if (view.units == 0)
        return view.counted == "unknown" ? tr("not known") : tr("none");
    const QString unit = text(view.unit);
    return view.units == view.least ? tr("%1 %2").arg(countText(view.units), unit)
                                    : tr("%1 for %2 %3").arg(countText(view.units), countText(view.least), unit);
}

QString widthText(const AccessView& view) {
    if (view.lane_bytes == 0)
        return {};
    return view.vector > 1 ? tr("%1 B, %2 elements").arg(view.lane_bytes).arg(view.vector)
                           : tr("%1 B").arg(view.lane_bytes);
}

// How it is known where the lanes go, and how often that is counted.
QString knownText(const AccessView& view) {
    const QString form = view.form == "affine" ? tr("symbolic") : text(view.form);
    QString out = view.counted == "exact" ? form : tr("%1, %2: %3").arg(form, text(view.counted), text(view.why));
    if (!view.note.empty())
        out += "; " + text(view.note);
    return out;
}

// What is left of it where the compiler holds it in registers.
QString heldText(const AccessView& view) {
    if (!view.held)
        return {};
    return tr("%1 %2 if the compiler loads it once before %3 and holds it in registers")
        .arg(countText(view.held->units), text(view.unit), textsOf(view.held->over).join(", "));
}

bool isSame(const Row& row, const AccessView& view) {
    return row.view->kernel == view.kernel && row.view->place.line == view.place.line &&
           row.view->memory == view.memory && row.view->tensor == view.tensor && row.view->kind == view.kind;
}

// Within its warp; blocks are as the launch that is explained has them.
int laneOf(const session::Explained& explained, const AccessView& view, const session::ThreadPlace& where) {
    std::int64_t x = 32, y = 1;
    for (const KernelExplained& kernel : explained.kernels)
        if (kernel.name == view.kernel && kernel.cost && kernel.cost->block.size() == 3)
            x = kernel.cost->block[0], y = kernel.cost->block[1];
    return static_cast<int>((where.thread[0] + x * (where.thread[1] + y * where.thread[2])) % 32);
}

bool isAt(const session::Place& place, const AccessView& view) {
    return place.line == view.place.line && place.file == view.place.file;
}

// Of shared memory the lanes that meet in the fullest bank; of global memory those that have a sector for themselves.
std::vector<int> costlyLanes(const AccessView& view) {
    std::vector<int> out;
    if (view.finding.empty())
        return out;
    const session::LanesView& lanes = view.lanes;
    const bool isShared = view.memory == "shared";
    const auto fullest = std::ranges::max_element(lanes.banks) - lanes.banks.begin();
    const auto unitOf = [&](std::size_t lane) {
        return isShared ? lanes.offsets[lane] / 4 % 32 : lanes.offsets[lane] / 32;
    };
    for (std::size_t lane = 0; lane < lanes.offsets.size(); ++lane) {
        if (lanes.bytes[lane] <= 0)
            continue;
        bool isAlone = true;
        for (std::size_t other = 0; other < lanes.offsets.size(); ++other)
            isAlone = isAlone && (other == lane || lanes.bytes[other] <= 0 || unitOf(other) != unitOf(lane));
        if (isShared ? unitOf(lane) == fullest : isAlone)
            out.push_back(static_cast<int>(lane));
    }
    return out;
}

std::vector<FigureCell> cellsOf(const Studio& studio, const Row& row, bool isNamed) {
    const Theme& theme = studio.themes.theme();
    const AccessView& view = *row.view;
    const QString file = studio.tabs.current() ? studio.tabs.current()->name() : QString();
    QString line = QString::number(view.place.line);
    if (text(view.place.file) != file)
        line = text(view.place.file).section('/', -1) + ':' + line;
    QString access = view.tensor.empty() ? text(view.kind) : text(view.kind) + ' ' + text(view.tensor);
    if (isNamed)
        access = text(row.kernel->name) + ": " + access;
    const QString finding = sentence(view.finding);
    return {
        line,
        {access, finding},
        {degreeText(view), finding, theme.warning, {}, view.counted != "exact"},
        text(view.memory),
        {movesText(view) + (view.held ? tr("; held %1").arg(countText(view.held->units)) : QString()), heldText(view)},
        widthText(view),
        {text(view.address), text(view.address), theme.muted},
        {knownText(view), knownText(view), theme.muted}};
}

class AccessesDock : public DockWidget {
public:
    explicit AccessesDock(Studio& studio) : m_studio(studio) {
        nameParts();
        layOutParts();
        setFocusProxy(m_table);
        m_table->setSelectionMode(QAbstractItemView::SingleSelection);
        onListKey(*m_table, {Qt::ALT | Qt::Key_Return}, [this] { fix(); });
        connect(m_table, &QTableWidget::currentCellChanged, this, [this](int row, int, int before, int) {
            if (row != before)
                showRow(true);
        });
        onChosen(*m_table, this, [this] { goToLine(); });
        connect(m_fix, &QToolButton::clicked, this, [this] { fix(); });
        connect(m_copy, &QToolButton::clicked, m_picture, &AccessPicture::copy);
        studio.scripts.follow({&LiveScripts::explanationChanged}, this, &AccessesDock::refresh);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &AccessesDock::refresh);
        connect(&studio.stages, &StageHub::baselineChanged, this, &AccessesDock::refresh);
        connect(&studio.scripts, &LiveScripts::findingsChanged, this, &AccessesDock::showFindings);
        connect(m_age, &ExplanationAge::changed, this, &AccessesDock::setStale);
        connect(&studio.requests, &ViewRequests::accessRequested, this, &AccessesDock::select);
        connect(&studio.themes, &ThemeSource::changed, this, &AccessesDock::refresh);
        refresh();
    }

private:
    void shown() override {
        if (m_isLate)
            refresh();
    }

    void nameParts() {
        setNames("accesses", m_table, "table", m_picture, "picture", m_other, "other", m_words, "words", m_empty,
                 "empty", m_fix, "fix", m_learn, "learn");
        m_other->hide();
        m_copy->setToolButtonStyle(Qt::ToolButtonIconOnly);
        m_copy->setToolTip(tr("Copies the picture and a table of the lanes"));
        m_words->setMostLines(2);
    }

    void layOutParts() {
        auto* actions = newRow({8, 0, 8, 4}, 8, {stretched(1), m_learn, m_fix, m_copy, m_saver->newButton(this)});
        auto* right = new QWidget(this);
        newColumn(right, {{newRow({}, 0, {{m_picture, 1}, {m_other, 1}}), 1},
                          newRow({8, 0, 8, 0}, usual_spacing, {m_words}),
                          actions});
        auto* page = new QWidget(this);
        newColumn(page, {{newSplitter(m_table, 640, right, 760), 1}});
        fillDock(*this, m_pages, m_empty, page);
    }

    // ---- the list --------------------------------------------------------------------------------------------------

    void refresh() {
        m_isLate = !isVisible();
        const LivePipeline* live = m_studio.scripts.live();
        const std::shared_ptr<const session::Explained> before = m_shown; // that the selected row is of
        const AccessView* selected = current() ? current()->view : nullptr;
        m_shown = live ? live->explained() : nullptr;
        m_rows.clear();
        int findings = 0;
        if (m_shown)
            for (const KernelExplained& kernel : m_shown->kernels)
                for (const AccessView& view : kernel.accesses) {
                    m_rows.push_back({&kernel, &view});
                    findings += !view.finding.empty();
                }
        setBadge(findings ? QString::number(findings) : QString());
        if (m_isLate)
            return m_picture->show(std::nullopt);
        std::ranges::stable_sort(m_rows, [](const Row& a, const Row& b) {
            const auto excess = [](const Row& row) {
                return row.view->finding.empty() ? 0 : row.view->units - row.view->least;
            };
            return excess(a) > excess(b);
        });
        fill(selected ? rowLike(*selected) : m_rows.empty() ? -1 : 0);
        m_age->look();
        showEmpty();
    }

    // Of several alike in a line the one at the same column, where an edit has not moved it; the first row where none is alike.
    int rowLike(const AccessView& view) const {
        const auto find = [&](auto isLike) {
            const auto found = std::ranges::find_if(m_rows, isLike);
            return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
        };
        const auto alike = [&](const Row& row) { return isSame(row, view); };
        const int exact =
            find([&](const Row& row) { return alike(row) && row.view->place.column == view.place.column; });
        const int loose = exact < 0 ? find(alike) : exact;
        return loose < 0 && !m_rows.empty() ? 0 : loose;
    }

    void fill(int at) {
        const QSignalBlocker quiet(m_table);
        const bool areNamed = m_shown && m_shown->kernels.size() > 1;
        m_table->show(transformed(m_rows, [&](const Row& row) { return cellsOf(m_studio, row, areNamed); }),
                      rowsOfBaseline(areNamed));
        if (at >= 0)
            m_table->setCurrentCell(at, 0);
        showRow(false);
    }

    FigureRows rowsOfBaseline(bool areNamed) const {
        FigureRows out;
        if (m_shown)
            for (const KernelExplained& kernel : m_shown->kernels)
                if (const KernelExplained* before = baselineOf(m_studio, kernel).kernel())
                    for (const AccessView& view : before->accesses)
                        out.push_back(cellsOf(m_studio, {before, &view}, areNamed));
        return out;
    }

    void showEmpty() {
        m_pages->setCurrentIndex(m_rows.empty() ? 0 : 1);
        if (!m_rows.empty())
            return;
        const bool isKnown = m_shown && m_studio.tabs.current();
        m_empty->say(isKnown ? tr("No kernel of this script accesses global or shared memory")
                             : tr("What each access of the script's kernels to memory costs will appear here"),
                     {});
        m_empty->offer(m_studio.commands.action(Command::FileOpen),
                       m_studio.tabs.current() ? QString() : tr("Open a script"));
    }

    const Row* current() const {
        const int row = m_table->currentRow();
        return row >= 0 && row < static_cast<int>(m_rows.size()) ? &m_rows[static_cast<std::size_t>(row)] : nullptr;
    }

    void showRow(bool byUser) {
        const Row* row = current();
        m_picture->show(row ? std::optional(*row->view) : std::nullopt);
        showOther();
        m_words->setText(row ? wordsOf(*row->view) : QString());
        m_learn->setLesson(row ? lessonOf(*row->view) : QString());
        const bool hasFix = row && !row->view->fixes.empty();
        m_fix->setVisible(hasFix);
        if (hasFix) {
            const QString title = capitalized(text(row->view->fixes.back().title));
            m_fix->setText(title);
            m_fix->setAccessibleName(tr("Fix: %1").arg(title));
            m_fix->setToolTip(tr("Alt+Enter: changes the script, as one step of undo"));
        }
        if (row && byUser)
            m_studio.links.setCaret(this, row->view->place);
    }

    QString wordsOf(const AccessView& view) const {
        QStringList out{sentence(view.finding.empty() ? view.verdict : view.finding) + '.'};
        if (!view.finding.empty() && !view.cure.empty())
            out << tr("Fix: %1.").arg(text(view.cure));
        if (view.held)
            out << capitalized(heldText(view)) + '.';
        if (!m_other->isHidden())
            out << m_other->toolTip() + '.';
        return out.join(' ');
    }

    void goToLine() {
        if (const Row* row = current())
            m_studio.requests.show(session::Place(row->view->place));
    }

    void fix() {
        const Row* row = current();
        if (!row || row->view->fixes.empty())
            return m_studio.notices.showStatus(tr("No fix of this access is known that makes the kernel move less"));
        const LivePipeline* live = m_studio.scripts.live();
        if (!live || live->explained() != m_shown || !live->explanationIsCurrent())
            return m_studio.notices.showStatus(
                tr("The script has changed since; its fixes come with the next look at it"));
        m_studio.requests.applyFix(std::vector(row->view->fixes));
    }

    // Of several accesses in a line the one that a run found something of, else the worst, which is the first.
    void select(int line) {
        const auto isThere = [&](const Row& row) { return row.view->place.line == line; };
        const std::set<const AccessView*> found = accessesOfFindings();
        auto at =
            std::ranges::find_if(m_rows, [&](const Row& row) { return isThere(row) && found.contains(row.view); });
        if (at == m_rows.end())
            at = std::ranges::find_if(m_rows, isThere);
        if (at == m_rows.end())
            return;
        m_table->setCurrentCell(static_cast<int>(at - m_rows.begin()), 0);
        m_picture->mark(guiltyLanes(*at->view));
    }

    void showFindings() {
        if (isVisible())
            showRow(false);
        else
            m_isLate = true;
    }

    std::set<const AccessView*> accessesOfFindings() const {
        std::set<const AccessView*> out;
        if (m_studio.tabs.current())
            for (const DiagnosticView& finding : m_studio.scripts.findings(*m_studio.tabs.current()))
                for (const ThreadsView& party : finding.parties)
                    for (const AccessView* access : accessesOf(party))
                        out.insert(access);
        return out;
    }

    // Those of the threads that a run found something of in this line; else those that cost most.
    std::vector<int> guiltyLanes(const AccessView& view) const {
        std::set<int> found;
        if (m_studio.tabs.current())
            for (const DiagnosticView& finding : m_studio.scripts.findings(*m_studio.tabs.current())) {
                addLanes(found, finding, view);
                if (finding.where && finding.parties.empty() && isAt(finding.place, view))
                    found.insert(laneOf(*m_shown, view, *finding.where));
            }
        return found.empty() ? costlyLanes(view) : std::vector<int>(found.begin(), found.end());
    }

    // In the order of the rows; of several in a line, to one tensor, the very one, where it is among those that are shown.
    std::vector<const AccessView*> accessesOf(const ThreadsView& party) const {
        std::vector<const AccessView*> inLine, exact;
        if (!party.is_access())
            return {};
        for (const Row& each : m_rows) {
            const AccessView& view = *each.view;
            if (!isAt(party.place, view) || (!party.tensor.empty() && party.tensor != view.tensor))
                continue;
            inLine.push_back(&view);
            if (party.place.column == view.place.column)
                exact.push_back(&view);
        }
        return exact.empty() ? inLine : exact;
    }

    bool isPartIn(const ThreadsView& party, const AccessView& view) const {
        return std::ranges::any_of(accessesOf(party), [&](const AccessView* each) { return each == &view; });
    }

    void addLanes(std::set<int>& lanes, const DiagnosticView& finding, const AccessView& view) const {
        for (const ThreadsView& party : finding.parties)
            if (isPartIn(party, view))
                for (const auto& [first, last] : party.threads)
                    for (int thread = first; thread <= last; ++thread)
                        lanes.insert(thread % 32);
    }

    // Of two accesses that a finding is about the one that is not shown, beside the one that is.
    void showOther() {
        m_other->hide();
        if (!current() || !m_studio.tabs.current())
            return;
        for (const DiagnosticView& finding : m_studio.scripts.findings(*m_studio.tabs.current()))
            if (const AccessView* other = otherOf(finding, *current()->view)) {
                std::set<int> lanes;
                addLanes(lanes, finding, *other);
                m_other->show(*other);
                m_other->mark({lanes.begin(), lanes.end()});
                m_other->setToolTip(
                    tr("On the right the other access of what was found, at line %1").arg(other->place.line));
                return m_other->setVisible(true);
            }
    }

    // Null where the finding is about no other one, or not about this one.
    const AccessView* otherOf(const DiagnosticView& finding, const AccessView& view) const {
        const AccessView* other = nullptr;
        bool isHere = false;
        for (const ThreadsView& party : finding.parties) {
            if (isPartIn(party, view))
                isHere = true;
            else if (const auto accesses = accessesOf(party); !other && !accesses.empty())
                other = accesses.front();
        }
        return isHere ? other : nullptr;
    }

    void setStale(bool isStale) {
        m_picture->setStale(isStale);
        m_other->setStale(isStale);
        m_fix->setEnabled(!isStale);
    }

    Studio& m_studio;
    QStackedWidget* m_pages = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    FigureTable* m_table =
        new FigureTable(m_studio.themes, tr("Accesses"),
                        {tr("Line"), textColumn(tr("Access")), comparedColumn(tr("Excess")), textColumn(tr("Memory")),
                         comparedColumn(tr("Moves")), comparedColumn(tr("A lane")), textColumn(tr("Address in bytes")),
                         textColumn(tr("Known"))},
                        this);
    AccessPicture* m_picture = new AccessPicture(m_studio.themes, this);
    AccessPicture* m_other = new AccessPicture(m_studio.themes, this); // of a race: the other access
    ElidedLabel* m_words = new ElidedLabel(this);
    QToolButton* m_fix = newGlyphButton(m_studio.themes, "bulb", tr("Fix"), this);
    LessonButton* m_learn = new LessonButton(m_studio, this);
    QToolButton* m_copy = newGlyphButton(m_studio.themes, "copy", tr("Copy the picture"), this);
    PictureSaver* m_saver = new PictureSaver(
        m_studio, *this, [this] { return m_picture->hasPicture(); }, [this] { return m_picture->saved(); });
    ExplanationAge* m_age = new ExplanationAge(m_studio, this);
    std::shared_ptr<const session::Explained> m_shown; // what the rows point into
    std::vector<Row> m_rows;
    bool m_isLate = false; // what is shown is of before: the dock was hidden
};

} // namespace

DockWidget* makeAccessesDock(Studio& studio) {
    return new AccessesDock(studio);
}

} // namespace hidet::ui
