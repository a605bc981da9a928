// SPDX-License-Identifier: GPL-3.0-only
// The files that were opened or saved lately, newest first; kept with the settings.
#pragma once

#include <QStringList>

namespace hidet::ui {

class Settings;

QStringList recentFiles(const Settings& settings); // some may be gone
void addRecentFile(Settings& settings, const QString& path);
void removeRecentFile(Settings& settings, const QString& path);
void clearRecentFiles(Settings& settings);

} // namespace hidet::ui
