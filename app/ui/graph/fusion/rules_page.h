// SPDX-License-Identifier: GPL-3.0-only
// The passes and rules that a model goes through, how often each matched, and whether it runs: part of the choices.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QTreeWidget>

#include "app/session/model/tune/what_if.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class RulesPage : public QWidget {
    Q_OBJECT
public:
    explicit RulesPage(Studio& studio, QWidget* parent = nullptr);
    void show(LiveModel* model);
    using QWidget::show;

private:
    enum Column { Name, Matches, Summary, ColumnCount };
    void fill();
    void addRow(const session::SwitchRow& row, QTreeWidgetItem*& pass);
    void showRow(QTreeWidgetItem& item, const session::SwitchRow& row);
    void filter();
    void switchRow(const QTreeWidgetItem& item);
    void choosePrecision();
    void applyTheme();

    Studio& m_studio;
    QComboBox* m_precision;
    QLineEdit* m_filter;
    QTreeWidget* m_list;
    QPointer<LiveModel> m_model;
    std::weak_ptr<const session::ModelSnapshot> m_shown; // is not kept for this
    QByteArray m_choices;
    std::vector<session::SwitchRow> m_rows;
    std::vector<QTreeWidgetItem*> m_items; // of the rows
};

} // namespace hidet::ui
