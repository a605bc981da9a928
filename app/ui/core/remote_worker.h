// SPDX-License-Identifier: GPL-3.0-only
// Which worker of the user's file the target 'remote' means. The settings keep its name; its command is in the file alone.
#pragma once

#include "app/session/worker/remote_workers.h"
#include "app/ui/core/settings.h"

namespace hidet::ui {

// That of the settings, else the first of the file.
Result<session::RemoteWorker> remoteWorkerOf(const Settings& settings);
// A name of the file, or a line for it, "gpu = ssh host hidetc worker". What is wrong with it; empty: it is chosen.
QString chooseRemoteWorker(Settings& settings, const QString& text);
// Settings of before had a line for a shell in the place of the name: it becomes one of the file.
void moveRemoteWorker(Settings& settings);

} // namespace hidet::ui
