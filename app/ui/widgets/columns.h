// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHeaderView>
#include <QTableView>
#include <QTreeWidget>

namespace hidet::ui {

// As wide as wanted, in pixels, but never narrower than its title with the mark of the order beside it.
void resizeColumn(QHeaderView& header, int column, int wanted);

// Of rows that are read and chosen whole: no grid, no numbers of rows, one line each; Tab leaves it.
void makeList(QTableView& table);

// Of rows of one height that are read whole, however deep they are.
void makeTree(QTreeView& tree);

// Figures: the cells of a row from the first of these columns to the last.
void alignRight(QTreeWidgetItem& row, int first, int last);

} // namespace hidet::ui
