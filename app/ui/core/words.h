// SPDX-License-Identifier: GPL-3.0-only
// Words of functions that belong to no class of Qt's; those have a tr() of their own.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <string>

namespace hidet::ui {

inline QString tr(const char* text) {
    return QCoreApplication::translate("hidet", text);
}

inline QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

// Without blanks around it, the first letter large.
inline QString sentence(const std::string& utf8) {
    QString out = QString::fromStdString(utf8).trimmed();
    if (!out.isEmpty())
        out[0] = out[0].toUpper();
    return out;
}

} // namespace hidet::ui
