// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/tab_list.h"

#include <QEvent>
#include <QMenu>

namespace hidet::ui {

TabList::TabList(Studio& studio, QTabBar& tabs, QWidget* parent) : QToolButton(parent), m_studio(studio), m_tabs(tabs) {
    setObjectName("allTabs");
    setAccessibleName(tr("All open files"));
    setToolTip(accessibleName());
    setPopupMode(InstantPopup);
    setMenu(new QMenu(this));
    setArrowType(Qt::DownArrow);
    hide();
    connect(menu(), &QMenu::aboutToShow, this, &TabList::fill);
    m_tabs.installEventFilter(this);
}

void TabList::fill() {
    menu()->clear();
    for (int i = 0; i < m_tabs.count() && i < m_studio.tabs().size(); ++i) {
        QAction* action = menu()->addAction(m_tabs.tabText(i), this, [this, i] {
            if (i < m_studio.tabs().size())
                m_studio.setFront(m_studio.tabs()[i]);
        });
        action->setCheckable(true);
        action->setChecked(i == m_tabs.currentIndex());
    }
}

bool TabList::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
        m_look.start();
    return QToolButton::eventFilter(watched, event);
}

} // namespace hidet::ui
