// SPDX-License-Identifier: GPL-3.0-only
// One unit for a column of figures, fit for the greatest of them: it stands in the header, the figures go without.
#pragma once

#include <cstdint>

#include <QChar>
#include <QString>

#include "app/ui/core/figures.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

struct FigureUnit {
    double size = 1;
    QString name;

    // Three digits that count; what is not zero does not look like zero.
    QString text(double value) const {
        const double scaled = value / size;
        const double magnitude = scaled < 0 ? -scaled : scaled;
        if (magnitude > 0 && magnitude < 0.005)
            return QStringLiteral("<0.01");
        return fixedText(scaled, magnitude < 10 ? 2 : magnitude < 100 ? 1 : 0);
    }
    // "+1.20", with a minus sign as long as the plus sign.
    QString change(double value) const {
        return value == 0 ? QStringLiteral("0")
                          : (value > 0 ? QChar('+') : QChar(0x2212)) + text(value < 0 ? -value : value);
    }
};

inline FigureUnit unitOf(double greatest, const char* unit) {
    const UnitScale scale = scale_of(greatest, unit);
    return {scale.size, QString::fromStdString(scale.unit)};
}
inline FigureUnit unitOfSeconds(double greatest) {
    return unitOf(greatest, "s");
}
inline FigureUnit unitOfBytes(double greatest) {
    return unitOf(greatest, "B");
}

// "+3", of what is counted.
inline QString changeText(std::int64_t change) {
    return change == 0 ? QStringLiteral("0")
                       : (change > 0 ? QChar('+') : QChar(0x2212)) + QString::number(change < 0 ? -change : change);
}

// "+1.95 us": a change is often small beside what changes, so that its unit is its own.
inline QString changeText(double change, FigureUnit (*unitOf)(double)) {
    const FigureUnit unit = unitOf(change < 0 ? -change : change);
    return change == 0 ? QStringLiteral("0") : unit.change(change) + ' ' + unit.name;
}

} // namespace hidet::ui
