// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/figure_pane.h"

#include "app/ui/widgets/parts.h"

namespace hidet::ui {

FigurePane::FigurePane(const QString& section, DockWidget* content) : m_section(section), m_content(content) {
    newColumn(this, {content});
    content->setObjectName("pane." + section);
    setFocusProxy(content);
    connect(content, &DockWidget::badgeChanged, this, &Pane::titleChanged);
}

QString FigurePane::title() const {
    return m_content->withBadge(m_content->accessibleName());
}

} // namespace hidet::ui
