// SPDX-License-Identifier: GPL-3.0-only
// Where each subject was exported to last, by its format.
#pragma once

#include <QString>

namespace hidet::ui {

class Settings;

QString exportFolder(const Settings& settings, const QString& subject, const QString& format); // empty: nowhere yet
void setExportFolder(Settings& settings, const QString& subject, const QString& format, const QString& folder);

} // namespace hidet::ui
