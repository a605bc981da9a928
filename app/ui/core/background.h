// SPDX-License-Identifier: GPL-3.0-only
// Threads for work that must not slow the window down. Qt paints large areas with several threads of its global pool and waits
// for all of them, so long work there would keep every paint waiting: it has pools of its own.
#pragma once

#include <QThreadPool>

namespace hidet::ui {

QThreadPool& background(); // for what the window shows: its threads leave the processor to those that want it
QThreadPool& askedFor();   // for what a person waits for: its threads do not
bool worksBeside();        // a thread of either does
void waitForWork();        // of both

} // namespace hidet::ui
