// SPDX-License-Identifier: GPL-3.0-only
// A value of a setting that holds until the program ends or the user chooses another, and is not kept: the command line's.
#pragma once

#include "app/ui/core/settings.h"

namespace hidet::ui {

void hold(Settings& settings, Setting setting, const QVariant& value);

} // namespace hidet::ui
