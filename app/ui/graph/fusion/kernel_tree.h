// SPDX-License-Identifier: GPL-3.0-only
// The kernels of a model with the operators in each, as a tree that sorts itself. Texts are made when they are seen: a model
// may have twenty thousand kernels.
#pragma once

#include <QAbstractItemModel>

#include "app/session/model/view/kernel_figures.h"
#include "app/ui/core/theme.h"
#include "app/ui/graph/tables/figure_unit.h"

namespace hidet::ui {

class KernelTree : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Holds, Predicted, Measured, Bytes, ColumnCount };

    explicit KernelTree(ThemeSource& themes, QObject* parent = nullptr);

    // The last graph of the snapshot; null: nothing.
    void show(session::SnapshotPtr snapshot, const session::ModelFindings& findings, bool isStale);
    std::size_t kernels() const { return m_rows.size(); }
    quint32 nodeAt(const QModelIndex& index) const; // of a kernel its anchor; no_id: nothing is there
    std::vector<quint32> nodesAt(const QModelIndex& index) const;
    QModelIndex indexOf(quint32 node) const; // in its kernel, or the kernel that is that operator alone
    void sort(int column, Qt::SortOrder order) override;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& = {}) const override { return ColumnCount; }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Row {
        std::size_t kernel = 0; // place in the graph
        double predicted = 0;
        std::optional<double> measured;
    };
    const session::ModelGraph& graph() const { return *m_snapshot->last(); }
    const session::GraphKernel& kernelAt(const QModelIndex& index) const; // that it is, or is in
    bool isOperator(const QModelIndex& index) const { return index.internalId() != 0; }
    QString textOf(const QModelIndex& index) const;
    QString titleOf(const session::GraphKernel& kernel) const;
    QString roleOf(const session::GraphKernel& kernel, quint32 node) const;
    QString figureOf(const Row& row, int column) const;
    void arrange();

    ThemeSource& m_themes;
    session::SnapshotPtr m_snapshot;
    std::vector<Row> m_rows;  // as shown
    std::vector<int> m_rowOf; // by kernel
    FigureUnit m_time, m_bytes;
    QString m_machine; // that predictions are for
    bool m_stale = false;
    int m_column = -1;
    Qt::SortOrder m_order = Qt::DescendingOrder;
};

} // namespace hidet::ui
