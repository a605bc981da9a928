// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/menus.h"

#include <QFileInfo>

#include "app/ui/core/mnemonics.h"
#include "app/ui/core/recent_files.h"
#include "lang/base/check.h"

namespace hidet::ui {

const std::vector<MenuInfo>& allMenus() {
    static const std::vector<MenuInfo> menus = {
#define HIDET_MENU(fronts, title, rows) {fronts, title, QString(rows).split(' ')},
#include "app/ui/window/menus.def"
    };
    return menus;
}

Menus::Menus(Studio& studio, QMenuBar& bar) : QObject(&bar), m_studio(studio), m_bar(bar) {
    connect(&studio.tabs, &OpenTabs::currentChanged, this, [this] {
        const QChar front = m_studio.tabs.model() ? 'g' : m_studio.tabs.current() ? 's' : 'n';
        if (front != m_front)
            fill();
    });
}

void Menus::fill() {
    m_front = m_studio.tabs.model() ? 'g' : m_studio.tabs.current() ? 's' : 'n';
    for (QAction* before : m_bar.actions())
        before->menu()->deleteLater();
    m_bar.clear();
    for (const MenuInfo& info : allMenus())
        if (info.fronts.contains(m_front)) {
            QMenu* menu = m_bar.addMenu(tr(info.title.toUtf8()));
            menu->setToolTipsVisible(true);
            for (const QString& row : info.rows)
                add(*menu, row);
        }
    m_bar.updateGeometry(); // Qt tells nobody that it has become wider
}

void Menus::add(QMenu& menu, const QString& row) {
    if (row == "|") {
        menu.addSeparator();
    } else if (row == "<recent>") {
        addRecentFiles(menu);
    } else if (row.startsWith('<')) {
        addAdded(menu, row.mid(1, row.size() - 2));
    } else {
        QAction* action = m_studio.commands.find(row);
        HIDET_CHECK(action, "menus.def names '" + row.toStdString() + "', which is no command");
        menu.addAction(action);
    }
}

void Menus::addAdded(QMenu& above, const QString& path) {
    QMenu* menu = above.addMenu(path.section('/', -1));
    for (QAction* action : m_studio.commands.all())
        if (Commands::menuOf(action) == path)
            menu->addAction(action);
    menu->menuAction()->setVisible(!menu->isEmpty());
}

void Menus::addRecentFiles(QMenu& above) {
    QMenu* menu = above.addMenu(tr("Open recent"));
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        const QStringList files = recentFiles(m_studio.settings);
        for (const QString& path : files) {
            QAction* action = menu->addAction(withoutMnemonics(QFileInfo(path).fileName()));
            action->setStatusTip(path);
            connect(action, &QAction::triggered, this, [this, path] { m_studio.tabs.openFile(path); });
        }
        if (files.isEmpty()) {
            menu->addAction(tr("No file was opened yet"))->setEnabled(false);
            return;
        }
        menu->addSeparator();
        connect(menu->addAction(tr("Clear this list")), &QAction::triggered, this,
                [this] { clearRecentFiles(m_studio.settings); });
    });
}

} // namespace hidet::ui
