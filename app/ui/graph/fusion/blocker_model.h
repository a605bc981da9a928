// SPDX-License-Identifier: GPL-3.0-only
// The edges that were not fused, with the condition that failed, as a table that filters and sorts itself.
#pragma once

#include <QAbstractTableModel>

#include "app/session/model/view/model_view.h"
#include "app/ui/core/theme.h"
#include "app/ui/graph/tables/figure_unit.h"

namespace hidet::ui {

class BlockerModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Producer, Consumer, Reason, Tensor, Bytes, ColumnCount };

    explicit BlockerModel(ThemeSource& themes, QObject* parent = nullptr);

    void show(session::SnapshotPtr snapshot); // its last graph; null: nothing
    std::size_t all() const { return m_snapshot && m_snapshot->last() ? m_snapshot->last()->blockers.size() : 0; }
    std::size_t countOf(const std::string& reason) const;
    void setReason(const std::string& id); // empty: all
    void setFilter(const QString& text);
    const session::GraphBlocker& blocker(int row) const;
    int rowOf(quint32 value, quint32 consumer) const;    // -1: not shown
    void sort(int column, Qt::SortOrder order) override; // column -1: in the order of the graph

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    const session::ModelGraph& graph() const { return *m_snapshot->last(); }
    std::string_view nameOf(quint32 node) const;
    std::optional<double> bytesOf(const session::GraphBlocker& blocker) const;
    QString textOf(const session::GraphBlocker& blocker, int column) const;
    QString conditionOf(const session::GraphBlocker& blocker) const;
    bool accepts(const session::GraphBlocker& blocker) const;
    void arrange();

    ThemeSource& m_themes;
    session::SnapshotPtr m_snapshot;
    std::vector<int> m_rows; // places in the graph's list
    FigureUnit m_unit;
    std::string m_reason;
    std::string m_filter; // in lower case
    int m_column = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
};

} // namespace hidet::ui
