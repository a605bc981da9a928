// SPDX-License-Identifier: GPL-3.0-only
// What is wrong with the scripts that are open: mistakes, warnings, what the last run found. Enter goes there, Alt+Enter takes the
// fix, F1 explains.
#include <algorithm>

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSet>
#include <QStackedWidget>
#include <QTreeWidget>

#include "app/ui/core/icons.h"
#include "app/ui/core/mnemonics.h"
#include "app/ui/docks/docks.h"
#include "app/ui/run/script_reducer.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/dock_parts.h"
#include "app/ui/workbench/lessons.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

class ProblemsDock : public DockWidget {
public:
    explicit ProblemsDock(Studio& studio) : m_studio(studio) {
        makeList();
        m_counts->setProperty("muted", true);
        setNames("problems", m_counts, "counts", m_files, "files", m_filter, "filter", m_empty, "empty");
        m_files->setAccessibleName(tr("Problems of which file"));
        m_files->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        makeField(*m_filter, tr("Filter problems"), tr("Filter"));
        m_filter->setFixedWidth(200);
        newRow({12, 4, 8, 4}, 8, {{m_counts, 1}, m_files, m_filter}, m_bar);
        m_stack->addWidget(m_empty);
        m_stack->addWidget(m_list);
        newColumn(this, {m_bar, {m_stack, 1}});
        setFocusProxy(m_list);
        makePanel(*this);
        for (auto signal : {&OpenTabs::currentChanged, &OpenTabs::tabsChanged})
            connect(&studio.tabs, signal, this, [this] {
                watch();
                listFiles();
                refresh();
            });
        connect(&studio.tabs, &OpenTabs::documentClosing, this,
                [this](Document* document) { m_watched.remove(document); });
        connect(m_files, &QComboBox::currentIndexChanged, this, &ProblemsDock::refresh);
        connect(&studio.scripts, &LiveScripts::findingsChanged, this, &ProblemsDock::refresh);
        connect(&studio.themes, &ThemeSource::changed, this, &ProblemsDock::refresh);
        connect(m_filter, &QLineEdit::textChanged, this, &ProblemsDock::refresh);
        watch();
        listFiles();
        refresh();
    }

private:
    // A script is read from when it first was in front.
    void watch() {
        Document* document = m_studio.tabs.current();
        if (!document || m_watched.contains(document))
            return;
        m_watched.insert(document);
        connect(m_studio.scripts.liveOf(*document), &LivePipeline::updated, this, &ProblemsDock::refresh);
    }

    // With one script there is nothing to choose.
    void listFiles() {
        const QSignalBlocker quiet(m_files);
        const QString chosen = m_files->currentIndex() > 0 ? m_files->currentData().toString() : QString();
        m_files->clear();
        m_files->addItem(tr("All open files"));
        for (const Document* document : m_studio.tabs.documents())
            m_files->addItem(document->title(), document->name());
        m_files->setCurrentIndex(std::max(0, chosen.isEmpty() ? 0 : m_files->findData(chosen)));
        m_files->setVisible(m_studio.tabs.documents().size() > 1);
    }

    struct Row {
        session::Place place;
        std::vector<session::FixView> fixes;
        QString text; // for the clipboard
        QString id;
        QString lesson; // empty: there is none
        QString message;
    };

    void makeList() {
        m_list->setObjectName("problems.list");
        makeTree(*m_list, tr("Problems"), 16);
        m_list->setColumnCount(3);
        m_list->header()->setStretchLastSection(false);
        m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
        m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
        m_list->header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
        m_list->setContextMenuPolicy(Qt::CustomContextMenu);
        onChosen(*m_list, this, [this](QTreeWidgetItem* item) { show(item); });
        connect(m_list, &QTreeWidget::customContextMenuRequested, this, &ProblemsDock::openMenu);
        onListKey(*m_list, {Qt::ALT | Qt::Key_Return}, [this] { fix(0); });
        onListKey(*m_list, QKeySequence::keyBindings(QKeySequence::Copy), [this] { copy(); });
        onListKey(*m_list, {Qt::Key_F1}, [this] { explain(); });
    }

    const Row* rowOf(const QTreeWidgetItem* item) const {
        if (!item)
            return nullptr;
        const auto index = static_cast<std::size_t>(item->data(0, Qt::UserRole).toULongLong());
        return index < m_rows.size() ? &m_rows[index] : nullptr;
    }

    void show(QTreeWidgetItem* item) {
        if (const Row* row = rowOf(item))
            m_studio.requests.show(session::Place(row->place));
    }

