// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/menus.h"

#include <QFileInfo>
#include <QMenuBar>

#include "app/ui/core/recent_files.h"

namespace hidet::ui {

constexpr const char* menu_order[] = {"File", "Edit", "Go", "View", "Pane", "Passes", "Graph", "Model", "Run", "Help"};

static QString escaped(QString text) {
    return text.replace('&', "&&");
}

Menus::Menus(Studio& studio, QWidget* parent) : QObject(parent), m_studio(studio), m_all(new QMenu(parent)) {
    m_all->setAccessibleName(tr("Menu"));
}

QMenu* Menus::menuAt(const QString& path) {
    if (QMenu* menu = m_menus.value(path))
        return menu;
    const qsizetype slash = path.lastIndexOf('/');
    QMenu* above = slash < 0 ? m_all : menuAt(path.left(slash));
    QMenu* menu = above->addMenu(path.mid(slash + 1));
    m_menus[path] = menu;
    return menu;
}

void Menus::fill(QMenuBar& bar) {
    m_all->clear();
    m_menus.clear();
    bar.clear();
    for (const char* name : menu_order)
        bar.addMenu(menuAt(name));
    for (QAction* action : m_studio.commands.all()) {
        QMenu* menu = menuAt(Commands::menuOf(action));
        if (Commands::beginsGroup(action) && !menu->isEmpty())
            menu->addSeparator();
        menu->addAction(action);
        if (Commands::idOf(action) == "file.open") {
            addRecentFiles(menu);
            menuAt("File/Samples"); // what it holds comes last
        }
    }
    for (QMenu* menu : std::as_const(m_menus))
        menu->menuAction()->setVisible(!menu->isEmpty());
}

void Menus::addRecentFiles(QMenu* above) {
    QMenu* menu = above->addMenu(tr("Open recent"));
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        const QStringList files = recentFiles(m_studio.settings);
        for (const QString& path : files) {
            QAction* action = menu->addAction(escaped(QFileInfo(path).fileName()));
            action->setStatusTip(path);
            connect(action, &QAction::triggered, this, [this, path] { m_studio.openFile(path); });
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
