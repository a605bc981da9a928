// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/figure_table.h"

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
    QStringList titles;
    for (const FigureColumn& column : columns)
        titles << column.title;
    setHorizontalHeaderLabels(titles);
    for (int column = 0; column < columnCount(); ++column)
        horizontalHeaderItem(column)->setTextAlignment(
            (m_columns[std::size_t(column)].isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(16);
    verticalHeader()->setDefaultSectionSize(24);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setMinimumSectionSize(32);
    horizontalHeader()->setStretchLastSection(true);
    setShowGrid(false);
    setWordWrap(false);
    setEditTriggers(NoEditTriggers);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(ScrollPerPixel);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copyAction = new QAction(tr("Copy as table"), this);
    connect(copyAction, &QAction::triggered, this, &FigureTable::copy);
    addAction(copyAction);
}

void FigureTable::show(const std::vector<std::vector<FigureCell>>& rows) {
    const int kept = currentRow();
    setRowCount(int(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < rows[r].size() && c < m_columns.size(); ++c) {
            const FigureCell& cell = rows[r][c];
            auto* item = new QTableWidgetItem(cell.text);
            item->setTextAlignment((m_columns[c].isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            if (!cell.hint.isEmpty())
                item->setToolTip(wrappedTip(cell.hint));
            if (cell.color.isValid())
                item->setForeground(cell.color);
            if (cell.isPredicted) {
                QFont slanted = font();
                slanted.setItalic(true);
                item->setFont(slanted);
            }
            if (!cell.icon.isNull())
                item->setIcon(cell.icon);
            setItem(int(r), int(c), item);
        }
    if (kept >= 0 && kept < rowCount())
        setCurrentCell(kept, 0);
}

QString FigureTable::tsv() const {
    QStringList header;
    for (const FigureColumn& column : m_columns)
        header << column.title;
    QStringList lines{header.join('\t')};
    const bool some = !selectedItems().isEmpty();
    for (int r = 0; r < rowCount(); ++r) {
        if (some && !selectionModel()->isRowSelected(r))
            continue;
        QStringList cells;
        for (int c = 0; c < columnCount(); ++c)
            cells << (item(r, c) ? item(r, c)->text() : QString());
        lines << cells.join('\t');
    }
    return lines.join('\n') + '\n';
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
