// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/top_bar.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QStyle>

#include "app/ui/core/icons.h"

namespace hidet::ui {

namespace {

constexpr const char* menu_order[] = {"File", "Edit", "Go", "View", "Pane", "Passes", "Run", "Help"};

QComboBox* choice(const QString& name, const QString& help, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->setAccessibleName(name);
    box->setToolTip(help);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

} // namespace

TopBar::TopBar(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_menuBar(new QMenuBar(this)), m_menu(new QMenu(this)),
      m_menuButton(new QToolButton(this)), m_tabs(new QTabBar(this)), m_new(new QToolButton(this)),
      m_search(new QToolButton(this)), m_target(choice(tr("Target"), tr("Where kernels run"), this)),
      m_arch(choice(tr("Architecture"), tr("What PTX and machine code are made for"), this)),
      m_run(new QToolButton(this)) {
    setProperty("bar", true);
    setAttribute(Qt::WA_StyledBackground);
    m_menuButton->setAccessibleName(tr("Menu"));
    m_menuButton->setToolTip(tr("All commands by menu (Alt+M)"));
    m_menuButton->setShortcut(QKeySequence("Alt+M"));
    m_menuButton->setMenu(m_menu);
    m_menuButton->setPopupMode(QToolButton::InstantPopup);
    m_tabs->setAccessibleName(tr("Scripts"));
    m_tabs->setObjectName("documents");
    m_tabs->setTabsClosable(true);
    m_tabs->setMovable(true);
    m_tabs->setExpanding(false);
    m_tabs->setElideMode(Qt::ElideMiddle);
    m_tabs->setUsesScrollButtons(true);
    m_new->setDefaultAction(studio.commands.action(Command::FileNew));
    m_new->setToolButtonStyle(Qt::ToolButtonIconOnly);
    m_new->setAccessibleName(tr("New script"));
    m_search->setDefaultAction(studio.commands.action(Command::ViewPalette));
    m_search->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_search->setProperty("muted", true);
    m_run->setDefaultAction(studio.commands.action(Command::RunRun));
    m_run->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_run->setObjectName("run");
    addChoices();

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(4, 4, 8, 4);
    row->setSpacing(4);
    row->addWidget(m_menuButton);
    row->addWidget(m_menuBar);
    row->addWidget(m_tabs);
    row->addWidget(m_new);
    row->addStretch(1);
    row->addWidget(m_search);
    row->addSpacing(8);
    row->addWidget(m_target);
    row->addWidget(m_arch);
    row->addWidget(m_run);

    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0 && index < m_studio.documents().size())
            m_studio.setCurrent(m_studio.documents()[index]);
    });
    connect(m_tabs, &QTabBar::tabMoved, this, [this](int from, int to) { m_studio.move(from, to); });
    connect(m_tabs, &QTabBar::tabCloseRequested, this, [this](int index) {
        m_studio.setCurrent(m_studio.documents()[index]);
        m_studio.commands.action(Command::FileClose)->trigger();
    });
    for (auto signal : {&Studio::documentAdded, &Studio::documentClosing})
        connect(&studio, signal, this, [this](Document* document) {
            connect(document, &Document::stateChanged, this, &TopBar::showDocuments, Qt::UniqueConnection);
            QMetaObject::invokeMethod(this, &TopBar::showDocuments, Qt::QueuedConnection);
        });
    connect(&studio, &Studio::currentChanged, this, &TopBar::showDocuments);
    connect(&studio.themes, &ThemeSource::changed, this, &TopBar::applyTheme);
    auto showMenuBar = [this] {
        const bool shown = m_studio.settings.flag(Setting::ShowMenuBar);
        m_menuBar->setVisible(shown);
        m_menuButton->setVisible(!shown);
    };
    connect(&studio.settings, &Settings::changed, this, showMenuBar);
    showMenuBar();
    applyTheme();
    showDocuments();
}

void TopBar::addChoices() {
    const std::pair<QComboBox*, Setting> boxes[] = {{m_target, Setting::Target}, {m_arch, Setting::Arch}};
    static const QHash<QString, QString> names = {
        {"auto", tr("Automatic")}, {"cuda", tr("GPU")}, {"cpu", tr("CPU")}, {"emulate", tr("Emulator")}};
    for (const auto& [box, setting] : boxes) {
        for (const QString& value : choicesOf(setting))
            box->addItem(names.value(value, value), value);
        auto show = [this, box = box, setting = setting] {
            box->setCurrentIndex(box->findData(m_studio.settings.text(setting)));
        };
        show();
        connect(&m_studio.settings, &Settings::changed, box, show);
        connect(box, &QComboBox::activated, this,
                [this, box = box, setting = setting](int row) { m_studio.settings.set(setting, box->itemData(row)); });
    }
}

void TopBar::showDocuments() {
    const QSignalBlocker quiet(m_tabs);
    const QList<Document*>& documents = m_studio.documents();
    while (m_tabs->count() > documents.size())
        m_tabs->removeTab(m_tabs->count() - 1);
    while (m_tabs->count() < documents.size())
        m_tabs->addTab({});
    for (int i = 0; i < documents.size(); ++i) {
        const Document* document = documents[i];
        m_tabs->setTabText(i, document->title().replace('&', "&&") + (document->isModified() ? " *" : ""));
        m_tabs->setTabToolTip(i, document->name());
        if (document == m_studio.current())
            m_tabs->setCurrentIndex(i);
    }
    m_tabs->setVisible(!documents.isEmpty());
}

void TopBar::fillMenus() {
    m_menu->clear();
    m_menuBar->clear();
    QHash<QString, QMenu*> menus;
    for (const char* name : menu_order) {
        menus[name] = m_menu->addMenu(name);
        m_menuBar->addMenu(menus[name]);
    }
    for (QAction* action : m_studio.commands.all()) {
        QStringList path = Commands::menuOf(action).split('/');
        QMenu*& menu = menus[path.join('/')];
        if (!menu) {
            QMenu* above = menus.value(path.first());
            menu = above ? above->addMenu(path.last()) : m_menu->addMenu(path.last());
        }
        menu->addAction(action);
    }
    for (const char* name : menu_order)
        menus[name]->menuAction()->setVisible(!menus[name]->isEmpty());
}

void TopBar::applyTheme() {
    const Theme& theme = m_studio.themes.theme();
    m_menuButton->setIcon(icon("menu", theme.text));
    const QColor onAccent =
        contrast(theme.accent, Qt::white) >= contrast(theme.accent, Qt::black) ? QColor(Qt::white) : QColor(Qt::black);
    m_studio.commands.action(Command::FileNew)->setIcon(icon("plus", theme.text));
    m_studio.commands.action(Command::ViewPalette)->setIcon(icon("search", theme.muted));
    m_studio.commands.action(Command::RunRun)->setIcon(icon("run", onAccent));
    m_studio.commands.action(Command::RunCancel)->setIcon(icon("stop", theme.text));
    m_run->setStyleSheet(
        QString("QToolButton { background: %1; color: %2; padding: 3px 12px; }"
                "QToolButton:hover, QToolButton:focus { border: 1px solid %3; }"
                "QToolButton:disabled { background: %4; color: %5; }")
            .arg(theme.accent.name(), onAccent.name(), theme.text.name(), theme.line.name(), theme.muted.name()));
}

} // namespace hidet::ui
