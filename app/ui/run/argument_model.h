// SPDX-License-Identifier: GPL-3.0-only
// The arguments and dimensions of the chosen function as a table: what the script says in a muted colour, what was typed in
// that of text, what is wrong with its reason. Every change goes through the plan store, so that it can be undone.
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

#include "app/ui/run/run_controller.h"

namespace hidet::ui {

class ArgumentModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Type, Shape, Value, ColumnCount };
    enum Role { TypedRole = Qt::UserRole, ReasonRole, FillRole };

    ArgumentModel(Studio& studio, QObject* parent);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

    bool isMemory(int row) const;
    bool isPointer(int row) const;
    // "random"; "file" takes the path as well.
    void setFill(int row, session::Fill fill, const QString& file = {});
    session::Fill fillOf(int row) const;

    void refresh();

private:
    struct Row {
        QString name;
        bool isDimension = false;
        session::ParameterView parameter;
        bool typed[ColumnCount] = {};
        QString text[ColumnCount];
        QString reason[ColumnCount];
        session::Fill fill = session::Fill::Default;
        bool operator==(const Row& other) const;
    };
    std::vector<Row> made() const;

    Studio& m_studio;
    RunController& m_runs;
    std::vector<Row> m_rows;
};

QString fillLabel(session::Fill fill);

// Lines for texts, lists for types of pointers and for fills.
class ArgumentDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    ArgumentDelegate(Studio& studio, ArgumentModel& model, QObject* parent);
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Studio& m_studio;
    ArgumentModel& m_model;
};

} // namespace hidet::ui
