// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/offer_run.h"

namespace hidet::ui {

void offerRun(Studio& studio, EmptyState& state, const QString& title) {
    QAction* run = studio.commands.action(Command::RunRun);
    state.say(title, studio.tabs.current() ? QString() : EmptyState::tr("No script is open"));
    state.offerWithKeys(run, studio.tabs.current() ? EmptyState::tr("Run") : QString());
}

} // namespace hidet::ui
