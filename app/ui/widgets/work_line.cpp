// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/work_line.h"

#include <QPainter>

namespace hidet::ui {

namespace {

constexpr int delay_ms = 200;
constexpr int tick_ms = 60;
constexpr int steps = 24; // of one way from left to right

} // namespace

WorkLine::WorkLine(ThemeSource& themes, QWidget* parent)
    : QWidget(parent), m_themes(themes), m_delay(delay_ms, [this] { setShown(true); }) {
    setFixedHeight(2);
    connect(&m_tick, &QTimer::timeout, this, [this] {
        m_step = (m_step + 1) % steps;
        update();
    });
}

void WorkLine::setWorking(bool working) {
    if (!working) {
        m_delay.stop();
        setShown(false);
    } else if (!m_shown && !m_delay.isActive()) {
        m_delay.start();
    }
}

void WorkLine::setShown(bool shown) {
    if (shown == m_shown)
        return;
    m_shown = shown;
    if (shown)
        m_tick.start(tick_ms);
    else
        m_tick.stop();
    update();
    emit shownChanged(shown);
}

void WorkLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = m_themes.theme();
    painter.fillRect(QRect(0, 1, width(), 1), theme.line);
    if (!m_shown)
        return;
    const int size = std::max(24, width() / 5);
    const int x = (width() + size) * m_step / steps - size;
    painter.fillRect(QRect(x, 0, size, 2), theme.accent);
}

} // namespace hidet::ui
