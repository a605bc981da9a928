// SPDX-License-Identifier: GPL-3.0-only
// Figures as lang/base/quantity.h writes them.
#pragma once

#include <optional>

#include <QString>

namespace hidet::ui {

QString timeText(double seconds);                       // "41.2 us"
QString timeText(double seconds, double spread);        // "41.2 +- 0.3 us"
QString bytesText(double bytes);                        // "32 KiB"
QString rateText(double perSecond, const char* of);     // "1.2 TB/s"
QString numberText(double value);                       // "2.1e-6"
QString numberText(const std::optional<double>& value); // "not compared" where there is none
QString percentText(double ratio);                      // "4.2 %"
QString percentNumber(double ratio);                    // "4.2"
QString fixedText(double value, int decimals);          // "41.20"
QString digitsText(double value, int precision);        // "0.25", "1.2e+09"

} // namespace hidet::ui
