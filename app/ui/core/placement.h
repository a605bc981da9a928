// SPDX-License-Identifier: GPL-3.0-only
// Where something runs, by the names that Setting::Target has for it.
#pragma once

#include <QString>

#include "app/session/snapshot/targets.h"

namespace hidet::ui {

inline const session::Placement& placementOf(const QString& target) {
    return session::placement_named(target.toStdString());
}
inline QString nameOf(session::Target target) {
    return session::info(target).name;
}

} // namespace hidet::ui
