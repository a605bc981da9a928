// SPDX-License-Identifier: GPL-3.0-only
// Words of functions that belong to no class of Qt's; those have a tr() of their own.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <string>
#include <vector>

namespace hidet::ui {

inline QString tr(const char* text) {
    return QCoreApplication::translate("hidet", text);
}

inline QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

inline QStringList textsOf(const std::vector<std::string>& utf8) {
    QStringList out;
    for (const std::string& each : utf8)
        out << text(each);
    return out;
}

inline std::vector<std::string> utf8Of(const QStringList& texts) {
    std::vector<std::string> out;
    for (const QString& each : texts)
        out.push_back(each.toStdString());
    return out;
}

template <typename Numbers>
QStringList numbersOf(const Numbers& numbers) {
    QStringList out;
    for (const auto number : numbers)
        out << QString::number(number);
    return out;
}

// Where a reason or a summary stands alone.
inline QString capitalized(QString said) {
    if (!said.isEmpty())
        said[0] = said[0].toUpper();
    return said;
}

// Without blanks around it, the first letter large.
inline QString sentence(const std::string& utf8) {
    return capitalized(QString::fromStdString(utf8).trimmed());
}

// A tip of plain text stays one line however long it is; rich text wraps.
inline QString wrappedTip(const QString& said) {
    constexpr qsizetype oneLine = 100;
    return said.size() <= oneLine ? said : "<qt>" + said.toHtmlEscaped().replace('\n', "<br>") + "</qt>";
}

} // namespace hidet::ui
