// SPDX-License-Identifier: GPL-3.0-only
// The menus of what is in front: a script, a graph or neither (menus.def). Lists that change (recent files) are made when they open.
#pragma once

#include <QMenuBar>

#include "app/ui/workbench/studio.h"

namespace hidet::ui {

struct MenuInfo {
    QString fronts; // of "sgn"
    QString title;
    QStringList rows;
};
const std::vector<MenuInfo>& allMenus();

class Menus : public QObject {
    Q_OBJECT
public:
    Menus(Studio& studio, QMenuBar& bar);
    void fill();

private:
    void add(QMenu& menu, const QString& row);
    void addAdded(QMenu& above, const QString& path);
    void addRecentFiles(QMenu& above);

    Studio& m_studio;
    QMenuBar& m_bar;
    QChar m_front; // that the bar is of
};

} // namespace hidet::ui
