// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/figure_pane.h"

#include <QVBoxLayout>

namespace hidet::ui {

FigurePane::FigurePane(const QString& section, DockWidget* content) : m_section(section), m_content(content) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(content);
    content->setObjectName("pane." + section);
    setFocusProxy(content);
    connect(content, &DockWidget::badgeChanged, this, &Pane::titleChanged);
}

QString FigurePane::title() const {
    const QString name = m_content->accessibleName(), badge = m_content->badge();
    return badge.isEmpty() ? name : name + "  " + badge;
}

} // namespace hidet::ui
