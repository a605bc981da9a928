// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/tensors/tensor_colors.h"

#include <algorithm>
#include <cmath>

namespace hidet::ui {

namespace {

constexpr double below_zero = 255, above_zero = 45; // hues
constexpr double most_error = 1000;                 // times what is tolerated: the full colour

QColor between(const QColor& a, const QColor& b, double share) {
    const auto of = [share](int x, int y) { return int(std::lround(x + (y - x) * share)); };
    return {of(a.red(), b.red()), of(a.green(), b.green()), of(a.blue(), b.blue())};
}

} // namespace

QColor TensorColors::ofValue(double value, double greatest) const {
    if (!std::isfinite(value))
        return between(m_theme->panel, m_theme->error, 0.5);
    const double share = greatest > 0 ? std::min(1.0, std::fabs(value) / greatest) : 0;
    const QColor full = oklch(m_theme->dark ? 0.45 : 0.80, 0.12, value < 0 ? below_zero : above_zero);
    return between(m_theme->panel, full, std::sqrt(share));
}

QColor TensorColors::ofError(double error) const {
    if (error <= 1)
        return between(m_theme->panel, m_theme->ok, 0.12 + 0.13 * std::clamp(error, 0.0, 1.0));
    const double share = std::isfinite(error) ? std::min(1.0, std::log(error) / std::log(most_error)) : 1;
    return between(m_theme->panel, m_theme->error, 0.3 + 0.4 * share);
}

QColor TensorColors::ofOwner(int number, double error) const {
    constexpr double golden = 137.5; // degrees, so that neighbours differ
    if (number < 0)
        return m_theme->panel;
    const QColor full = oklch(m_theme->dark ? 0.5 : 0.75, 0.13, std::fmod(number * golden, 360));
    return between(m_theme->panel, full, error > 1 ? 1 : 0.25);
}

} // namespace hidet::ui
