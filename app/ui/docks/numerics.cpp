// SPDX-License-Identifier: GPL-3.0-only
#include <QHeaderView>
#include <QScopedValueRollback>

#include "app/ui/core/figures.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/charts/chart_dock.h"
#include "app/ui/graph/runs/model_verdict.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

using ComparisonPtr = std::shared_ptr<const session::ModelRunResult>;
using NodeErrors = std::vector<session::ModelNodeError>;

class NumericsDock : public ChartDock {
public:
    explicit NumericsDock(Studio& studio) : ChartDock(studio, "numerics") {
        m_table->setObjectName("numerics.table");
        m_table->horizontalHeader()->setResizeContentsPrecision(200); // rows that are looked at
        m_table->horizontalHeader()->setMaximumSectionSize(240);
        m_table->setSelectionMode(QAbstractItemView::SingleSelection);
        m_first->setDefaultAction(studio.commands.action(Command::GraphFirstBad));
        m_bar->insertWidget(1, m_first);
        addBeside(m_table);
        connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                [this](const QModelIndex& now) { choose(now.row()); });
        connect(&studio.themes, &ThemeSource::changed, this, [this] { showRows(); });
        connect(&studio.tabs, &OpenTabs::modelAdded, this, [this](LiveModel* added) {
            connect(&added->selection(), &GraphSelection::selectionChanged, this, [this, added](QObject* origin) {
                if (added == model() && origin != this)
                    showSelected();
            });
        });
    }

private:
    void refresh() override {
        const QString title = tr("How far each operator is from the same in double precision");
        const LiveModel* shown = model();
        m_comparison = shown ? shown->results().findings().comparison : nullptr;
        showRows();
        if (!shown)
            return showEmpty(title, tr("Appears here when a model is open"));
        if (!m_comparison)
            return showEmpty(title, tr("A comparison runs the model, and each of its operators in double precision"),
                             Command::ModelCompare);
        if (m_comparison->nodes.empty())
            return showEmpty(title,
                             tr("None of this model's operators can be compared: what they compute is not a number, or "
                                "nothing of it is left after the passes"),
                             Command::ModelCompare);
        m_first->setVisible(firstBad(*m_comparison) != nullptr);
        showChart(errorChart(shown->graphs().snapshot(), m_comparison, shown->results().isStale()),
                  capitalized(text(session::comparison_text(*m_comparison))));
        showSelected();
    }

    void showRows() {
        const Theme& theme = m_studio.themes.theme();
        const bool isStale = model() && model()->results().isStale();
        const QColor bad = isStale ? theme.stale(theme.error) : theme.error;
        FigureRows rows;
        for (const session::ModelNodeError& each : m_comparison ? m_comparison->nodes : NodeErrors()) {
            const QString name = text(each.node), kernel = text(each.kernel);
            std::vector<FigureCell>& row = rows.emplace_back();
            row = {{name, name},
                   {text(each.op)},
                   {numberText(each.relative)},
                   {numberText(each.tolerance)},
                   {numberText(each.max_absolute)},
                   {kernel, kernel}};
            for (FigureCell& cell : row)
                cell.color = each.is_bad ? bad : isStale ? theme.muted : QColor();
            if (!each.is_bad)
                continue;
            row[0].icon = icon("error", bad);
            row[0].spoken = tr("%1, out of tolerance").arg(name);
        }
        const QScopedValueRollback quiet(m_quiet, true); // fewer rows have another current one
        m_table->show(rows);
    }

    void choose(int row) {
        if (m_quiet || row < 0 || !model() || !m_comparison)
            return;
        const quint32 node = m_comparison->nodes[std::size_t(row)].node_id;
        if (node == session::no_id)
            return;
        model()->graphs().setShown(-1);
        model()->selection().select(GraphItem::ofNode(node), this);
        model()->selection().reveal(GraphItem::ofNode(node));
    }

    void showSelected() {
        if (!m_comparison || !model() || model()->selection().selected().kind != GraphItem::Kind::Node)
            return;
        for (std::size_t row = 0; row < m_comparison->nodes.size(); ++row)
            if (m_comparison->nodes[row].node_id == model()->selection().selected().node) {
                const QScopedValueRollback quiet(m_quiet, true);
                return m_table->selectRow(int(row));
            }
    }

    FigureTable* m_table = new FigureTable(m_studio.themes, tr("Error of each operator"),
                                           {textColumn(tr("Operator")), textColumn(tr("Kind")), tr("Error"),
                                            tr("Tolerance"), tr("Absolute"), textColumn(tr("Kernel"))},
                                           this);
    QToolButton* m_first = new QToolButton(this);
    ComparisonPtr m_comparison;
    bool m_quiet = false; // the selection is followed, not made
};

} // namespace

DockWidget* makeNumericsDock(Studio& studio) {
    return new NumericsDock(studio);
}

} // namespace hidet::ui
