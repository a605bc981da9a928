// SPDX-License-Identifier: GPL-3.0-only
// The list of completions, with the documentation of the chosen one beside it. It only shows: who fills it decides what is
// in it and what keys do.
#pragma once

#include <QAbstractListModel>
#include <QLabel>
#include <QListView>

#include "app/session/live/assist.h"
#include "app/ui/widgets/floating_panel.h"

namespace hidet::ui {

class CompletionModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    void set(std::vector<session::assist::Completion> items);
    const session::assist::Completion& at(int row) const { return m_items[static_cast<std::size_t>(row)]; }

private:
    std::vector<session::assist::Completion> m_items;
};

class CompletionPopup : public FloatingPanel {
    Q_OBJECT
public:
    explicit CompletionPopup(CodeView& view);

    // Best first; the first one is chosen, or the one that was chosen before when the user has moved to it.
    void show(std::vector<session::assist::Completion> items, ByteRange word);
    const session::assist::Completion* chosen() const; // null: nothing is shown
    bool offers(const std::string& text) const;        // as a whole
    bool userChose() const { return m_userChose; }
    int count() const { return m_model.rowCount(); }
    void move(int rows); // around the ends
    void movePage(int direction);

signals:
    void accepted(); // by a click

private:
    void choose(int row);
    void showDocumentation();

    CompletionModel m_model;
    QListView* m_list = new QListView(this);
    QLabel* m_documentation = new QLabel(this);
    bool m_userChose = false;
};

} // namespace hidet::ui
