// SPDX-License-Identifier: GPL-3.0-only
// Where something runs, as the settings keep it.
#pragma once

#include "app/session/snapshot/targets.h"
#include "app/ui/core/settings.h"

namespace hidet::ui {

inline session::Placement placementOf(const Settings& settings) {
    return session::placement_named(settings.text(Setting::Target).toStdString());
}
inline void setPlacement(Settings& settings, session::Placement placement) {
    settings.set(Setting::Target, QString(session::info(placement).name));
}

} // namespace hidet::ui
