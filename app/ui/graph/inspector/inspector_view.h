// SPDX-License-Identifier: GPL-3.0-only
// Shows an Inspector: sections that open and close, rows with links that a click or Return follows, pictures of constants.
#pragma once

#include <QHash>
#include <QStandardItemModel>
#include <QTreeView>

#include "app/ui/core/theme.h"
#include "app/ui/graph/inspector/inspector.h"

namespace hidet::ui {

class InspectorView : public QTreeView {
    Q_OBJECT
public:
    explicit InspectorView(ThemeSource& themes, QWidget* parent = nullptr);

    void show(const Inspector& inspector); // sections stay open or closed as the user left them
    using QWidget::show;
    // Constants whose pictures the inspector shows and does not have, in order.
    QList<quint32> wanted() const;
    void setPicture(quint32 constant, std::shared_ptr<const session::ConstantPicture> picture); // null: it has none

    QString text() const; // all rows, with tabs

signals:
    void followed(hidet::ui::InspectorLink link);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void add(QStandardItem& above, const InspectorRow& row);
    void shareWidth();
    void follow(const QModelIndex& index);
    void copyCurrent();

    ThemeSource& m_themes;
    QStandardItemModel m_model;
    QHash<QString, bool> m_closed; // by the section's title
    QString m_title, m_subtitle;   // of what is shown
    bool m_filling = false;
};

} // namespace hidet::ui
