// SPDX-License-Identifier: GPL-3.0-only
// The bar above everything: menus, the tabs of scripts, the search for commands, where kernels run, and Run.
#pragma once

#include <QComboBox>
#include <QTabBar>
#include <QToolButton>
#include <QWidget>

#include "app/ui/workbench/studio.h"

class QHBoxLayout;
class QMenuBar;

namespace hidet::ui {

class Menus;

class TopBar : public QWidget {
    Q_OBJECT
public:
    TopBar(Studio& studio, QWidget* parent = nullptr);

    // The menus behind the button, and of the menu bar when there is one; made from the commands.
    void fillMenus();
    void openMenu();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeTabs();
    void makeButtons();
    void showDocuments();
    void addCloseButton(int tab);
    void applyTheme();
    void addChoices();
    void showRun();

    Studio& m_studio;
    QMenuBar* m_menuBar;
    Menus* m_menus;
    QTabBar* m_tabs;
    QToolButton* m_new = new QToolButton(this);
    QToolButton* m_search = new QToolButton(this);
    QComboBox* m_target;
    QComboBox* m_arch;
    QToolButton* m_run = new QToolButton(this);
};

} // namespace hidet::ui
