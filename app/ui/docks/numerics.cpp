// SPDX-License-Identifier: GPL-3.0-only
#include <QAbstractTableModel>
#include <QHeaderView>
#include <QTableView>

#include "app/ui/core/figures.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/charts/chart_dock.h"
#include "app/ui/graph/runs/model_verdict.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

using ComparisonPtr = std::shared_ptr<const session::ModelRunResult>;

class ErrorModel : public QAbstractTableModel {
public:
    ErrorModel(ThemeSource& themes, QObject* parent) : QAbstractTableModel(parent), m_themes(themes) {}

    void show(ComparisonPtr comparison, bool isStale) {
        beginResetModel();
        m_comparison = std::move(comparison);
        m_isStale = isStale;
        endResetModel();
    }
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() || !m_comparison ? 0 : int(m_comparison->nodes.size());
    }
    int columnCount(const QModelIndex& = {}) const override { return 6; }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (orientation == Qt::Vertical)
            return {};
        static const char* const titles[] = {QT_TR_NOOP("Operator"),  QT_TR_NOOP("Kind"),     QT_TR_NOOP("Error"),
                                             QT_TR_NOOP("Tolerance"), QT_TR_NOOP("Absolute"), QT_TR_NOOP("Kernel")};
        if (role == Qt::DisplayRole)
            return tr(titles[section]);
        return role == Qt::TextAlignmentRole ? alignment(section) : QVariant();
    }
    QVariant data(const QModelIndex& index, int role) const override {
        const session::ModelNodeError& row = m_comparison->nodes[std::size_t(index.row())];
        const Theme& theme = m_themes.theme();
        const QColor bad = m_isStale ? theme.stale(theme.error) : theme.error;
        switch (role) {
        case Qt::DisplayRole: return cell(row, index.column());
        case Qt::ToolTipRole:
            return index.column() == 0 || index.column() == 5 ? cell(row, index.column()) : QVariant();
        case Qt::TextAlignmentRole: return alignment(index.column());
        case Qt::DecorationRole: return index.column() == 0 && row.is_bad ? QVariant(icon("error", bad)) : QVariant();
        case Qt::ForegroundRole:
            if (row.is_bad)
                return bad;
            return m_isStale ? QVariant(theme.muted) : QVariant();
        case Qt::AccessibleTextRole:
            return row.is_bad && index.column() == 0 ? tr("%1, out of tolerance").arg(cell(row, 0))
                                                     : cell(row, index.column());
        default: return {};
        }
    }

private:
    static QVariant alignment(int column) {
        return int((column >= 2 && column <= 4 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    static QString cell(const session::ModelNodeError& row, int column) {
        switch (column) {
        case 0: return QString::fromStdString(row.node);
        case 1: return QString::fromStdString(row.op);
        case 2: return numberText(row.relative);
        case 3: return numberText(row.tolerance);
        case 4: return numberText(row.max_absolute);
        default: return QString::fromStdString(row.kernel);
        }
    }

    ThemeSource& m_themes;
    ComparisonPtr m_comparison;
    bool m_isStale = false;
};

class NumericsDock : public ChartDock {
public:
    explicit NumericsDock(Studio& studio) : ChartDock(studio, "numerics") {
        m_table->setObjectName("numerics.table");
        m_table->setAccessibleName(tr("Error of each operator"));
        m_table->setModel(m_rows);
        makeList(*m_table);
        m_table->verticalHeader()->setDefaultSectionSize(24);
        m_table->horizontalHeader()->setResizeContentsPrecision(200); // rows that are looked at
        m_table->horizontalHeader()->setStretchLastSection(true);
        m_table->setSelectionMode(QAbstractItemView::SingleSelection);
        m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
        m_first->setDefaultAction(studio.commands.action(Command::GraphFirstBad));
        m_bar->insertWidget(1, m_first);
        addBeside(m_table);
        connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                [this](const QModelIndex& now) { choose(now.row()); });
        connect(&studio.themes, &ThemeSource::changed, m_table->viewport(), qOverload<>(&QWidget::update));
        connect(&studio, &Studio::modelAdded, this, [this](LiveModel* added) {
            connect(added, &LiveModel::selectionChanged, this, [this, added](QObject* origin) {
                if (added == model() && origin != this)
                    showSelected();
            });
        });
    }

private:
    void refresh() override {
        const QString title = tr("How far each operator is from the same in double precision");
        const LiveModel* shown = model();
        m_comparison = shown ? shown->findings().comparison : nullptr;
        m_rows->show(m_comparison, shown && shown->isStale());
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
        showChart(errorChart(shown->snapshot(), m_comparison, shown->isStale()),
                  capitalized(text(session::comparison_text(*m_comparison))));
        m_table->resizeColumnsToContents();
        for (int column = 0; column < m_rows->columnCount(); ++column)
            m_table->setColumnWidth(column, std::min(m_table->columnWidth(column), 240));
        showSelected();
    }

    void choose(int row) {
        if (m_quiet || row < 0 || !model() || !m_comparison)
            return;
        const quint32 node = m_comparison->nodes[std::size_t(row)].node_id;
        if (node == session::no_id)
            return;
        model()->setShown(-1);
        model()->select(GraphItem::ofNode(node), this);
        model()->reveal(GraphItem::ofNode(node));
    }

    void showSelected() {
        if (!m_comparison || !model() || model()->selected().kind != GraphItem::Kind::Node)
            return;
        for (std::size_t row = 0; row < m_comparison->nodes.size(); ++row)
            if (m_comparison->nodes[row].node_id == model()->selected().node) {
                m_quiet = true;
                m_table->selectRow(int(row));
                m_quiet = false;
                return;
            }
    }

    ErrorModel* m_rows = new ErrorModel(m_studio.themes, this);
    QTableView* m_table = new QTableView(this);
    QToolButton* m_first = new QToolButton(this);
    ComparisonPtr m_comparison;
    bool m_quiet = false; // the selection is followed, not made
};

} // namespace

DockWidget* makeNumericsDock(Studio& studio) {
    return new NumericsDock(studio);
}

} // namespace hidet::ui
