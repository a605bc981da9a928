// SPDX-License-Identifier: GPL-3.0-only
// A section of the analysis beside the script, where it stays while the analysis shows others.
#pragma once

#include "app/ui/panes/pane.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/dock.h"

namespace hidet::ui {

class FigurePane : public Pane {
    Q_OBJECT
public:
    FigurePane(const QString& section, DockWidget* content) : m_section(section), m_content(content) {
        newColumn(this, {content});
        content->setObjectName("pane." + section);
        setFocusProxy(content);
        connect(content, &DockWidget::badgeChanged, this, &Pane::titleChanged);
    }

    static QString stateOf(const QString& section) { return "figure:" + section; }
    QString state() const override { return stateOf(m_section); }
    QString title() const override { return m_content->withBadge(m_content->accessibleName()); }
    QString fileName() const override { return m_section + ".txt"; }

private:
    QString m_section;
    DockWidget* m_content;
};

} // namespace hidet::ui
