// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/quiet_docks.h"

#include <algorithm>

#include <QApplication>

namespace hidet::ui {

constexpr int pause_ms = 1'200; // without a key and without news

QuietDocks::QuietDocks(Studio& studio, QMainWindow& window, std::function<bool()> isQuiet,
                       std::function<void(const QList<QDockWidget*>&)> show)
    : QObject(&window), m_studio(studio), m_window(window), m_isQuiet(std::move(isQuiet)), m_show(std::move(show)),
      m_pause(pause_ms, [this] { act(); }) {
    connect(&studio.scripts, &LiveScripts::caretMoved, this, [this] {
        if (m_pause.isActive())
            m_pause.start();
    });
    connect(qApp, &QApplication::focusChanged, this, &QuietDocks::look);
    studio.settings.follow({Setting::QuietDocks}, this, [this] { look(); });
}

// Those of the mode in which scripts are written.
void QuietDocks::add(const DockInfo& info, QDockWidget& dock) {
    if (info.area != DockArea::bottom || !info.modes.contains('e'))
        return;
    m_docks << &dock;
    auto* content = static_cast<DockWidget*>(dock.widget());
    connect(content, &DockWidget::saysChanged, this, [this, content] {
        if (!content->hasToSay())
            return look();
        m_refused = false;
        content->saysAtOnce() ? act() : look();
    });
}

void QuietDocks::userClosed(QDockWidget& dock) {
    m_wanted.remove(&dock);
    m_refused = true;
}

QDockWidget* QuietDocks::speaker() const {
    for (QDockWidget* dock : m_docks)
        if (static_cast<DockWidget*>(dock->widget())->hasToSay())
            return dock;
    return nullptr;
}

bool QuietDocks::isHeld() const {
    const QWidget* keyboard = QApplication::focusWidget();
    return std::any_of(m_docks.begin(), m_docks.end(), [&](QDockWidget* dock) {
        return m_wanted.contains(dock) || dock->isFloating() || (keyboard && dock->isAncestorOf(keyboard));
    });
}

void QuietDocks::look() {
    if (m_isQuiet())
        m_pause.start();
}

void QuietDocks::settle() {
    m_refused = false;
    act();
}

void QuietDocks::act() {
    m_pause.stop();
    if (!m_isQuiet() || isHeld())
        return;
    QDockWidget* first = speaker();
    const bool isOpen =
        std::any_of(m_docks.begin(), m_docks.end(), [](QDockWidget* dock) { return !dock->isHidden(); });
    if (!first && isOpen) {
        for (QDockWidget* dock : m_docks)
            dock->hide();
    } else if (first && !isOpen && !m_refused) {
        QList<QDockWidget*> shown{first};
        for (QDockWidget* dock : m_docks)
            if (dock != first)
                shown << dock;
        m_show(shown);
    }
}

} // namespace hidet::ui
