// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/charts/chart_axis.h"

#include <algorithm>
#include <cmath>

#include "app/ui/run/verdict.h"

namespace hidet::ui {

namespace {

struct Unit {
    double size;
    const char* name;
};

const Unit& unitOf(double greatest, const Unit* units, std::size_t count) {
    for (std::size_t i = 0; i + 1 < count; ++i)
        if (greatest >= units[i].size)
            return units[i];
    return units[count - 1];
}

} // namespace

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

static std::vector<double> powersOfTen(const ChartAxis& axis, int most) {
    std::vector<double> out;
    const int low = int(std::ceil(std::log10(axis.min) - 1e-9)), high = int(std::floor(std::log10(axis.max) + 1e-9));
    const int every = std::max(1, (high - low + most) / std::max(1, most));
    for (int power = low; power <= high; power += every)
        out.push_back(std::pow(10, power));
    return out;
}

std::vector<double> ticksOf(const ChartAxis& axis, double from, double to, int most) {
    if (axis.isLog)
        return powersOfTen(axis, most);
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
        return QString::number(number, 'g', 4);
    return QString::number(number, 'f', std::clamp(int(std::ceil(-std::log10(step / axis.unit) - 1e-9)), 0, 6));
}

double shareOf(const ChartAxis& axis, double value) {
    if (axis.isLog) {
        if (!(value > axis.min))
            return 0;
        if (!std::isfinite(value))
            return 1;
        return std::clamp((std::log10(value) - std::log10(axis.min)) / (std::log10(axis.max) - std::log10(axis.min)),
                          0.0, 1.0);
    }
    return axis.max > axis.min ? (value - axis.min) / (axis.max - axis.min) : 0;
}

ChartAxis timeAxis(const QString& title, double seconds) {
    static constexpr Unit units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "\u00b5s"}, {1e-9, "ns"}};
    const Unit& unit = unitOf(seconds, units, std::size(units));
    return {QString("%1, %2").arg(title, QString::fromUtf8(unit.name)),
            0,
            seconds > 0 ? seconds : 1,
            unit.size,
            false,
            false};
}

ChartAxis bytesAxis(const QString& title, double bytes) {
    static constexpr Unit units[] = {{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}};
    const Unit& unit = unitOf(bytes, units, std::size(units));
    return {QString("%1, %2").arg(title, QString::fromUtf8(unit.name)),
            0,
            bytes > 0 ? bytes : 1,
            unit.size,
            false,
            unit.size == 1};
}

ChartAxis errorAxis(const QString& title, double least, double greatest) {
    ChartAxis out;
    out.title = title;
    out.isLog = true;
    const double low = least > 0 && std::isfinite(least) ? least : 1e-9;
    const double high = greatest > low && std::isfinite(greatest) ? greatest : low * 10;
    out.min = std::pow(10, std::floor(std::log10(low) - 1e-9));
    out.max = std::pow(10, std::ceil(std::log10(high) + 1e-9));
    return out;
}

} // namespace hidet::ui
