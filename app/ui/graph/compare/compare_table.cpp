// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/compare/compare_table.h"
#include "app/ui/widgets/columns.h"

#include <algorithm>
#include <numeric>

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScopedValueRollback>

namespace hidet::ui {

constexpr int widest_column = 360, rows_looked_at = 100;

CompareModel::CompareModel(ThemeSource& themes, QObject* parent) : QAbstractTableModel(parent), m_themes(themes) {
    connect(&themes, &ThemeSource::changed, this, [this] {
        if (rowCount() > 0)
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

void CompareModel::show(const QList<CompareColumn>& columns, CompareRows rows) {
    beginResetModel();
    m_columns = columns;
    m_rows = std::move(rows);
    arrange();
    endResetModel();
}

void CompareModel::setShowsMinor(bool shows) {
    if (shows == m_showsMinor)
        return;
    beginResetModel();
    m_showsMinor = shows;
    arrange();
    endResetModel();
}

void CompareModel::sort(int column, Qt::SortOrder order) {
    beginResetModel();
    m_column = column;
    m_sorting = order;
    arrange();
    endResetModel();
}

// Cells without a number are last, in either order.
void CompareModel::arrange() {
    m_order.clear();
    if (!m_rows)
        return;
    for (qsizetype i = 0; i < m_rows->size(); ++i)
        if (m_showsMinor || !m_rows->at(i).isMinor)
            m_order.push_back(i);
    if (m_column < 0 || m_column >= m_columns.size())
        return;
    const bool isDown = m_sorting == Qt::DescendingOrder;
    std::stable_sort(m_order.begin(), m_order.end(), [&](qsizetype a, qsizetype b) {
        const CompareCell &x = m_rows->at(a).cells[m_column], &y = m_rows->at(b).cells[m_column];
        if (m_columns[m_column].isNumber) {
            if (!x.number || !y.number)
                return x.number && !y.number;
            return isDown ? *x.number > *y.number : *x.number < *y.number;
        }
        const int order = x.text.compare(y.text, Qt::CaseInsensitive);
        return isDown ? order > 0 : order < 0;
    });
}

int CompareModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= m_columns.size())
        return {};
    if (role == Qt::DisplayRole)
        return m_columns[section].title;
    if (role == Qt::TextAlignmentRole)
        return int((m_columns[section].isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

QVariant CompareModel::colorOf(CompareTone tone) const {
    const Theme& theme = m_themes.theme();
    switch (tone) {
    case CompareTone::New:
    case CompareTone::Better: return theme.readable(theme.ok, theme.panel);
    case CompareTone::Gone: return theme.readable(theme.error, theme.panel);
    case CompareTone::Changed:
    case CompareTone::Worse: return theme.readable(theme.warning, theme.panel);
    case CompareTone::Faint: return theme.muted;
    default: return {};
    }
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
    const CompareCell& cell = row(index.row()).cells[index.column()];
    switch (role) {
    case Qt::DisplayRole: return cell.text;
    case Qt::ToolTipRole: return cell.spoken.isEmpty() ? cell.text : cell.spoken;
    case Qt::AccessibleTextRole: return cell.spoken.isEmpty() ? QVariant() : cell.spoken;
    case Qt::ForegroundRole: return colorOf(cell.tone);
    case Qt::TextAlignmentRole:
        return int((m_columns[index.column()].isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole: {
        if (cell.tone != CompareTone::Predicted)
            return {};
        QFont font = m_themes.smallFont();
        font.setItalic(true);
        return font;
    }
    default: return {};
    }
}

QString CompareModel::tsv(const QList<int>& rows) const {
    QStringList lines, cells;
    for (const CompareColumn& column : m_columns)
        cells << column.title;
    lines << cells.join('\t');
    QList<int> all = rows;
    if (all.isEmpty()) {
        all.resize(rowCount());
        std::iota(all.begin(), all.end(), 0);
    }
    for (int i : std::as_const(all)) {
        cells.clear();
        for (const CompareCell& cell : row(i).cells)
            cells << cell.text;
        lines << cells.join('\t');
    }
    return lines.join('\n') + '\n';
}

CompareTable::CompareTable(ThemeSource& themes, const QString& name, QWidget* parent)
    : QTableView(parent), m_model(new CompareModel(themes, this)) {
    setModel(m_model);
    setAccessibleName(name);
    setFont(themes.smallFont());
    makeList(*this);
    setSelectionMode(SingleSelection);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    horizontalHeader()->setStretchLastSection(true);
    horizontalHeader()->setResizeContentsPrecision(rows_looked_at);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    horizontalHeader()->setSortIndicatorClearable(true);
    setSortingEnabled(true);
    connect(&themes, &ThemeSource::changed, this, [this, &themes] {
        setFont(themes.smallFont());
        verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    });
}

void CompareTable::show(const QList<CompareColumn>& columns, CompareRows rows) {
    if (m_model->isShowing(columns, rows))
        return;
    const QScopedValueRollback quiet(m_isQuiet, true);
    GraphItem left, right;
    if (current() >= 0) {
        left = m_model->row(current()).left;
        right = m_model->row(current()).right;
    }
    const bool isFirst = m_model->columnCount() == 0;
    m_model->show(columns, std::move(rows));
    if (isFirst)
        fitColumns();
    selectItem(left, right);
}

void CompareTable::fitColumns() {
    resizeColumnsToContents(); // of the rows that are seen
    for (int i = 0; i + 1 < m_model->columnCount(); ++i)
        setColumnWidth(i, std::min(columnWidth(i) + 8, widest_column));
}

void CompareTable::selectItem(const GraphItem& left, const GraphItem& right) {
    const QScopedValueRollback quiet(m_isQuiet, true);
    const auto is = [](const GraphItem& a, const GraphItem& b) { return a && a == b; };
    if (current() >= 0 && (is(m_model->row(current()).left, left) || is(m_model->row(current()).right, right)))
        return;
    for (int i = 0; i < m_model->rowCount(); ++i)
        if (is(m_model->row(i).left, left) || is(m_model->row(i).right, right)) {
            setCurrentIndex(m_model->index(i, 0));
            return;
        }
    setCurrentIndex({});
}

void CompareTable::step(int by) {
    const int count = m_model->rowCount();
    if (count == 0)
        return;
    const int from = current() < 0 && by < 0 ? 0 : current();
    setCurrentIndex(m_model->index((from + by + count) % count, 0));
}

void CompareTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTableView::currentChanged(current, previous);
    if (!m_isQuiet && current.isValid() && current.row() != previous.row())
        emit chosen(current.row());
}

void CompareTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        QGuiApplication::clipboard()->setText(m_model->tsv({}));
    else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current() >= 0)
        emit chosen(current());
    else
        QTableView::keyPressEvent(event);
}

} // namespace hidet::ui
