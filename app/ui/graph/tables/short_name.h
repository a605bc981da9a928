// SPDX-License-Identifier: GPL-3.0-only
// Names of operators are paths of modules that begin alike: where there is little room, their ends tell them apart.
#pragma once

#include <QString>

namespace hidet::ui {

inline QString shortName(const QString& name) {
    const qsizetype last = name.lastIndexOf('/');
    const qsizetype before = last > 0 ? name.lastIndexOf('/', last - 1) : -1;
    return before > 0 ? QChar(0x2026) + name.mid(before) : name;
}

} // namespace hidet::ui
