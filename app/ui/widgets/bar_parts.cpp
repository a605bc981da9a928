// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/bar_parts.h"

#include "app/ui/core/icons.h"

namespace hidet::ui {

BarParts::BarParts(ThemeSource& themes, QWidget* line) : QObject(line), m_themes(themes), m_line(line) {
    connect(&themes, &ThemeSource::changed, this, &BarParts::applyTheme);
}

QToolButton* BarParts::newButton(const QString& icon, const QString& name, const QString& tip) {
    auto* made = new QToolButton(m_line);
    made->setAccessibleName(name);
    made->setToolTip(tip);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    m_buttons << Button{made, icon};
    show(m_buttons.last());
    return made;
}

ElidedLabel* BarParts::newLabel() {
    auto* made = new ElidedLabel(m_line);
    made->setProperty("muted", true);
    made->setFont(m_themes.smallFont());
    m_labels << made;
    return made;
}

void BarParts::mark(const QToolButton* button, bool isMarked) {
    for (Button& each : m_buttons)
        if (each.button == button && each.isMarked != isMarked) {
            each.isMarked = isMarked;
            show(each);
        }
}

void BarParts::show(const Button& each) {
    const Theme& theme = m_themes.theme();
    each.button->setIcon(icon(each.icon, each.isMarked ? theme.accent : theme.muted, theme.stale(theme.muted)));
}

void BarParts::applyTheme() {
    for (const Button& each : std::as_const(m_buttons))
        show(each);
    for (ElidedLabel* label : std::as_const(m_labels))
        label->setFont(m_themes.smallFont());
}

QToolButton* newGlyphButton(ThemeSource& themes, const QString& glyph, const QString& text, QWidget* parent) {
    auto* out = new QToolButton(parent);
    out->setText(text);
    out->setAccessibleName(text);
    out->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const auto paint = [&themes, glyph, out] { out->setIcon(icon(glyph, themes.theme().text)); };
    QObject::connect(&themes, &ThemeSource::changed, out, paint);
    paint();
    return out;
}

} // namespace hidet::ui
