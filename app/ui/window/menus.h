// SPDX-License-Identifier: GPL-3.0-only
// The menus, made from the commands: their order is the registry's, lines stand where a group begins. Lists that change
// (recent files, samples) are made when they open.
#pragma once

#include <QHash>
#include <QMenu>

#include "app/ui/workbench/studio.h"

class QMenuBar;

namespace hidet::ui {

class Menus : public QObject {
    Q_OBJECT
public:
    Menus(Studio& studio, QWidget* parent);

    QMenu* all() const { return m_all; } // every menu as a submenu
    void fill(QMenuBar& bar);

private:
    QMenu* menuAt(const QString& path);
    void addRecentFiles(QMenu* above);

    Studio& m_studio;
    QMenu* m_all;
    QHash<QString, QMenu*> m_menus;
};

} // namespace hidet::ui
