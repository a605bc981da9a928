// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/offer_run.h"

namespace hidet::ui {

void offerRun(Studio& studio, EmptyState& state, const QString& title) {
    QAction* run = studio.commands.action(Command::RunRun);
    const QString keys = run->shortcut().toString(QKeySequence::NativeText);
    state.say(title, studio.current() ? QString() : EmptyState::tr("No script is open"));
    state.setAction(!studio.current() ? QString()
                    : keys.isEmpty()  ? EmptyState::tr("Run")
                                      : EmptyState::tr("Run (%1)").arg(keys),
                    [run] { run->trigger(); });
}

} // namespace hidet::ui