    void fix(std::size_t index) {
        const Row* row = rowOf(m_list->currentItem());
        if (!row || index >= row->fixes.size())
            return m_studio.notices.showStatus(tr("This problem has no fix to offer"));
        const session::FixView fix = row->fixes[index]; // the list changes with the script in front
        if (!isOfCurrent(fix.place))
            m_studio.requests.show(session::Place(fix.place));
        m_studio.requests.applyFix({fix});
    }

    bool isOfCurrent(const session::Place& place) const {
        return m_studio.tabs.current() && place.file == m_studio.tabs.current()->name().toStdString();
    }

    void explain() {
        if (const Row* row = rowOf(m_list->currentItem()))
            explainFinding(m_studio, row->lesson.isEmpty() ? row->id : row->lesson);
    }

    void copy() {
        if (const Row* row = rowOf(m_list->currentItem()))
            QGuiApplication::clipboard()->setText(row->text);
    }

    // Null: it is a note, or of a file that is not open.
    Document* documentOf(const Row& row) const {
        if (row.id.isEmpty() || !row.place.known())
            return row.id.isEmpty() ? nullptr : m_studio.tabs.current();
        const auto isMeant = [&](const Document* each) { return each->name().toStdString() == row.place.file; };
        const auto found = std::ranges::find_if(m_studio.tabs.documents(), isMeant);
        return found == m_studio.tabs.documents().end() ? nullptr : *found;
    }

    void openMenu(const QPoint& at) {
        const Row* row = rowOf(m_list->currentItem());
        if (!row)
            return;
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        for (std::size_t i = 0; i < row->fixes.size(); ++i)
            menu->addAction(withoutMnemonics(QString::fromStdString(row->fixes[i].title)), this, [this, i] { fix(i); });
        if (!row->fixes.empty())
            menu->addSeparator();
        if (!row->lesson.isEmpty()) {
            menu->addAction(tr("Show me"), this,
                            [this, lesson = row->lesson, place = row->place] { showFinding(m_studio, lesson, place); });
            addLessonActions(*menu, m_studio, row->lesson);
            menu->addSeparator();
        }
        const bool isRefuted = row->id == info(DiagId::ProofRefuted).id; // by a proof, which reducing does not make
        if (Document* document = documentOf(*row); document && document->isScript() && !isRefuted)
            menu->addAction(m_studio.commands.action(Command::EditReduce)->text(), this,
                            [this, document = QPointer<Document>(document), id = row->id, message = row->message] {
                                if (document)
                                    m_studio.reducer->reduce(*document, id, message);
                            });
        menu->addAction(tr("Copy"), this, [this] { copy(); });
        menu->popup(m_list->viewport()->mapToGlobal(at));
    }

    QTreeWidgetItem* rowFor(const QString& text, const QString& id, const session::Place& place,
                            std::vector<session::FixView> fixes, const std::string& rendered) {
        QString where;
        if (place.known())
            where = (isOfCurrent(place) ? QString() : QString::fromStdString(place.file).section('/', -1) + ':') +
                    tr("%1:%2").arg(place.line).arg(place.column);
        auto* item = new QTreeWidgetItem({text, id, where});
        item->setText(2, item->text(2) + (where.isEmpty() ? "" : " "));
        item->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
        item->setForeground(1, m_studio.themes.theme().muted);
        item->setForeground(2, m_studio.themes.theme().muted);
        item->setData(0, Qt::UserRole, static_cast<qulonglong>(m_rows.size()));
        if (!fixes.empty())
            item->setToolTip(0, tr("Alt+Enter: %1").arg(QString::fromStdString(fixes.front().title)));
        m_rows.push_back(
            {place, std::move(fixes), rendered.empty() ? text : QString::fromStdString(rendered), id, {}, text});
        return item;
    }

    // Of a script what it says while it is written, what is proved to be wrong in it, and what its last run found.
    void addOf(Document& document, std::vector<session::DiagnosticView>& out) const {
        const auto add = [&](const session::DiagnosticView& problem) {
            const bool isKnown = std::ranges::any_of(out, [&](const session::DiagnosticView& each) {
                return each.id == problem.id && each.message == problem.message && isSame(each.place, problem.place);
            });
            if (!isKnown) // a file that another imports says it of itself as well
                out.push_back(problem);
        };
        const LivePipeline* live = m_watched.contains(&document) ? m_studio.scripts.liveOf(document) : nullptr;
        if (live && live->latest()) {
            std::ranges::for_each(live->latest()->diagnostics, add);
            std::ranges::for_each(live->latest()->refuted, add);
        }
        std::ranges::for_each(m_studio.scripts.findings(document), add);
    }

