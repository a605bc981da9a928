// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/top_bar.h"

#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QResizeEvent>
#include <QStyleOptionComboBox>

#include "app/session/snapshot/targets.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/mnemonics.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/window/menus.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

constexpr int wide = 1100;  // below it the search is an icon
constexpr int narrow = 900; // below it there is no search, and names are shorter
constexpr int search_width = 264;
constexpr int least_tabs = 160; // two names at least can be told apart
constexpr int widest_tab = 260, widest_tab_if_narrow = 128;

// Qt's keeps room for the buttons that scroll, also where all tabs fit, and makes all names short before it scrolls.
class DocumentTabs : public QTabBar {
public:
    using QTabBar::QTabBar;
    void setWidest(int width) {
        if (m_widest == width)
            return;
        m_widest = width;
        setIconSize(iconSize()); // lays out again
    }
    QSize tabSizeHint(int index) const override { return QTabBar::tabSizeHint(index).boundedTo({m_widest, 1 << 20}); }
    QSize minimumTabSizeHint(int index) const override { return tabSizeHint(index); }
    QSize minimumSizeHint() const override {
        const QSize all = sizeHint();
        return {std::min(least_tabs, all.width()), all.height()};
    }

private:
    int m_widest = widest_tab;
};

QComboBox* choice(const QString& name, const QString& help, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->setAccessibleName(name);
    box->setToolTip(help);
    box->setProperty("flat", true);
    return box;
}

// As wide as what is chosen: the longest choice would leave a hole before the arrow.
void fitToChoice(QComboBox& box) {
    QStyleOptionComboBox option;
    option.initFrom(&box);
    const QSize text(box.fontMetrics().horizontalAdvance(box.currentText()) + 4, box.fontMetrics().height());
    box.setFixedWidth(box.style()->sizeFromContents(QStyle::CT_ComboBox, &option, text, &box).width());
}

// A list of all that is open, beside tabs that have no room for all their names: those scroll and are not cut.
class TabList : public QToolButton {
public:
    TabList(Studio& studio, QTabBar& tabs, QWidget* parent) : QToolButton(parent), m_studio(studio), m_tabs(tabs) {
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

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
            m_look.start();
        return QToolButton::eventFilter(watched, event);
    }

private:
    void fill() {
        menu()->clear();
        for (int i = 0; i < m_tabs.count() && i < m_studio.tabs.all().size(); ++i) {
            QAction* action = menu()->addAction(m_tabs.tabText(i), this, [this, i] {
                if (i < m_studio.tabs.all().size())
                    m_studio.tabs.setFront(m_studio.tabs.all()[i]);
            });
            action->setCheckable(true);
            action->setChecked(i == m_tabs.currentIndex());
        }
    }

    Studio& m_studio;
    QTabBar& m_tabs;
    // When the tabs have been laid out.
    OneShot m_look{0, [this] { setVisible(m_tabs.isVisible() && m_tabs.sizeHint().width() > m_tabs.width()); }};
};

} // namespace

