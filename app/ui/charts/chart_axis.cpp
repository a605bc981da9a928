// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/charts/chart_axis.h"

#include <algorithm>
#include <cmath>

#include "app/ui/core/figures.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

double tickStep(const ChartAxis& axis, double from, double to, int most) {
    const double least = (to - from) / axis.unit / std::max(1, most);
    if (!(least > 0) || !std::isfinite(least))
        return axis.unit;
    const double power = std::pow(10, std::floor(std::log10(least)));
    double step = 10 * power;
    for (const double each : {1.0, 2.0, 5.0})
        if (each * power >= least * (1 - 1e-9)) {
            step = each * power;
            break;
        }
    return (axis.isWhole ? std::max(1.0, step) : step) * axis.unit;
}

static double exponentOf(const ChartAxis& axis, double value) {
    return std::log(value) / std::log(axis.base);
}

static std::vector<double> powersOf(const ChartAxis& axis, int most) {
    std::vector<double> out;
    const int low = int(std::ceil(exponentOf(axis, axis.min) - 1e-9));
    const int high = int(std::floor(exponentOf(axis, axis.max) + 1e-9));
    const int every = std::max(1, (high - low + most) / std::max(1, most));
    for (int power = low; power <= high; power += every)
        out.push_back(std::pow(axis.base, power));
    return out;
}

std::vector<double> ticksOf(const ChartAxis& axis, double from, double to, int most) {
    if (axis.isLog)
        return powersOf(axis, most);
    std::vector<double> out;
    const double step = tickStep(axis, from, to, most);
    for (double at = std::ceil(from / step - 1e-9) * step; at <= to + step * 1e-9 && out.size() < 200; at += step)
        out.push_back(std::abs(at) < step * 1e-6 ? 0 : at);
    return out;
}

QString textOf(const ChartAxis& axis, double value, double step) {
    if (axis.isLog)
        return numberText(value);
    const double number = value / axis.unit;
    if (step <= 0)
        return digitsText(number, 4);
    return fixedText(number, std::clamp(int(std::ceil(-std::log10(step / axis.unit) - 1e-9)), 0, 6));
}

double positionOf(const ChartAxis& axis, double value) {
    if (!axis.isLog)
        return axis.max > axis.min ? (value - axis.min) / (axis.max - axis.min) : 0;
    const double low = exponentOf(axis, axis.min), high = exponentOf(axis, axis.max);
    return high > low ? (exponentOf(axis, value) - low) / (high - low) : 0;
}

double shareOf(const ChartAxis& axis, double value) {
    if (!axis.isLog)
        return positionOf(axis, value);
    if (!(value > axis.min))
        return 0;
    return std::isfinite(value) ? std::clamp(positionOf(axis, value), 0.0, 1.0) : 1;
}

static ChartAxis scaledAxis(const QString& title, double greatest, const char* of) {
    const UnitScale scale = scale_of(greatest, of);
    ChartAxis out;
    out.title = QString("%1, %2").arg(title, QString::fromStdString(scale.unit));
    out.max = greatest > 0 ? greatest : 1;
    out.unit = scale.size;
    return out;
}

ChartAxis timeAxis(const QString& title, double seconds) {
    return scaledAxis(title, seconds, "s");
}

ChartAxis bytesAxis(const QString& title, double bytes) {
    ChartAxis out = scaledAxis(title, bytes, "B");
    out.isWhole = out.unit == 1;
    return out;
}

ChartAxis logAxis(const QString& title, double least, double greatest, int base) {
    ChartAxis out;
    out.title = title;
    out.isLog = true;
    out.base = base;
    out.min = std::pow(base, std::floor(exponentOf(out, least) + 1e-9));
    out.max = std::pow(base, std::ceil(exponentOf(out, greatest) - 1e-9));
    if (out.max <= out.min)
        out.max = out.min * base;
    return out;
}

// An error that stands on a power of ten is not the edge of its chart.
ChartAxis errorAxis(const QString& title, double least, double greatest) {
    const double low = least > 0 && std::isfinite(least) ? least : 1e-9;
    const double high = greatest > low && std::isfinite(greatest) ? greatest : low * 10;
    return logAxis(title, low * (1 - 1e-6), high * (1 + 1e-6));
}

} // namespace hidet::ui
