// SPDX-License-Identifier: GPL-3.0-only
// Rows of a comparison of two models: differences, kernels or totals. Made on another thread as texts; sorting is by numbers
// where a cell has one.
#pragma once

#include <QAbstractTableModel>
#include <QTableView>

#include "app/session/model/compare/compare_models.h"
#include "app/ui/core/theme.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

enum class CompareTone : quint8 { Plain, Faint, Predicted, New, Gone, Changed, Better, Worse };

struct CompareCell {
    QString text;
    std::optional<double> number = {}; // to be sorted by
    CompareTone tone = CompareTone::Plain;
    QString spoken = {}; // where the text is a sign
};

struct CompareRow {
    QList<CompareCell> cells;
    GraphItem left, right; // none: there is nothing on that side
    bool isMinor = false;  // listed on demand
};

using CompareRows = std::shared_ptr<const QList<CompareRow>>;

struct CompareColumn {
    QString title;
    bool isNumber = false;
    friend bool operator==(const CompareColumn&, const CompareColumn&) = default;
};

class CompareModel : public QAbstractTableModel {
    Q_OBJECT
public:
    CompareModel(ThemeSource& themes, QObject* parent);

    void show(const QList<CompareColumn>& columns, CompareRows rows);
    bool isShowing(const QList<CompareColumn>& columns, const CompareRows& rows) const {
        return columns == m_columns && rows == m_rows;
    }
    void setShowsMinor(bool shows);
    const CompareRow& row(int row) const { return m_rows->at(m_order[static_cast<std::size_t>(row)]); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    void sort(int column, Qt::SortOrder order) override; // -1: as they came

private:
    void arrange();
    QVariant colorOf(CompareTone tone) const;

    ThemeSource& m_themes;
    QList<CompareColumn> m_columns;
    CompareRows m_rows;
    std::vector<qsizetype> m_order;
    bool m_showsMinor = true;
    int m_column = -1;
    Qt::SortOrder m_sorting = Qt::AscendingOrder;
};

class CompareTable : public QTableView {
    Q_OBJECT
public:
    CompareTable(ThemeSource& themes, const QString& name, QWidget* parent = nullptr);

    CompareModel& rows() { return *m_model; }
    void show(const QList<CompareColumn>& columns, CompareRows rows); // keeps what is selected, by its operators
    using QWidget::show;
    int current() const { return currentIndex().row(); } // -1: none
    void step(int by);                                   // to the next row, around the end
    void selectItem(const GraphItem& left, const GraphItem& right);

signals:
    void chosen(int row); // by the user

protected:
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void fitColumns();

    CompareModel* m_model;
    bool m_isQuiet = false;
};

// A comparison of two models as rows of tables. Pure; on whichever thread.
QString wordOf(session::PairState state); // "New"

QList<CompareRow> differenceRows(const session::ModelComparison& comparison, const session::ModelGraph& left,
                                 const session::ModelGraph& right);
QList<CompareRow> kernelRows(const session::ModelComparison& comparison);
QList<CompareRow> totalRows(const session::ModelComparison& comparison);

} // namespace hidet::ui
