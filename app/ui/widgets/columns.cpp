// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/columns.h"

#include <algorithm>

namespace hidet::ui {

void resizeColumn(QHeaderView& header, int column, int wanted) {
    header.resizeSection(column, std::max(wanted, header.sectionSizeHint(column)));
}

void makeList(QTableView& table) {
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setTabKeyNavigation(false);
    table.verticalHeader()->hide();
    table.horizontalHeader()->setHighlightSections(false);
}

void makeTree(QTreeView& tree) {
    tree.setUniformRowHeights(true);
    tree.setIndentation(16);
    tree.setAllColumnsShowFocus(true);
}

void alignRight(QTreeWidgetItem& row, int first, int last) {
    for (int column = first; column <= last; ++column)
        row.setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
}

QString tsvOf(const QAbstractItemModel& model, const QList<int>& rows) {
    QStringList lines;
    const auto add = [&](const auto& textOf) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column)
            cells << textOf(column).toString().replace('\t', ' ');
        lines << cells.join('\t');
    };
    add([&](int column) { return QVariant(model.headerData(column, Qt::Horizontal).toString().trimmed()); });
    for (const int row : rows)
        add([&](int column) { return model.index(row, column).data(); });
    return lines.join('\n') + '\n';
}

void makeTree(QTreeWidget& tree, const QString& spoken, int indentation) {
    tree.setAccessibleName(spoken);
    tree.setHeaderHidden(true);
    tree.setUniformRowHeights(true);
    tree.setIndentation(indentation);
}

} // namespace hidet::ui
