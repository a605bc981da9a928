// SPDX-License-Identifier: GPL-3.0-only
// What happens between the start of the program and the user's first key: files of the command line, commands to do.
#pragma once

#include "app/ui/program/options.h"

namespace hidet::ui {

void openFiles(Studio& studio, const QList<FileArgument>& files);
// One after the other, each when the window has come to rest from the one before.
void doCommands(MainWindow& window, const QStringList& commands);

} // namespace hidet::ui
