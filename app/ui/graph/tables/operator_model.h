// SPDX-License-Identifier: GPL-3.0-only
// The operators of the shown graph as a table that sorts and filters itself: with twenty thousand rows a proxy model that
// asks for texts to compare them would take too long.
#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QSet>

#include "app/ui/core/theme.h"
#include "app/ui/graph/tables/operator_table.h"

namespace hidet::ui {

class OperatorModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Operator, Output, Type, Kernel, Value, Share, ColumnCount };
    static constexpr int share_role = Qt::UserRole + 1; // 0 to 1, for a bar; nothing: none

    explicit OperatorModel(ThemeSource& themes, QObject* parent = nullptr);

    // Of these nodes alone; nothing: all. No table: no rows.
    void show(std::shared_ptr<const OperatorTable> table, std::optional<QSet<quint32>> accepted = {});
    const std::shared_ptr<const OperatorTable>& table() const { return m_table; }
    void setStale(bool stale);                           // numbers are of an earlier state of the model
    void sort(int column, Qt::SortOrder order) override; // column -1: as in the graph
    const OperatorRow& row(int row) const;
    int rowOf(quint32 node) const; // -1: not shown
    QString tsv(const QList<int>& rows) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    void arrange();
    QString titleOf(int column) const;
    QString textOf(const OperatorRow& row, int column) const;
    QString hintOf(const OperatorRow& row, int column) const;
    QVariant fontOf(int column) const;
    QVariant colorOf(const OperatorRow& row, int column) const;
    bool isNumber(int column) const;

    ThemeSource& m_themes;
    std::shared_ptr<const OperatorTable> m_table;
    std::vector<int> m_accepted; // places in the table, in the order of the graph
    std::vector<int> m_rows;     // the same, in the order that is shown
    QHash<quint32, int> m_rowOf;
    int m_column = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
    bool m_stale = false;
};

} // namespace hidet::ui
