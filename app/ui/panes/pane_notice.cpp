// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/pane_notice.h"

#include "app/ui/core/icons.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

PaneNotice::PaneNotice(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes) {
    makeBar(*this);
    m_text->setMostLines(2);
    newRow({8, 4, 8, 4}, 8, {m_icon, {m_text, 1}, m_button}, this);
    m_button->hide();
    connect(m_button, &QToolButton::clicked, this, [this] {
        if (m_act)
            m_act();
    });
    themes.follow(this, &PaneNotice::applyTheme);
    hide();
}

QString PaneNotice::text() const {
    return isHidden() ? QString() : m_text->text();
}

void PaneNotice::show(Kind kind, const QString& text) {
    if (m_kind != kind) {
        m_kind = kind;
        applyTheme();
    }
    m_text->setText(text);
    m_text->setAccessibleName(text);
    setVisible(!text.isEmpty());
}

void PaneNotice::setAction(const QString& text, std::function<void()> act) {
    m_act = std::move(act);
    m_button->setText(text);
    m_button->setAccessibleName(text);
    m_button->setVisible(!text.isEmpty());
}

void PaneNotice::applyTheme() {
    const Theme& theme = m_themes.theme();
    const bool warning = m_kind == Kind::Warning;
    const QColor color = warning ? theme.warning : theme.muted;
    m_icon->setPixmap(icon(warning ? "warning" : "info", color).pixmap(16, 16));
    QPalette palette = m_text->palette();
    palette.setColor(QPalette::WindowText, theme.text);
    m_text->setPalette(palette);
}

} // namespace hidet::ui
