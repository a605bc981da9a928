// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/exporting/export_places.h"

#include "app/ui/core/settings.h"

namespace hidet::ui {

namespace {

constexpr int most_places = 50;
const QString places_key = QStringLiteral("export/folders");

// Of the list: each place is two entries, what was exported and where to.
QString entryOf(const QString& subject, const QString& format) {
    return format + ' ' + subject;
}

} // namespace

QString exportFolder(const Settings& settings, const QString& subject, const QString& format) {
    const QStringList all = settings.extra(places_key).toStringList();
    for (qsizetype i = 0; i + 1 < all.size(); i += 2)
        if (all[i] == entryOf(subject, format))
            return all[i + 1];
    return {};
}

void setExportFolder(Settings& settings, const QString& subject, const QString& format, const QString& folder) {
    if (subject.isEmpty())
        return;
    const QStringList before = settings.extra(places_key).toStringList();
    QStringList all{entryOf(subject, format), folder};
    for (qsizetype i = 0; i + 1 < before.size() && all.size() < 2 * most_places; i += 2)
        if (before[i] != all.first())
            all << before[i] << before[i + 1];
    settings.setExtra(places_key, all);
}

} // namespace hidet::ui
