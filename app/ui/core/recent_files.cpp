// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/recent_files.h"

#include "app/ui/core/settings.h"

namespace hidet::ui {

constexpr int most_files = 20;
static const QString recent_key = QStringLiteral("recent/files");

QStringList recentFiles(const Settings& settings) {
    return settings.extra(recent_key).toStringList();
}

void addRecentFile(Settings& settings, const QString& path) {
    QStringList files = recentFiles(settings);
    files.removeAll(path);
    files.prepend(path);
    settings.setExtra(recent_key, QStringList(files.mid(0, most_files)));
}

void removeRecentFile(Settings& settings, const QString& path) {
    QStringList files = recentFiles(settings);
    files.removeAll(path);
    settings.setExtra(recent_key, files.isEmpty() ? QVariant() : QVariant(files));
}

void clearRecentFiles(Settings& settings) {
    settings.setExtra(recent_key, {});
}

} // namespace hidet::ui
