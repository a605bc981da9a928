// SPDX-License-Identifier: GPL-3.0-only
// All settings as one file, to take along or to keep: "key = value" by section, as the program's own file.
#pragma once

#include "app/ui/core/settings.h"
#include "app/ui/document/document.h"

namespace hidet::ui {

// What differs from the usual values, and shortcuts.
bool exportSettings(const Settings& settings, const QString& path, FileError& error);
// Values that a setting cannot have are left out; settings that the file does not name go back to what is usual.
bool importSettings(Settings& settings, const QString& path, FileError& error);

} // namespace hidet::ui
