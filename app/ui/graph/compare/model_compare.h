// SPDX-License-Identifier: GPL-3.0-only
// Two models side by side: both graphs, with what is new, gone and changed coloured, and below them the differences, the
// kernels and the totals as tables. The graphs are those of the models' tabs, lent for as long as the comparison is on.
#pragma once

#include <QApplication>
#include <QFileInfo>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <algorithm>

#include "app/ui/graph/canvas/graph_pane.h"
#include "app/ui/graph/compare/model_pair.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/parts.h"

class QStackedWidget;

namespace hidet::ui {

class ModelCompare : public QWidget {
    Q_OBJECT
public:
    // Takes both panes as its children until giveBack().
    ModelCompare(Studio& studio, LiveModel& left, GraphPane& leftPane, LiveModel& right, GraphPane& rightPane,
                 QWidget* parent = nullptr)
        : QWidget(parent), m_studio(studio), m_pair(new ModelPair(left, right, this)) {
        named(this, "compare", tr("Two models side by side"));
        setProperty("panel", true);
        setAttribute(Qt::WA_StyledBackground);
        m_left = makeSide(tr("Left model"), leftPane);
        m_right = makeSide(tr("Right model"), rightPane);
        m_graphs->addWidget(m_left.box);
        m_graphs->addWidget(m_right.box);
        m_graphs->setChildrenCollapsible(false);
        m_graphs->setSizes({1000, 1000});
        m_all->addWidget(m_graphs);
        m_all->addWidget(makeTables());
        m_all->setStretchFactor(0, 3);
        m_all->setStretchFactor(1, 1);
        m_all->setSizes({600, 200});
        newColumn(this, {{m_all, 1}});
        connect(m_pair, &ModelPair::changed, this, &ModelCompare::refresh);
        connect(m_pair, &ModelPair::selected, this, &ModelCompare::showSelection);
        // The model whose graph has the keyboard is the one that docks and commands are about.
        connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
            if (!now || !isVisible())
                return;
            for (const Side* side : {&m_left, &m_right})
                if (side->pane && side->pane->isAncestorOf(now))
                    m_studio.tabs.setCurrent(side == &m_left ? m_pair->left() : m_pair->right());
        });
        refresh();
    }

    ModelPair& pair() { return *m_pair; }
    const QSplitter& graphs() const { return *m_graphs; }
    CompareTable& differences() { return *m_differences; }
    CompareTable& kernels() { return *m_kernels; }
    CompareTable& totals() { return *m_totals; }
    QString summary() const { return m_summary->text(); }
    GraphPane* paneOf(const LiveModel& model) const {
        return &model == &m_pair->left() ? m_left.pane : &model == &m_pair->right() ? m_right.pane : nullptr;
    }

    // the panes, without a parent
    QList<GraphPane*> giveBack() {
        QList<GraphPane*> out;
        for (Side* side : {&m_left, &m_right})
            if (GraphPane* pane = std::exchange(side->pane, nullptr))
                out << pane;
        for (GraphPane* pane : out) { // the keyboard leaves one that is hidden, and neither side is chosen by that
            showOverlays(*pane, true);
            pane->hide();
            pane->setParent(nullptr);
        }
        return out;
    }

    // to the next difference, or the one before
    void step(int by) {
        if (!canStep())
            return;
        m_tabs->setCurrentIndex(0);
        m_differences->step(by);
        m_studio.notices.showStatus(
            tr("Difference %1 of %2").arg(m_differences->current() + 1).arg(m_differences->model()->rowCount()));
    }

    bool canStep() const { return m_pair->comparison() && m_differences->model()->rowCount() > 0; }

    void swap() {
        m_pair->swap();
        std::swap(m_left.pane, m_right.pane);
        for (const Side* side : {&m_left, &m_right})
            side->box->layout()->addWidget(side->pane);
        refresh();
    }

    // the table of them in front, the worst first
    void showKernels() {
        m_tabs->setCurrentIndex(1);
        constexpr int difference = 4;
        m_kernels->sortByColumn(difference, Qt::DescendingOrder); // what became slower most, first
    }

    // one of the graphs
    bool hasKeyboard() const {
        const QWidget* focus = QApplication::focusWidget();
        return focus && m_graphs->isAncestorOf(focus);
    }

signals:
    void closeRequested();

