// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/scroll_sync.h"

namespace hidet::ui {

ScrollSync::ScrollSync(Studio& studio, CodeView& view, Lines lines)
    : QObject(&view), m_studio(studio), m_view(view), m_lines(std::move(lines)) {
    connect(&view, &CodeView::scrolled, this, &ScrollSync::lead);
    connect(&studio.links, &LinkHub::topChanged, this, &ScrollSync::follow);
}

void ScrollSync::lead() {
    if (m_view.firstLine() == m_followed || !m_studio.settings.flag(Setting::SyncScroll) ||
        !m_view.QWidget::isVisible())
        return;
    if (!m_view.hasFocus() && !m_view.viewport()->underMouse())
        return; // it was moved by something else
    m_followed = -1;
    if (const auto top = m_lines.placeOf(m_view.firstLine()))
        m_studio.links.setTop(&m_view, top->first);
}

void ScrollSync::follow(QObject* origin, const session::Place& place) {
    if (origin == &m_view || !m_view.QWidget::isVisible())
        return;
    const int line = m_lines.lineOf(place);
    if (line < 0)
        return;
    m_view.setFirstLine(line);
    m_followed = m_view.firstLine();
}

} // namespace hidet::ui
