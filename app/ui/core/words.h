// SPDX-License-Identifier: GPL-3.0-only
// Words of functions that belong to no class of Qt's; those have a tr() of their own.
#pragma once

#include <QCoreApplication>
#include <QStringList>
#include <functional>
#include <string>
#include <vector>

#include "lang/base/ranges.h"

namespace hidet::ui {

inline QString tr(const char* text) {
    return QCoreApplication::translate("hidet", text);
}

inline QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

// What `of` makes of each: a function or a member.
template <typename Range, typename Of>
auto listOf(Range&& range, Of of) {
    QList<std::decay_t<std::invoke_result_t<Of&, decltype(*std::begin(range))>>> out;
    for (auto&& each : range)
        out << std::invoke(of, each);
    return out;
}

inline QStringList textsOf(const std::vector<std::string>& utf8) {
    return listOf(utf8, text);
}

inline std::vector<std::string> utf8Of(const QStringList& texts) {
    return transformed(texts, [](const QString& each) { return each.toStdString(); });
}

// Of mistakes what the first of them says, or else this.
template <typename Diagnostics>
QString firstMessage(const Diagnostics& diagnostics, const QString& otherwise = {}) {
    return diagnostics.empty() ? otherwise : text(diagnostics.front().message);
}

template <typename Numbers>
QStringList numbersOf(const Numbers& numbers) {
    return listOf(numbers, [](const auto number) { return QString::number(number); });
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
