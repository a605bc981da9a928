// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/run_target.h"

#include <algorithm>

namespace hidet::ui {

static QList<RunTarget> makeTargets() {
    QList<RunTarget> out;
    for (const session::TargetInfo& row : session::all_targets())
        out << RunTarget{row.name, row.label, row.where, row.target, row.target, false};
    // A worker elsewhere takes what its machine has, and who sends it models expects a GPU there.
    out << RunTarget{"remote", "Remote worker", "the remote worker", session::Target::Auto, session::Target::Cuda,
                     true};
    return out;
}

const QList<RunTarget>& runTargets() {
    static const QList<RunTarget> targets = makeTargets();
    return targets;
}

const RunTarget& runTarget(const QString& name) {
    const auto found = std::ranges::find(runTargets(), name, &RunTarget::name);
    return found == runTargets().end() ? runTargets().front() : *found;
}

QString nameOf(session::Target target) {
    return session::info(target).name;
}

} // namespace hidet::ui
