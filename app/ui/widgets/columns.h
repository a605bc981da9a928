// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHeaderView>
#include <QTableView>

namespace hidet::ui {

// As wide as wanted, in pixels, but never narrower than its title with the mark of the order beside it.
void resizeColumn(QHeaderView& header, int column, int wanted);

// Of rows that are read and chosen whole: no grid, no numbers of rows, one line each; Tab leaves it.
void makeList(QTableView& table);

} // namespace hidet::ui
