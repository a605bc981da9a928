// SPDX-License-Identifier: GPL-3.0-only
// Colours of an overlay: one for each class, and a scale for numbers. The scale is ordered by lightness alone, so it can be
// read without telling hues apart; the theme's text can be read on every colour.
#pragma once

#include <vector>

#include <QColor>
#include <QGradientStops>

#include "app/session/model/view/overlay.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class OverlayColors {
public:
    OverlayColors() = default; // no node has a colour
    OverlayColors(const Theme& theme, const session::Overlay& overlay);

    QColor fill(const session::NodeReading& reading) const; // invalid: it has neither number nor class
    QColor ofClass(quint32 cls) const;                      // invalid: no such class
    QColor at(double place) const;                          // of the scale, 0 to 1
    QGradientStops stops() const;                           // of the scale, for a legend

private:
    session::Overlay m_scale; // its ends, without the nodes
    std::vector<QColor> m_steps;
    std::vector<QColor> m_classes;
};

} // namespace hidet::ui
