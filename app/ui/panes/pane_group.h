// SPDX-License-Identifier: GPL-3.0-only
// Panes as tabs. A tab can be dragged out of its bar, to another group or to an edge of one.
#pragma once

#include <QTabBar>
#include <QTabWidget>

#include "app/ui/panes/pane.h"

namespace hidet::ui {

class PaneGroup : public QTabWidget {
    Q_OBJECT
public:
    explicit PaneGroup(QWidget* parent = nullptr);

    Pane* pane(int index) const { return qobject_cast<Pane*>(widget(index)); }
    Pane* currentPane() const { return pane(currentIndex()); }
    void add(Pane* pane, int index = -1); // and shows it
    void nameTab(Pane* pane);

    static constexpr const char* mime_type = "application/x-hidet-pane";

signals:
    void menuRequested(hidet::ui::Pane* pane, QPoint global);
};

class PaneTabs : public QTabBar {
    Q_OBJECT
public:
    explicit PaneTabs(PaneGroup* group);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    PaneGroup* m_group;
    int m_pressed = -1;
};

} // namespace hidet::ui
