// SPDX-License-Identifier: GPL-3.0-only
// A section of the analysis, or what the window has once, as a tab. What the window has once is in the pane that was shown last, and
// the window's own while there is none.
#pragma once

#include <QPointer>

#include "app/ui/panes/pane.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/dock.h"

namespace hidet::ui {

class FigurePane : public Pane {
    Q_OBJECT
public:
    explicit FigurePane(const Figure& figure) : m_figure(figure), m_content(figure.content) {
        newColumn(this, {m_content.data()});
        m_content->setObjectName("pane." + figure.id);
        setFocusProxy(m_content);
        connect(m_content, &DockWidget::badgeChanged, this, &Pane::titleChanged);
    }
    ~FigurePane() override {
        if (m_figure.isShared && m_content && m_content->parentWidget() == this)
            m_content->setParent(nullptr);
    }

    static QString stateOf(const QString& figure) { return "figure:" + figure; }
    QString state() const override { return stateOf(m_figure.id); }
    QString title() const override { return m_content->withBadge(m_content->accessibleName()); }
    QString fileName() const override { return m_figure.id + ".txt"; }

protected:
    void showEvent(QShowEvent* event) override {
        Pane::showEvent(event);
        if (m_content->parentWidget() == this)
            return;
        layout()->addWidget(m_content);
        m_content->show();
    }

private:
    Figure m_figure;
    QPointer<DockWidget> m_content;
};

} // namespace hidet::ui
