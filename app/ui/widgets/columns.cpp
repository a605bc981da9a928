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

void makeTree(QTreeWidget& tree, const QString& spoken, int indentation) {
    tree.setAccessibleName(spoken);
    tree.setHeaderHidden(true);
    tree.setUniformRowHeights(true);
    tree.setIndentation(indentation);
}

} // namespace hidet::ui