TopBar::TopBar(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_menuBar(new QMenuBar(this)), m_menus(new Menus(studio, *m_menuBar)),
      m_tabs(new DocumentTabs(this)), m_target(choice(tr("Target"), tr("Where kernels run"), this)),
      m_arch(choice(tr("Architecture"), tr("What PTX and machine code are made for"), this)) {
    setObjectName("topBar");
    makeBar(*this);
    makeTabs();
    makeButtons();
    addChoices();

    auto* row = newRow({8, 4, 8, 4}, 4, {});
    row->addStrut(28); // as high without tabs: pages and scripts begin at one place
    row->addWidget(m_menuBar);
    row->addSpacing(8);
    row->addWidget(m_tabs);
    row->addWidget(new TabList(m_studio, *m_tabs, this));
    row->addWidget(m_new);
    row->addStretch(1);
    row->addSpacing(8);
    row->addWidget(m_search);
    row->addSpacing(8);
    row->addWidget(m_target);
    row->addWidget(m_arch);
    row->addSpacing(4);
    row->addWidget(m_run);
    newColumn(this, {row});

    connect(&studio.themes, &ThemeSource::changed, this, &TopBar::applyTheme);
    studio.commands.bind(Command::ViewMenu, this, [this] { openMenu(); });
    applyTheme();
    showDocuments();
}

void TopBar::makeTabs() {
    m_tabs->setAccessibleName(tr("Open files"));
    m_tabs->setObjectName("documents");
    m_tabs->setMovable(true);
    m_tabs->setExpanding(false);
    m_tabs->setElideMode(Qt::ElideMiddle);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0 && index < m_studio.tabs.all().size())
            m_studio.tabs.setFront(m_studio.tabs.all()[index]);
    });
    connect(m_tabs, &QTabBar::tabMoved, this, [this](int from, int to) { m_studio.tabs.move(from, to); });
    connect(&m_studio.tabs, &OpenTabs::tabsChanged, this, &TopBar::showDocuments, Qt::QueuedConnection);
    connect(&m_studio.tabs, &OpenTabs::tabsChanged, &m_studio.commands, &Commands::refresh);
    connect(&m_studio.tabs, &OpenTabs::currentChanged, this, &TopBar::showDocuments);
    auto step = [this](int by) {
        const QList<QObject*>& tabs = m_studio.tabs.all();
        const qsizetype at = tabs.indexOf(m_studio.tabs.front());
        m_studio.tabs.setFront(tabs[(at + by + tabs.size()) % tabs.size()]);
    };
    auto several = [this] { return m_studio.tabs.all().size() > 1; };
    m_studio.commands.bind(
        this, several,
        {{Command::ViewNextScript, [step] { step(1); }}, {Command::ViewPreviousScript, [step] { step(-1); }}});
}

void TopBar::makeButtons() {
    Commands& commands = m_studio.commands;
    m_menuBar->setObjectName("menus");
    m_menuBar->setAccessibleName(tr("Menus"));
    m_menuBar->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred); // tabs give way, not menus
    m_new->setObjectName("new");
    m_new->setDefaultAction(commands.action(Command::FileNew));
    m_new->setToolButtonStyle(Qt::ToolButtonIconOnly);
    m_new->setAccessibleName(tr("New script"));

    // Looks like the field that it opens.
    QAction* palette = commands.action(Command::ViewPalette);
    m_search->setObjectName("search");
    m_search->setProperty("field", true);
    m_search->setAccessibleName(tr("Search commands"));
    m_search->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_search->setText(tr("Search commands"));
    auto* keys = new QLabel(m_search);
    keys->setObjectName("keys");
    keys->setProperty("muted", true);
    keys->setAttribute(Qt::WA_TransparentForMouseEvents);
    newRow({0, 0, 8, 0}, usual_spacing, {stretched(1), keys}, m_search);
    auto showKeys = [this, keys, palette] {
        keys->setText(palette->shortcut().toString(QKeySequence::NativeText));
        m_search->setToolTip(palette->toolTip());
    };
    connect(&commands, &Commands::keysChanged, this, showKeys);
    showKeys();
    connect(m_search, &QToolButton::clicked, palette, &QAction::trigger);

    m_run->setObjectName("run");
    m_run->setProperty("primary", true);
    m_run->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(commands.action(Command::RunCancel), &QAction::changed, this, &TopBar::showRun);
}

// The one button is Stop while something can be stopped.
void TopBar::showRun() {
    QAction* stop = m_studio.commands.action(Command::RunCancel);
    QAction* wanted = stop->isEnabled() ? stop : m_studio.commands.action(Command::RunRun);
    if (m_run->defaultAction() == wanted)
        return;
    if (m_run->defaultAction())
        m_run->removeAction(m_run->defaultAction());
    m_run->setDefaultAction(wanted);
    m_run->setAccessibleName(wanted->text());
}

void TopBar::openMenu() {
    m_menuBar->setFocus(Qt::MenuBarFocusReason);
    if (!m_menuBar->actions().isEmpty())
        m_menuBar->setActiveAction(m_menuBar->actions().first());
}

