// SPDX-License-Identifier: GPL-3.0-only
// The bookmarks and notes of a model, one a line: Return goes to the operator, Delete removes the line, which can be undone.
// Those whose operator is gone from the model stay, and say so.
#include <QHeaderView>
#include <QKeyEvent>
#include <QStackedWidget>
#include <QTreeWidget>

#include "app/ui/docks/docks.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/dock_parts.h"
#include "app/ui/workbench/graph_marks.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

class MarkList : public QTreeWidget {
public:
    using QTreeWidget::QTreeWidget;
    std::function<void()> removeCurrent;

protected:
    bool event(QEvent* event) override {
        if (event->type() == QEvent::ShortcutOverride &&
            static_cast<QKeyEvent*>(event)->matches(QKeySequence::Delete)) {
            event->accept();
            return true;
        }
        return QTreeWidget::event(event);
    }
    void keyPressEvent(QKeyEvent* event) override {
        if (event->matches(QKeySequence::Delete))
            return removeCurrent();
        QTreeWidget::keyPressEvent(event);
    }
};

class MarksDock : public DockWidget {
public:
    explicit MarksDock(Studio& studio) : m_studio(studio) {
        m_empty->setObjectName("marks.empty");
        makeList();
        fillDock(*this, m_pages, m_empty, m_list);
        setFocusProxy(m_list);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &MarksDock::attach);
        studio.themes.follow(this, &MarksDock::applyTheme);
        attach();
    }

private:
    enum Column { Operator, Kind, Note, Where, ColumnCount };

    void makeList() {
        m_list->setObjectName("marks.list");
        m_list->setAccessibleName(tr("Bookmarks and notes"));
        m_list->header()->setFont(m_studio.themes.smallFont()); // before it is measured, as Qt keeps that one
        m_list->setColumnCount(ColumnCount);
        m_list->setHeaderLabels({tr("Operator"), tr("Kind"), tr("Note"), tr("Where")});
        m_list->setRootIsDecorated(false);
        m_list->setUniformRowHeights(true);
        m_list->setSelectionBehavior(QAbstractItemView::SelectRows);
        m_list->setTextElideMode(Qt::ElideMiddle); // names of operators differ at their ends
        m_list->header()->setSectionResizeMode(Note, QHeaderView::Stretch);
        m_list->header()->setStretchLastSection(false);
        m_list->removeCurrent = [this] { remove(); };
        m_list->setContextMenuPolicy(Qt::ActionsContextMenu);
        auto* goAction = new QAction(tr("Show in the graph"), m_list);
        connect(goAction, &QAction::triggered, this, [this] { go(m_list->currentItem()); });
        auto* removeAction = new QAction(tr("Remove"), m_list);
        connect(removeAction, &QAction::triggered, this, &MarksDock::remove);
        m_list->addActions({goAction, removeAction});
        onChosen(*m_list, this, [this](QTreeWidgetItem* row) { go(row); });
    }

    void applyTheme() {
        const QFont font = m_studio.themes.smallFont();
        m_list->setFont(font);
        m_list->header()->setFont(font);
        const int letter = QFontMetrics(font).averageCharWidth();
        if (!m_sized)
            for (const auto& [column, letters] : {std::pair(Operator, 30), {Kind, 16}, {Where, 30}})
                resizeColumn(*m_list->header(), column, letter * letters);
        m_sized = true;
        fill();
    }

    void attach() {
        disconnect(m_changed);
        if (LiveModel* model = m_studio.tabs.model())
            m_changed = connect(&model->marks(), &GraphMarks::changed, this, &MarksDock::fill);
        fill();
    }

    void fill() {
        const int current = m_list->indexOfTopLevelItem(m_list->currentItem());
        m_list->clear();
        const LiveModel* model = m_studio.tabs.model();
        const qsizetype count = model ? model->marks().all().size() : 0;
        setBadge(count > 0 ? QString::number(count) : QString());
        for (qsizetype i = 0; i < count; ++i)
            m_list->addTopLevelItem(rowOf(*model, i));
        if (current >= 0 && count > 0)
            m_list->setCurrentItem(m_list->topLevelItem(std::min(current, int(count) - 1)));
        m_pages->setCurrentIndex(count > 0 ? 1 : 0);
        if (count == 0)
            sayEmpty();
    }

    void sayEmpty() {
        m_empty->say(tr("Bookmarks and notes on operators appear here"),
                     m_studio.tabs.model() ? tr("Select an operator in the graph") : tr("No model is open"));
        QAction* action = m_studio.commands.action(m_studio.tabs.model() ? Command::GraphBookmark : Command::FileOpen);
        m_empty->offer(action, action->text());
    }

    QTreeWidgetItem* rowOf(const LiveModel& model, qsizetype i) const {
        const GraphMark& mark = model.marks().all()[i];
        QString name = QString::fromStdString(mark.anchor.name);
        if (mark.isBookmark)
            name.prepend(QStringLiteral("\u2691 ")); // a flag
        const QString where = whereOf(model, i);
        auto* row = new QTreeWidgetItem(
            {name, QString::fromStdString(mark.anchor.op), QString(mark.note).replace(u'\n', u' '), where});
        row->setToolTip(Operator, QString::fromStdString(mark.anchor.key));
        row->setToolTip(Note, mark.note);
        row->setToolTip(Where, where);
        row->setData(Operator, Qt::AccessibleTextRole,
                     QStringList{mark.isBookmark ? tr("Bookmark") : tr("Note"),
                                 QString::fromStdString(mark.anchor.name), mark.note, where}
                         .join(", "));
        const Theme& theme = m_studio.themes.theme();
        const bool isGone = model.graphs().shown() && model.marks().placeOf(i).node == session::no_id;
        for (int column = 0; column < ColumnCount; ++column)
            row->setForeground(column, isGone                              ? theme.stale(theme.text)
                                       : column == Kind || column == Where ? theme.muted
                                                                           : theme.text);
        return row;
    }

    // Of what is not in the shown graph where it is.
    static QString whereOf(const LiveModel& model, qsizetype mark) {
        const session::AnchoredNode place = model.marks().placeOf(mark);
        if (!model.graphs().shown())
            return tr("the model is being read");
        if (place.node == session::no_id)
            return tr("gone from the model");
        if (place.graph == model.graphs().shownNumber())
            return tr("in the shown graph");
        return tr("after '%1'")
            .arg(QString::fromStdString(model.graphs().snapshot()->graphs[std::size_t(place.graph)]->title));
    }

    void go(QTreeWidgetItem* row) {
        const int index = m_list->indexOfTopLevelItem(row);
        if (index >= 0 && m_studio.tabs.model())
            m_studio.tabs.model()->marks().go(index);
    }

    void remove() {
        const int index = m_list->indexOfTopLevelItem(m_list->currentItem());
        if (index >= 0 && m_studio.tabs.model())
            m_studio.tabs.model()->marks().remove(index);
    }

    Studio& m_studio;
    QStackedWidget* m_pages = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    MarkList* m_list = new MarkList(this);
    QMetaObject::Connection m_changed;
    bool m_sized = false;
};

} // namespace

DockWidget* makeMarksDock(Studio& studio) {
    return new MarksDock(studio);
}

} // namespace hidet::ui
