// SPDX-License-Identifier: GPL-3.0-only
// A list of all that is open, beside tabs that have no room for all their names: those scroll and are not cut.
#pragma once

#include <QTabBar>
#include <QToolButton>

#include "app/ui/core/one_shot.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class TabList : public QToolButton {
    Q_OBJECT
public:
    TabList(Studio& studio, QTabBar& tabs, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();

    Studio& m_studio;
    QTabBar& m_tabs;
    // When the tabs have been laid out.
    OneShot m_look{0, [this] { setVisible(m_tabs.isVisible() && m_tabs.sizeHint().width() > m_tabs.width()); }};
};

} // namespace hidet::ui
