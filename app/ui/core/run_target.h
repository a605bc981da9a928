// SPDX-License-Identifier: GPL-3.0-only
// Where a run goes: what the session can run on, and a worker on another machine.
#pragma once

#include <QList>
#include <QString>

#include "app/session/snapshot/targets.h"

namespace hidet::ui {

struct RunTarget {
    QString name;                                        // "emulate": as Setting::Target has it
    QString label;                                       // "Emulator"
    QString where;                                       // "the emulator"
    session::Target target = session::Target::Auto;      // what a worker is asked for
    session::Target modelTarget = session::Target::Auto; // likewise, for models: they are planned before they are sent
    bool isRemote = false;
};

const QList<RunTarget>& runTargets();
const RunTarget& runTarget(const QString& name); // of a name that there is not: the first one, which fits everywhere
QString nameOf(session::Target target);

} // namespace hidet::ui
