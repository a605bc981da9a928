// SPDX-License-Identifier: GPL-3.0-only
// An axis of a painted chart: which numbers stand on it, and where.
#pragma once

#include <vector>

#include <QString>

namespace hidet::ui {

struct ChartAxis {
    QString title; // with its unit: "time, us"
    double min = 0, max = 1;
    double unit = 1;    // what its numbers count: 1e-6 for microseconds
    bool isLog = false; // powers of `base`; only what is above 0 has a place
    int base = 10;
    bool isWhole = false; // no number between two steps
};

// Up to about `most` of them, at round numbers within [from, to].
std::vector<double> ticksOf(const ChartAxis& axis, double from, double to, int most);
QString textOf(const ChartAxis& axis, double value, double step); // 0: however many digits it takes
double tickStep(const ChartAxis& axis, double from, double to, int most);
double positionOf(const ChartAxis& axis, double value); // 0 at min, 1 at max, and beyond
double shareOf(const ChartAxis& axis,
               double value); // likewise, but of a logarithmic axis no less than 0 and no more than 1

// In the unit in which the greatest is a number from 1 to 999.
ChartAxis timeAxis(const QString& title, double seconds);
ChartAxis bytesAxis(const QString& title, double bytes);
ChartAxis errorAxis(const QString& title, double least, double greatest);
// From the power of the base below `least` to that above `greatest`.
ChartAxis logAxis(const QString& title, double least, double greatest, int base = 10);

} // namespace hidet::ui
