// SPDX-License-Identifier: GPL-3.0-only
// The docks below the script while it is written: they open when one of them has something to say, and close when none has,
// never while the keyboard is in them and not between two keys. What the user has opened or closed stays as it is.
#pragma once

#include <functional>

#include <QDockWidget>
#include <QMainWindow>
#include <QSet>

#include "app/ui/core/one_shot.h"
#include "app/ui/docks/docks.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class QuietDocks : public QObject {
    Q_OBJECT
public:
    // `isQuiet`: whether they may open and close by themselves now. `show` shows docks as tabs of each other, the first in front.
    QuietDocks(Studio& studio, QMainWindow& window, std::function<bool()> isQuiet,
               std::function<void(const QList<QDockWidget*>&)> show);

    void add(const DockInfo& info, QDockWidget& dock);
    void userOpened(QDockWidget& dock) { m_wanted << &dock; }
    void userClosed(QDockWidget& dock);
    void settle(); // at once: another layout is shown

private:
    void look(); // what is to be done, after a while
    void act();
    bool isHeld() const; // one has the keyboard, or the user wants it
    QDockWidget* speaker() const;

    Studio& m_studio;
    QMainWindow& m_window;
    std::function<bool()> m_isQuiet;
    std::function<void(const QList<QDockWidget*>&)> m_show;
    QList<QDockWidget*> m_docks;
    QSet<QDockWidget*> m_wanted; // by the user
    bool m_refused = false;      // the user has closed them; until there is something new
    OneShot m_pause;
};

} // namespace hidet::ui
