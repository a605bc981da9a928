// SPDX-License-Identifier: GPL-3.0-only
// The colours of a graph that are not those of an overlay (overlay_colors.h), made from the theme.
#pragma once

#include "app/ui/core/theme.h"

namespace hidet::ui {

class GraphColors {
public:
    explicit GraphColors(const Theme& theme);

    const Theme& theme() const { return *m_theme; }
    QColor canvas() const { return m_theme->window; }
    QColor hull(quint32 depth) const;        // behind what is in an open group
    QColor kernelHull(quint32 kernel) const; // the same, for operators that share a kernel
    QColor header(const QColor& hull) const;
    QColor plain() const { return m_theme->raised; } // of inputs, outputs, closed groups, and of what has no number
    QColor edge() const { return m_edge; }
    QColor border(const QColor& fill) const; // around a box
    QColor faint(const QColor& color) const; // of what is not marked
    QColor muted(const QColor& fill) const;  // text of second rank on the fill
    QColor block(const QColor& fill) const;  // the fill where there are no borders: from afar

private:
    const Theme* m_theme;
    QColor m_edge;
};

QColor mixed(const QColor& a, const QColor& b, double share); // `share` of b

} // namespace hidet::ui
