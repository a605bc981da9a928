// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/figure_table.h"
#include "app/ui/widgets/columns.h"

#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>

#include "app/ui/core/words.h"

namespace hidet::ui {

FigureTable::FigureTable(ThemeSource& themes, const QString& name, const std::vector<FigureColumn>& columns,
                         QWidget* parent)
    : QTableWidget(parent), m_themes(themes), m_columns(columns) {
    setAccessibleName(name);
    setColumnCount(int(columns.size()));
    setHorizontalHeaderLabels(listOf(columns, &FigureColumn::title));
    for (int column = 0; column < columnCount(); ++column)
        horizontalHeaderItem(column)->setTextAlignment(
            (m_columns[std::size_t(column)].isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    makeList(*this);
    verticalHeader()->setMinimumSectionSize(16);
    verticalHeader()->setDefaultSectionSize(24);
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setMinimumSectionSize(32);
    horizontalHeader()->setStretchLastSection(true);
    setSelectionMode(ExtendedSelection);
    setHorizontalScrollMode(ScrollPerPixel);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copyAction = new QAction(tr("Copy as table"), this);
    connect(copyAction, &QAction::triggered, this, &FigureTable::copy);
    addAction(copyAction);
}

FigureRows FigureTable::compared(FigureRows rows, const FigureRows& before) const {
    const auto name = std::size_t(std::ranges::find(m_columns, true, &FigureColumn::isText) - m_columns.begin());
    QHash<QString, QList<const std::vector<FigureCell>*>> others;
    for (const std::vector<FigureCell>& other : before)
        others[other[name].text] << &other;
    for (std::vector<FigureCell>& row : rows) {
        QList<const std::vector<FigureCell>*>& same = others[row[name].text];
        const std::vector<FigureCell>* other = same.isEmpty() ? nullptr : same.takeFirst();
        for (std::size_t c = 0; other && c < row.size(); ++c)
            if (const QString& was = (*other)[c].text; m_columns[c].isCompared && was != row[c].text && !was.isEmpty())
                row[c].text = tr("%1 (baseline: %2)").arg(row[c].text.isEmpty() ? tr("none") : row[c].text, was);
    }
    return rows;
}

void FigureTable::show(const FigureRows& now, const FigureRows& before) {
    const FigureRows rows = before.empty() ? now : compared(now, before);
    if (m_shownFont != font())
        m_shown.clear();
    setRowCount(int(rows.size()));
    QRect changed; // in cells
    {
        // Each cell that changes has the widths of all columns measured: it is said once for all of them.
        const QSignalBlocker quiet(model());
        for (int r = 0; r < rowCount(); ++r)
            for (int c = 0; c < std::min(int(rows[std::size_t(r)].size()), columnCount()); ++c) {
                const FigureCell& cell = rows[std::size_t(r)][std::size_t(c)];
                if (isShown(r, c, cell))
                    continue;
                setItem(r, c, itemOf(cell, m_columns[std::size_t(c)]));
                changed |= QRect(c, r, 1, 1);
            }
    }
    m_shown = rows;
    m_shownFont = font();
    if (!changed.isEmpty())
        emit model()->dataChanged(model()->index(changed.top(), changed.left()),
                                  model()->index(changed.bottom(), changed.right()));
}

bool FigureTable::isShown(int row, int column, const FigureCell& cell) const {
    if (!item(row, column) || std::size_t(row) >= m_shown.size() ||
        std::size_t(column) >= m_shown[std::size_t(row)].size())
        return false;
    const FigureCell& shown = m_shown[std::size_t(row)][std::size_t(column)];
    return shown.text == cell.text && shown.hint == cell.hint && shown.color == cell.color &&
           shown.isPredicted == cell.isPredicted && shown.share == cell.share && shown.spoken == cell.spoken &&
           shown.icon.cacheKey() == cell.icon.cacheKey();
}

QTableWidgetItem* FigureTable::itemOf(const FigureCell& cell, const FigureColumn& column) const {
    auto* out = new QTableWidgetItem(cell.text);
    out->setTextAlignment((column.isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (!cell.hint.isEmpty())
        out->setToolTip(wrappedTip(cell.hint));
    if (cell.color.isValid())
        out->setForeground(cell.color);
    if (cell.isPredicted)
        out->setFont(italic(font()));
    if (!cell.icon.isNull())
        out->setIcon(cell.icon);
    if (!cell.spoken.isEmpty())
        out->setData(Qt::AccessibleTextRole, cell.spoken);
    if (cell.share > 0)
        out->setData(figure_share_role, cell.share);
    return out;
}

QString FigureTable::tsv() const {
    QList<int> rows;
    for (int row = 0; row < rowCount(); ++row)
        if (selectedItems().isEmpty() || selectionModel()->isRowSelected(row))
            rows << row;
    return tsvOf(*model(), rows);
}

void FigureTable::copy() const {
    QApplication::clipboard()->setText(tsv());
}

void FigureTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return copy();
    QTableWidget::keyPressEvent(event);
}

} // namespace hidet::ui
