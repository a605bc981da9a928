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

// These rows as they are shown, below the titles: what is copied.
QString tsvOf(const QAbstractItemModel& model, const QList<int>& rows);

// Without a header, each row as high as the others.
void makeTree(QTreeWidget& tree, const QString& spoken, int indentation);

// By a click or Return.
template <typename Act>
void onChosen(QAbstractItemView& view, QObject* listener, Act act) {
    for (auto signal : {&QAbstractItemView::activated, &QAbstractItemView::clicked})
        QObject::connect(&view, signal, listener, act);
}
template <typename Act>
void onChosen(QTreeWidget& tree, QObject* listener, Act act) {
    for (auto signal : {&QTreeWidget::itemActivated, &QTreeWidget::itemClicked})
        QObject::connect(&tree, signal, listener, act);
}

} // namespace hidet::ui
