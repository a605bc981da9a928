// SPDX-License-Identifier: GPL-3.0-only
// The edges that were not fused, by reason; a step from one to the next shows each in the graph.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QTableView>

#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/live_model.h"

class QStackedWidget;

namespace hidet::ui {

class BlockerModel; // of the file

class BlockersPage : public QWidget {
    Q_OBJECT
public:
    explicit BlockersPage(Studio& studio, QWidget* parent = nullptr);
    void show(LiveModel* model);
    using QWidget::show;
    std::size_t count() const;
    void follow();
    bool canStep() const { return count() > 0; }
    void step(); // to the next edge in the list: selects it and says why

private:
    void fillReasons();
    void choose(int row);
    void openMenu(const QPoint& at);
    void showState();
    void applyTheme();

    Studio& m_studio;
    BlockerModel* m_list;
    QComboBox* m_reasons;
    QLineEdit* m_filter;
    QTableView* m_table;
    QStackedWidget* m_body;
    EmptyState* m_empty;
    QPointer<LiveModel> m_model;
    std::weak_ptr<const session::ModelSnapshot> m_shown; // is not kept for this
};

} // namespace hidet::ui