    static bool isSame(const session::Place& a, const session::Place& b) {
        return a.file == b.file && a.line == b.line && a.column == b.column;
    }

    // Those of the script in front first.
    std::vector<session::DiagnosticView> all() const {
        std::vector<session::DiagnosticView> out;
        if (m_studio.tabs.current())
            addOf(*m_studio.tabs.current(), out);
        for (Document* document : m_studio.tabs.documents())
            if (document != m_studio.tabs.current())
                addOf(*document, out);
        return out;
    }

    bool isWanted(const session::DiagnosticView& problem) const {
        const QString file = QString::fromStdString(problem.place.file);
        if (m_files->currentIndex() > 0 && file != m_files->currentData().toString())
            return false;
        const QString words = QString::fromStdString(problem.message) + ' ' + QString::fromStdString(problem.id);
        return (words + ' ' + file.section('/', -1)).contains(m_filter->text(), Qt::CaseInsensitive);
    }

    // The row that was selected is selected again by what it says; else the one in its place.
    void refresh() {
        const QTreeWidgetItem* before = m_list->currentItem();
        const QString text = before ? before->text(0) : QString();
        const int number = before ? m_list->indexOfTopLevelItem(const_cast<QTreeWidgetItem*>(before)) : -1;
        const QSignalBlocker quiet(m_list);
        m_list->clear();
        m_rows.clear();
        int errors = 0, warnings = 0;
        bool isHere = false; // one of the script in front
        const Theme& theme = m_studio.themes.theme();
        for (const session::DiagnosticView& diagnostic : all()) {
            const bool error = diagnostic.severity == Severity::Error;
            ++(error ? errors : warnings);
            const QString message = QString::fromStdString(diagnostic.message);
            isHere = isHere || !diagnostic.place.known() || isOfCurrent(diagnostic.place);
            if (!isWanted(diagnostic))
                continue;
            const QString id = QString::fromStdString(diagnostic.id);
            QTreeWidgetItem* item = rowFor(message, id, diagnostic.place, diagnostic.fixes, diagnostic.rendered);
            m_rows.back().lesson = lessonOf(diagnostic);
            item->setIcon(0, icon(error ? "error" : "warning", error ? theme.error : theme.warning));
            for (const session::NoteView& note : diagnostic.notes)
                item->addChild(rowFor(QString::fromStdString(note.message), {}, note.place, {}, {}));
            m_list->addTopLevelItem(item);
            item->setExpanded(true);
            if (message == text)
                m_list->setCurrentItem(item);
        }
        if (!m_list->currentItem() && number >= 0)
            m_list->setCurrentItem(m_list->topLevelItem(std::min(number, m_list->topLevelItemCount() - 1)));
        showCounts(errors, warnings);
        setHasToSay(isHere);
    }

    void showCounts(int errors, int warnings) {
        QStringList counts;
        if (errors)
            counts << (errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
        if (warnings)
            counts << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
        m_counts->setText(counts.join(", "));
        m_bar->setVisible(errors + warnings > 0);
        showEmpty(errors + warnings > 0);
        m_stack->setCurrentWidget(m_list->topLevelItemCount() > 0 ? static_cast<QWidget*>(m_list) : m_empty);
        setBadge(errors + warnings ? QString::number(errors + warnings) : QString());
    }

    // What the script says of itself is known; a run finds more.
    void showEmpty(bool some) {
        if (some) {
            m_empty->say(tr("No problem has these words"), {});
            m_empty->setAction(tr("Show all"), [this] {
                m_files->setCurrentIndex(0);
                m_filter->clear();
            });
        } else if (m_studio.tabs.current()) {
            m_empty->say(tr("No problems"), {});
            m_empty->offer(m_studio.commands.action(Command::RunEmulate), tr("Check every access on the emulator"));
        } else {
            m_empty->say(tr("What is wrong with a script will appear here"), {});
            m_empty->offer(m_studio.commands.action(Command::FileOpen), tr("Open a script"));
        }
    }

    Studio& m_studio;
    QStackedWidget* m_stack = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    QTreeWidget* m_list = new QTreeWidget(this);
    QWidget* m_bar = new QWidget(this);
    QLabel* m_counts = new QLabel(this);
    QComboBox* m_files = new QComboBox(this);
    QLineEdit* m_filter = new QLineEdit(this);
    QSet<const Document*> m_watched;
    std::vector<Row> m_rows;
};

} // namespace

DockWidget* makeProblemsDock(Studio& studio) {
    return new ProblemsDock(studio);
}

} // namespace hidet::ui
