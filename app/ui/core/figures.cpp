// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/figures.h"

#include <algorithm>

#include <QCoreApplication>

#include "lang/base/quantity.h"

namespace hidet::ui {

QString timeText(double seconds) {
    return QString::fromStdString(time_text(seconds));
}

QString timeText(double seconds, double spread) {
    const UnitScale unit = scale_of(seconds, "s");
    const double value = seconds / unit.size;
    const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return QString("%1 %2 %3 %4")
        .arg(fixedText(value, decimals))
        .arg(QChar(0x00b1))
        .arg(fixedText(spread / unit.size, std::max(1, decimals)), QString::fromStdString(unit.unit));
}

QString bytesText(double bytes) {
    return QString::fromStdString(bytes_text(bytes));
}

QString rateText(double perSecond, const char* of) {
    return QString::fromStdString(si_text(perSecond, of));
}

QString numberText(double value) {
    return QString::fromStdString(number_text(value));
}

QString numberText(const std::optional<double>& value) {
    return value ? numberText(*value) : QCoreApplication::translate("hidet", "not compared");
}

QString percentText(double ratio) {
    return QString::fromStdString(percent_text(ratio));
}

QString percentNumber(double ratio) {
    return QString::fromStdString(percent_number(ratio));
}

QString fixedText(double value, int decimals) {
    return QString::fromStdString(fixed_text(value, decimals));
}

QString digitsText(double value, int precision) {
    return QString::fromStdString(digits_text(value, precision));
}

} // namespace hidet::ui
