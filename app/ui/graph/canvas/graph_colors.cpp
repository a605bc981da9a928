// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_colors.h"

namespace hidet::ui {

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto of = [&](double x, double y) { return float(x + (y - x) * share); };
    return QColor::fromRgbF(of(a.redF(), b.redF()), of(a.greenF(), b.greenF()), of(a.blueF(), b.blueF()));
}

GraphColors::GraphColors(const Theme& theme) : m_theme(&theme), m_edge(mixed(theme.panel, theme.muted, 0.75)) {}

QColor GraphColors::hull(quint32 depth) const {
    return depth % 2 == 0 ? m_theme->panel : mixed(m_theme->panel, m_theme->window, m_theme->dark ? 0.7 : 1.0);
}

QColor GraphColors::kernelHull(quint32 kernel) const {
    return mixed(m_theme->panel, m_theme->links[kernel % m_theme->links.size()], 0.45);
}

QColor GraphColors::header(const QColor& hull) const {
    return mixed(hull, m_theme->text, m_theme->dark ? 0.09 : 0.06);
}

QColor GraphColors::border(const QColor& fill) const {
    return mixed(fill, m_theme->text, m_theme->dark ? 0.30 : 0.28);
}

QColor GraphColors::faint(const QColor& color) const {
    return mixed(color, m_theme->panel, 0.72);
}

QColor GraphColors::muted(const QColor& fill) const {
    return m_theme->readable(m_theme->muted, fill);
}

QColor GraphColors::block(const QColor& fill) const {
    return mixed(fill, m_theme->text, m_theme->dark ? 0.22 : 0.20);
}

} // namespace hidet::ui
