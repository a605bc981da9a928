// SPDX-License-Identifier: GPL-3.0-only
// The operators of the shown graph as a table beside the picture: sorted, filtered, with the numbers of the overlay.
#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include "app/ui/core/expressions.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/graph/canvas/overlay_commands.h"
#include "app/ui/graph/tables/operator_model.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/share_bar.h"
#include "app/ui/workbench/dock_parts.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

class OperatorsDock : public DockWidget {
public:
    explicit OperatorsDock(Studio& studio)
        : m_studio(studio), m_expression(newExpressionSwitch(this)), m_rows(studio.themes) {
        addOverlayCommands(studio, *this);
        makeTable();
        makeBar();
        studio.commands.bind(
            Command::GraphCriticalPath, this, [this] { markCriticalPath(); },
            [this] { return m_studio.tabs.model() && m_studio.tabs.model()->graphs().last(); });
        studio.commands.bind(
            Command::GraphExpression, this,
            [this] {
                m_expression->toggle();
                m_filter->setFocus(Qt::ShortcutFocusReason);
            },
            [this] { return m_filter->isVisible(); });
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &OperatorsDock::attach);
        studio.themes.follow(this, &OperatorsDock::applyTheme);
        attach();
    }

private:
    void shown() override { refresh(); }

    void makeTable() {
        // Before it is measured: Qt gives the font of then back where the view gets another parent.
        m_view->horizontalHeader()->setFont(m_studio.themes.smallFont());
        m_view->setObjectName("operators.table");
        m_view->setAccessibleName(tr("Operators"));
        m_view->setModel(&m_rows);
        m_view->setItemDelegateForColumn(OperatorModel::Share,
                                         new ShareBar(m_studio.themes, OperatorModel::share_role, m_view));
        makeList(*m_view);
        m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
        m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
        m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
        QHeaderView* header = m_view->horizontalHeader();
        header->setMinimumSectionSize(64);
        header->setSectionResizeMode(OperatorModel::Name, QHeaderView::Stretch);
        m_view->setTextElideMode(Qt::ElideMiddle);
        header->setSortIndicatorClearable(true);
        header->setSortIndicator(-1, Qt::AscendingOrder);
        m_view->setSortingEnabled(true);
        onListKey(*m_view, QKeySequence::keyBindings(QKeySequence::Copy), [this] { copy(); });
        m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
        m_view->addAction(tr("Show in the graph"), this, [this] { reveal(m_view->currentIndex()); });
        m_view->addAction(tr("Copy as table"), this, &OperatorsDock::copy);
        connect(m_view, &QTableView::activated, this, &OperatorsDock::reveal);
        // Not the current row: the keyboard alone, coming here, makes one.
        connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
            const QModelIndex current = m_view->currentIndex();
            if (current.isValid() && m_view->selectionModel()->isRowSelected(current.row()))
                choose(current);
        });
        setFocusProxy(m_view);
    }

    void makeBar() {
        setNames("operators", m_filter, "filter", m_expression, "expression", m_path, "critical_path", m_total, "total",
                 m_empty, "empty");
        makeField(*m_filter, tr("Filter operators"), tr("Filter: conv op:relu dtype:float16 shape:64x56"));
        m_filter->setMaximumWidth(360);
        const QAction* path = m_studio.commands.action(Command::GraphCriticalPath);
        m_path->setText(tr("Critical path"));
        m_path->setAccessibleName(path->text());
        m_path->setToolTip(path->toolTip());
        m_path->setFocusPolicy(Qt::TabFocus);
        connect(m_path, &QToolButton::clicked, m_studio.commands.action(Command::GraphCriticalPath), &QAction::trigger);
        m_total->setProperty("muted", true);
        m_total->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        auto* page = new QWidget(this);
        newColumn(page, {newRow({8, 4, 8, 4}, 8, {{m_filter, 2}, m_expression, m_path, {m_total, 3}}), {m_view, 1}});
        fillDock(*this, m_pages, m_empty, page);
        connect(m_filter, &QLineEdit::textChanged, this, &OperatorsDock::filter);
        connect(m_expression, &QToolButton::toggled, this, &OperatorsDock::filter);
        connect(m_filter, &QLineEdit::returnPressed, m_view, qOverload<>(&QWidget::setFocus));
    }

    void applyTheme() {
        const QFont font = m_studio.themes.smallFont();
        m_view->setFont(font);
        m_view->horizontalHeader()->setFont(font);
        m_total->setFont(font);
        const QFontMetrics metrics(font);
        m_view->verticalHeader()->setDefaultSectionSize(metrics.height() + 8);
        const int letter = metrics.averageCharWidth();
        const int letters[] = {0, 14, 16, 9, 20, 21, 10}; // names have what is left
        if (!m_sized)
            for (int column = 1; column < OperatorModel::ColumnCount; ++column)
                resizeColumn(*m_view->horizontalHeader(), column, letter * letters[column]);
        m_sized = true;
        m_view->viewport()->update();
    }

    LiveModel* model() const { return m_studio.tabs.model(); }

    void attach() {
        for (const QMetaObject::Connection& connection : m_connections)
            disconnect(connection);
        m_connections.clear();
        m_job.cancel();
        m_finding.cancel();
        m_rows.show(nullptr);
        if (LiveModel* shown = model())
            m_connections = {
                connect(&shown->graphs(), &ModelGraphs::shownChanged, this, &OperatorsDock::refresh),
                connect(&shown->display(), &GraphDisplay::overlayChanged, this, &OperatorsDock::refresh),
                connect(&shown->results(), &ModelResults::findingsChanged, this, &OperatorsDock::refresh),
                connect(shown, &LiveModel::stateChanged, this, &OperatorsDock::sayState),
                connect(&shown->selection(), &GraphSelection::selectionChanged, this, [this](QObject* origin) {
                    if (origin != this)
                        follow();
                })};
        refresh();
    }

    // Numbers are read on another thread: a large model has tens of thousands.
    void refresh() {
        sayState();
        const LiveModel* shown = model();
        if (!isVisible() || !shown || !shown->graphs().shown())
            return;
        m_job.run([snapshot = shown->graphs().snapshot(), graph = std::size_t(shown->graphs().shownNumber()),
                   findings = shown->results().findings(), kind = shown->display().overlay()](
                      const std::atomic<bool>&) { return operatorTable(*snapshot, graph, findings, kind); },
                  [this](std::shared_ptr<const OperatorTable> table) { take(std::move(table)); });
    }

    void sayState() {
        const LiveModel* shown = model();
        const bool has = shown && shown->graphs().shown() && !shown->graphs().shown()->nodes.empty();
        m_pages->setCurrentIndex(has ? 1 : 0);
        if (has)
            return m_rows.setStale(shown->results().isStale());
        setBadge({});
        sayNoGraph(*m_empty, m_studio, tr("The operators of a model appear here, with what each costs"));
        if (shown && shown->graphs().shown())
            m_empty->say(tr("The graph has no operators"), tr("Its outputs are inputs or constants"));
    }

    void take(std::shared_ptr<const OperatorTable> table) {
        const int scrolled = m_view->verticalScrollBar()->value();
        const bool same = m_rows.table() && m_rows.table()->graph->nodes.size() == table->graph->nodes.size();
        fill(std::move(table));
        m_rows.setStale(model()->results().isStale());
        if (same)
            m_view->verticalScrollBar()->setValue(scrolled);
        const bool hasShare = m_rows.table()->overlay.total > 0 && m_rows.table()->hasNumbers();
        m_view->setColumnHidden(OperatorModel::Share, !hasShare);
        m_view->setColumnHidden(OperatorModel::Kernel, m_rows.table()->kernels + m_rows.table()->host == 0);
        setBadge(QString::number(m_rows.table()->rows.size()));
    }

    // What the field asks for, as the search in the graph does. A mistake filters nothing.
    void filter() {
        if (const std::shared_ptr<const OperatorTable> table = m_rows.table())
            fill(table);
    }

    // Words are found at once; expressions may take their time, and what was shown stays until then.
    void fill(std::shared_ptr<const OperatorTable> table) {
        m_finding.cancel();
        const QString wanted = m_filter->text().trimmed();
        if (wanted.isEmpty())
            return showFound(std::move(table), std::nullopt);
        if (!m_expression->isChecked())
            return showFound(table, findNodes(*table->graph, wanted, SearchBy::Words, m_never));
        if (m_rows.table() != table)
            showFound(table, std::nullopt);
        m_finding.run(
            [table, wanted](const std::atomic<bool>& stopped) {
                return findNodes(*table->graph, wanted, SearchBy::Expressions, stopped);
            },
            [this, table](const session::NodeSearch& found) { showFound(table, found); });
    }

    void showFound(std::shared_ptr<const OperatorTable> table, const std::optional<session::NodeSearch>& found) {
        std::optional<QSet<quint32>> nodes;
        m_mistake = found ? QString::fromStdString(found->mistake) : QString();
        if (found && m_mistake.isEmpty())
            nodes.emplace(found->nodes.begin(), found->nodes.end());
        const QScopedValueRollback following(m_following, true);
        m_rows.show(std::move(table), std::move(nodes));
        follow();
        showTotal();
    }

    // "84 operators, 42 kernels, 3.1 ms"
    void showTotal() {
        const std::shared_ptr<const OperatorTable> table = m_rows.table();
        if (!table)
            return m_total->clear();
        const auto counted = [](std::size_t count, const QString& one, const QString& many) {
            return count == 1 ? one : many.arg(count);
        };
        QStringList parts;
        if (!m_mistake.isEmpty())
            parts << m_mistake;
        const std::size_t shown = std::size_t(m_rows.rowCount()), all = table->rows.size();
        parts << (shown < all ? tr("%1 of %2 operators").arg(shown).arg(all)
                              : counted(all, tr("1 operator"), tr("%1 operators")));
        if (table->kernels + table->host > 0)
            parts << counted(table->kernels, tr("1 kernel"), tr("%1 kernels"));
        if (table->host > 0)
            parts << tr("%1 on the host").arg(table->host);
        if (!table->overlay.unavailable.empty())
            parts << QString::fromStdString(table->overlay.unavailable);
        else if (table->overlay.total > 0 && table->overlay.kind != session::OverlayKind::Share)
            parts << (table->isPredicted() ? "~" : "") +
                         QString::fromStdString(text_of_quantity(table->overlay.total, table->overlay.unit));
        if (!table->overlay.machine.empty())
            parts << tr("on %1").arg(QString::fromStdString(table->overlay.machine));
        m_total->setText(parts.join(", "));
    }

    // What the other views have selected.
    void follow() {
        const LiveModel* shown = model();
        const int row = shown && shown->selection().selected().kind == GraphItem::Kind::Node
                            ? m_rows.rowOf(shown->selection().selected().node)
                            : -1;
        const QScopedValueRollback following(m_following, true);
        if (row < 0) {
            m_view->selectionModel()->clear();
        } else if (m_view->currentIndex().row() != row || !m_view->selectionModel()->isRowSelected(row)) {
            m_view->selectRow(row);
            m_view->scrollTo(m_rows.index(row, 0));
        }
    }

    void choose(const QModelIndex& row) {
        if (!m_following && row.isValid() && model())
            model()->selection().select(GraphItem::ofNode(m_rows.row(row.row()).node->id), this);
    }

    void reveal(const QModelIndex& row) {
        if (!row.isValid() || !model())
            return;
        const GraphItem item = GraphItem::ofNode(m_rows.row(row.row()).node->id);
        model()->selection().select(item, this);
        model()->selection().reveal(item);
    }

    // The selected rows if they are several, or else all that are shown.
    void copy() {
        QList<int> rows = listOf(m_view->selectionModel()->selectedRows(), &QModelIndex::row);
        if (rows.size() < 2) {
            rows.clear();
            for (int row = 0; row < m_rows.rowCount(); ++row)
                rows << row;
        }
        std::ranges::sort(rows);
        QApplication::clipboard()->setText(tsvOf(m_rows, rows));
        m_studio.notices.showStatus(rows.size() == 1 ? tr("1 row copied") : tr("%1 rows copied").arg(rows.size()));
    }

    // Once more takes the marks away.
    void markCriticalPath() {
        LiveModel* shown = model();
        if (m_marked && shown->selection().marked() == m_marked) {
            m_marked.reset();
            return shown->selection().mark(std::nullopt);
        }
        m_pathJob.run([snapshot = shown->graphs().snapshot(), findings = shown->results().findings()](
                          const std::atomic<bool>&) { return session::critical_path(*snapshot, findings); },
                      [this, shown = QPointer<LiveModel>(shown)](const session::CriticalPath& path) {
                          if (!shown)
                              return;
                          shown->graphs().setShown(-1); // the path is one of what runs
                          m_marked = QSet<quint32>(path.nodes.begin(), path.nodes.end());
                          shown->selection().mark(m_marked);
                          const QString time = QString::fromStdString(time_text(path.seconds));
                          m_studio.notices.showStatus(
                              path.is_measured ? tr("The critical path takes %1, as measured").arg(time)
                                               : tr("The critical path takes at least ~%1, as predicted").arg(time));
                      });
    }

    Studio& m_studio;
    QStackedWidget* m_pages = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    QLineEdit* m_filter = new QLineEdit(this);
    QToolButton* m_expression;
    QToolButton* m_path = new QToolButton(this);
    ElidedLabel* m_total = new ElidedLabel(this);
    QTableView* m_view = new QTableView(this);
    OperatorModel m_rows;
    QList<QMetaObject::Connection> m_connections;
    QString m_mistake;                     // in the filter
    std::optional<QSet<quint32>> m_marked; // as the critical path
    bool m_following = false;              // the selection is another view's
    bool m_sized = false;
    const std::atomic<bool> m_never = false;
    LatestTask m_job, m_pathJob, m_finding; // last: what they find arrives here
};

} // namespace

DockWidget* makeOperatorsDock(Studio& studio) {
    return new OperatorsDock(studio);
}

} // namespace hidet::ui
