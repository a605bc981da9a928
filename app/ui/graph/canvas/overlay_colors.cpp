// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/overlay_colors.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace hidet::ui {

namespace {

constexpr int steps = 64;

struct Stop {
    double lightness, chroma, hue;
};

// From little to much. On light themes much is dark and saturated, on dark ones it glows.
constexpr Stop light_stops[] = {{0.965, 0.030, 100}, {0.900, 0.090, 88}, {0.800, 0.130, 62}, {0.680, 0.160, 36}};
constexpr Stop dark_stops[] = {{0.270, 0.045, 275}, {0.340, 0.100, 305}, {0.420, 0.125, 350}, {0.510, 0.115, 410}};

QColor between(std::span<const Stop> stops, double place) {
    const double at = std::clamp(place, 0.0, 1.0) * double(stops.size() - 1);
    const std::size_t i = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const double share = at - double(i);
    const auto of = [&](double Stop::*part) { return stops[i].*part + (stops[i + 1].*part - stops[i].*part) * share; };
    return oklch(of(&Stop::lightness), of(&Stop::chroma), of(&Stop::hue));
}

// As near to the colour as the theme's text allows.
QColor behindText(const Theme& theme, QColor color) {
    const QColor end = theme.dark ? QColor(Qt::black) : QColor(Qt::white);
    for (double share = 0.04; share < 1 && contrast(color, theme.text) < least_contrast; share += 0.04)
        color = mixed(color, end, 0.04);
    return color;
}

// Neighbouring numbers are far apart on the circle, and differ in lightness too.
QColor classColor(const Theme& theme, quint32 number) {
    const double hue = 30.0 * double(number * 7 % 12) + 245;
    const double lightness = theme.dark ? (number % 2 ? 0.46 : 0.37) : (number % 2 ? 0.83 : 0.91);
    return oklch(lightness, theme.dark ? 0.085 : number % 2 ? 0.095 : 0.065, hue);
}

QColor tint(const Theme& theme, const QColor& color) {
    return mixed(theme.panel, color, 0.36);
}

QColor classColor(const Theme& theme, session::OverlayKind kind, quint32 number) {
    if (kind == session::OverlayKind::Changes || kind == session::OverlayKind::SinceImport)
        return tint(theme, number == 0 ? theme.ok : theme.warning);
    if (kind == session::OverlayKind::Device && number == 1)
        return tint(theme, theme.warning);
    if (kind == session::OverlayKind::Family && number == quint32(session::OpFamily::Other))
        return tint(theme, theme.muted);
    return classColor(theme, number);
}

} // namespace

OverlayColors::OverlayColors(const Theme& theme, const session::Overlay& overlay) {
    m_scale.least = overlay.least;
    m_scale.greatest = overlay.greatest;
    m_scale.is_logarithmic = overlay.is_logarithmic;
    for (int i = 0; i <= steps; ++i)
        m_steps.push_back(behindText(
            theme, between(theme.dark ? std::span<const Stop>(dark_stops) : light_stops, double(i) / steps)));
    for (std::size_t i = 0; i < overlay.classes.size(); ++i)
        m_classes.push_back(
            behindText(theme, classColor(theme, overlay.kind, i < overlay.hues.size() ? overlay.hues[i] : quint32(i))));
}

QColor OverlayColors::fill(const session::NodeReading& reading) const {
    if (reading.cls != session::no_id)
        return ofClass(reading.cls);
    const std::optional<double> place = session::on_scale(m_scale, reading);
    return place ? at(*place) : QColor();
}

QColor OverlayColors::ofClass(quint32 cls) const {
    return cls < m_classes.size() ? m_classes[cls] : QColor();
}

QColor OverlayColors::at(double place) const {
    if (m_steps.empty())
        return {};
    return m_steps[static_cast<std::size_t>(std::lround(std::clamp(place, 0.0, 1.0) * steps))];
}

QGradientStops OverlayColors::stops() const {
    QGradientStops out;
    for (std::size_t i = 0; i < m_steps.size(); i += 8)
        out.append({double(i) / steps, m_steps[i]});
    return out;
}

} // namespace hidet::ui