void TopBar::addChoices() {
    const std::pair<QComboBox*, Setting> boxes[] = {{m_target, Setting::Target}, {m_arch, Setting::Arch}};
    m_target->setObjectName("target");
    m_arch->setObjectName("arch");
    QHash<QString, QString> names;
    for (const session::PlacementInfo& placement : session::all_placements())
        names[placement.name] = placement.label;
    for (const auto& [box, setting] : boxes) {
        for (const QString& value : choicesOf(setting))
            box->addItem(names.value(value, value), value);
        auto show = [this, box = box, setting = setting] {
            box->setCurrentIndex(box->findData(m_studio.settings.text(setting)));
            fitToChoice(*box);
        };
        show();
        connect(&m_studio.settings, &Settings::changed, box, show);
        connect(box, &QComboBox::activated, this,
                [this, box = box, setting = setting](int row) { m_studio.settings.set(setting, box->itemData(row)); });
    }
}

void TopBar::addCloseButton(int tab) {
    auto* close = new QToolButton(m_tabs);
    close->setObjectName("closeTab");
    close->setFocusPolicy(Qt::NoFocus); // the command closes the current one
    close->setIcon(icon("close", m_studio.themes.theme().muted));
    close->setIconSize({12, 12});
    connect(close, &QToolButton::clicked, this, [this, close] {
        for (int i = 0; i < m_tabs->count(); ++i)
            if (m_tabs->tabButton(i, QTabBar::RightSide) == close) {
                m_studio.tabs.setFront(m_studio.tabs.all()[i]);
                return m_studio.commands.action(Command::FileClose)->trigger();
            }
    });
    m_tabs->setTabButton(tab, QTabBar::RightSide, close);
}

void TopBar::showDocuments() {
    const QSignalBlocker quiet(m_tabs);
    const QList<QObject*>& tabs = m_studio.tabs.all();
    while (m_tabs->count() > tabs.size())
        m_tabs->removeTab(m_tabs->count() - 1);
    while (m_tabs->count() < tabs.size())
        addCloseButton(m_tabs->addTab({}));
    for (int i = 0; i < tabs.size(); ++i) {
        const auto* document = qobject_cast<const Document*>(tabs[i]);
        const auto* model = qobject_cast<const LiveModel*>(tabs[i]);
        const QString title = document ? document->title() : model->title();
        const bool unsaved = document ? document->isModified() : model->setup().hasUnsavedChoices();
        m_tabs->setTabText(i, withoutMnemonics(title) + (unsaved ? " *" : ""));
        m_tabs->setTabToolTip(i, document ? document->name() : model->path());
        auto* close = m_tabs->tabButton(i, QTabBar::RightSide);
        close->setAccessibleName(tr("Close %1").arg(title));
        close->setToolTip(close->accessibleName());
        if (tabs[i] == m_studio.tabs.front())
            m_tabs->setCurrentIndex(i);
    }
    m_tabs->setVisible(!tabs.isEmpty());
}

void TopBar::fillMenus() {
    m_menus->fill();
    showRun();
}

void TopBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool roomy = event->size().width() >= wide;
    m_search->setToolButtonStyle(roomy ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
    m_search->findChild<QLabel*>("keys")->setVisible(roomy);
    m_search->setMinimumWidth(roomy ? search_width : 0);
    const bool isNarrow = event->size().width() < narrow;
    m_search->setVisible(!isNarrow);
    static_cast<DocumentTabs*>(m_tabs)->setWidest(isNarrow ? widest_tab_if_narrow : widest_tab);
}

void TopBar::applyTheme() {
    const Theme& theme = m_studio.themes.theme();
    m_search->setIcon(icon("search", theme.muted));
    for (QComboBox* box : {m_target, m_arch})
        fitToChoice(*box);
    m_studio.commands.action(Command::FileNew)->setIcon(icon("plus", theme.text));
    m_studio.commands.action(Command::RunRun)->setIcon(icon("run", theme.onAccent, theme.muted));
    m_studio.commands.action(Command::RunCancel)->setIcon(icon("stop", theme.onAccent));
    for (int i = 0; i < m_tabs->count(); ++i)
        if (auto* close = qobject_cast<QToolButton*>(m_tabs->tabButton(i, QTabBar::RightSide)))
            close->setIcon(icon("close", theme.muted));
}

} // namespace hidet::ui