private:
    static QList<CompareColumn> kernelColumns(const QString& left, const QString& right) {
        return {{tr("Operators")}, {tr("Kernels")},          {left, true},
                {right, true},     {tr("Difference"), true}, {tr("Share"), true}};
    }

    static QList<CompareColumn> totalColumns(const QString& left, const QString& right) {
        return {{tr("In all")}, {left, true}, {right, true}, {tr("Difference"), true}, {tr("Share"), true}};
    }

    static void showOverlays(GraphPane& pane, bool shows) {
        for (OverlayBox* box : pane.strip().findChildren<OverlayBox*>())
            box->setVisible(shows);
    }

    struct Side {
        QWidget* box = nullptr;
        ElidedLabel *title = nullptr, *detail = nullptr;
        GraphPane* pane = nullptr;
    };
    Side makeSide(const QString& name, GraphPane& pane) {
        Side side;
        side.box = new QWidget(m_graphs);
        side.title = new ElidedLabel(side.box);
        side.title->setAccessibleName(name);
        side.title->setFont(bold(side.title->font(), QFont::DemiBold));
        side.detail = (new BarParts(m_studio.themes, side.box))->newLabel();
        side.detail->setAccessibleName(tr("%1: what is shown").arg(name));
        newColumn(side.box, {newRow({8, 4, 8, 4}, 8, {{side.title, 2}, {side.detail, 3}}), {&pane, 1}});
        showOverlays(pane, false); // colours say what differs
        pane.show();
        side.pane = &pane;
        return side;
    }

    QWidget* makeBar() {
        const Commands& commands = m_studio.commands;
        auto* bar = new QWidget(this);
        m_parts = new BarParts(m_studio.themes, bar);
        m_tabs = named(new QTabBar(bar), "compare.tabs", tr("Tables of the comparison"));
        m_tabs->setExpanding(false);
        for (const QString& title : {tr("Differences"), tr("Kernels"), tr("Totals")})
            m_tabs->addTab(title);
        named(m_summary, "compare.summary", tr("Summary of the differences"));
        m_previous = m_parts->newButton("up", tr("Previous difference"),
                                        commands.action(Command::PanePreviousChange)->toolTip());
        m_next = m_parts->newButton("down", tr("Next difference"), commands.action(Command::PaneNextChange)->toolTip());
        m_minor =
            m_parts->newButton("filter", tr("What follows, and weights that differ"),
                               tr("Lists operators too whose results alone differ, because their operands do, or whose "
                                  "weights alone do"));
        m_minor->setObjectName("compare.minor");
        m_minor->setCheckable(true);
        m_minor->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        m_swap = m_parts->newButton("split", tr("Swap sides"), tr("Puts the left model to the right"));
        m_swap->setObjectName("compare.swap");
        m_close = m_parts->newButton("close", tr("Close the comparison"), tr("Shows one model again (Esc)"));
        m_close->setObjectName("compare.close");
        connect(m_tabs, &QTabBar::currentChanged, this, &ModelCompare::showTable);
        connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
        connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
        connect(m_minor, &QToolButton::toggled, this, [this](bool on) {
            m_differences->rows().setShowsMinor(on);
            showSelection();
        });
        connect(m_swap, &QToolButton::clicked, this, &ModelCompare::swap);
        connect(m_close, &QToolButton::clicked, this, &ModelCompare::closeRequested);
        newRow({4, 0, 4, 0}, 4,
               {m_tabs, spaced(8), m_summary, stretched(), m_minor, m_previous, m_next, m_swap, m_close}, bar);
        return bar;
    }

    QWidget* makeTables() {
        auto* box = new QWidget(m_all);
        m_tables = new QStackedWidget(box);
        m_differences->setObjectName("compare.differences");
        m_kernels->setObjectName("compare.kernels");
        m_totals->setObjectName("compare.totals");
        m_empty->setObjectName("compare.empty");
        for (QWidget* table : std::initializer_list<QWidget*>{m_differences, m_kernels, m_totals, m_empty})
            m_tables->addWidget(table);
        for (CompareTable* table : {m_differences, m_kernels})
            connect(table, &CompareTable::chosen, this, [this, table](int row) { showChosen(*table, row); });
        newColumn(box, {makeBar(), {m_tables, 1}});
        return box;
    }

    void showTable(int tab) {
        CompareTable* tables[] = {m_differences, m_kernels, m_totals};
        CompareTable* table = tables[std::max(tab, 0)];
        const bool isCompared = m_pair->comparison() != nullptr;
        const bool has = isCompared && table->model()->rowCount() > 0;
        if (!has) {
            if (!isCompared)
                m_empty->say(tr("The differences of the two models"),
                             m_pair->whyNone().isEmpty() ? tr("Appear here in a moment") : m_pair->whyNone());
            else if (table == m_differences)
                m_empty->say(tr("No differences"),
                             tr("Both graphs have the same operators, attributes, types and shapes, and "
                                "the same weights where both files have them."));
            else
                m_empty->say(tr("Times by operators"), tr("Appear here once both models are optimised"));
        }
        m_tables->setCurrentWidget(has ? static_cast<QWidget*>(table) : m_empty);
        for (QToolButton* button : {m_previous, m_next})
            button->setEnabled(canStep());
    }

    void refresh() {
        refreshTitles();
        refreshSummary();
        const session::ModelComparison* comparison = m_pair->comparison();
        const QString left = m_pair->left().title(), right = m_pair->right().title();
        const QString leftName = left == right ? tr("%1 (left)").arg(left) : left;
        const QString rightName = left == right ? tr("%1 (right)").arg(right) : right;
        if (comparison) {
            m_differences->show({{{}}, {leftName}, {rightName}, {tr("What differs")}}, m_pair->tables().differences);
            m_kernels->show(kernelColumns(leftName, rightName), m_pair->tables().kernels);
            m_totals->show(totalColumns(leftName, rightName), m_pair->tables().totals);
            m_tabs->setTabText(1, comparison->is_measured ? tr("Kernels, measured") : tr("Kernels, predicted"));
        }
        showTable(m_tabs->currentIndex());
        showSelection();
        m_studio.commands.refresh();
    }

    void refreshTitles() {
        for (const Side* side : {&m_left, &m_right}) {
            const LiveModel& model = side == &m_left ? m_pair->left() : m_pair->right();
            side->title->setText(model.title());
            side->detail->setText(detailOf(model));
        }
    }

    void refreshSummary() {
        const session::ModelComparison* comparison = m_pair->comparison();
        if (!comparison) {
            m_summary->setText(m_pair->isBusy() ? tr("Comparing") : QString());
            m_minor->hide();
            return;
        }
        const session::GraphMatching& matching = comparison->matching;
        QStringList parts;
        if (matching.changed > matching.inherited)
            parts << tr("%1 changed").arg(matching.changed - matching.inherited);
        if (matching.added > 0)
            parts << tr("%1 new").arg(matching.added);
        if (matching.gone > 0)
            parts << tr("%1 gone").arg(matching.gone);
        const bool hasOwn = !parts.isEmpty();
        if (matching.inherited > 0)
            parts << tr("%1 in shape or type alone").arg(matching.inherited);
        const std::size_t weights = comparison->other_weights.size();
        if (weights > 0)
            parts << tr("weights differ in %1").arg(weights);
        m_summary->setText(parts.isEmpty() ? tr("No differences") : parts.join(QStringLiteral(", ")));
        const QList<CompareRow>& rows = *m_pair->tables().differences;
        const auto minor = std::count_if(rows.begin(), rows.end(), [](const CompareRow& row) { return row.isMinor; });
        m_minor->setText(tr("%1 more").arg(minor));
        m_minor->setVisible(minor > 0 && hasOwn);
        m_differences->rows().setShowsMinor(m_minor->isChecked() || !hasOwn);
    }

    void showChosen(const CompareTable& table, int row) {
        const CompareRow& chosen = const_cast<CompareTable&>(table).rows().row(row);
        m_pair->show(chosen.left, chosen.right);
    }

    // The rows of what is selected in the graphs.
    void showSelection() {
        for (CompareTable* table : {m_differences, m_kernels})
            table->selectItem(m_pair->left().selection().selected(), m_pair->right().selection().selected());
    }

    QString detailOf(const LiveModel& model) const {
        QStringList parts;
        if (const session::ModelGraph* graph = model.graphs().shown())
            parts << tr("%1, %2 operators").arg(QString::fromStdString(graph->title)).arg(graph->nodes.size());
        if (!model.setup().choices().isEmpty())
            parts << (model.setup().choicesPath().isEmpty()
                          ? tr("with choices")
                          : tr("choices of %1").arg(QFileInfo(model.setup().choicesPath()).fileName()));
        const LiveModel& other = &model == &m_pair->left() ? m_pair->right() : m_pair->left();
        if (other.title() == model.title())
            parts << model.folder();
        if (model.graphs().isBusy())
            parts << model.graphs().doing();
        return parts.join(QStringLiteral(" \u00b7 "));
    }

    Studio& m_studio;
    ModelPair* m_pair;
    Side m_left, m_right;
    QSplitter* m_graphs = new QSplitter(this);
    QSplitter* m_all = new QSplitter(Qt::Vertical, this);
    QLabel* m_summary = new QLabel(this);
    BarParts* m_parts = nullptr; // of the line above the tables
    QToolButton *m_previous, *m_next, *m_minor, *m_swap, *m_close;
    QTabBar* m_tabs;
    QStackedWidget* m_tables;
    CompareTable* m_differences = new CompareTable(m_studio.themes, tr("Differences of the two models"), this);
    CompareTable* m_kernels = new CompareTable(m_studio.themes, tr("Kernels of the two models"), this);
    CompareTable* m_totals = new CompareTable(m_studio.themes, tr("Totals of the two models"), this);
    EmptyState* m_empty = new EmptyState(this);
};

} // namespace hidet::ui
