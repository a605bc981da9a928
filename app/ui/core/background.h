// SPDX-License-Identifier: GPL-3.0-only
// Threads for work that must not slow the window down. Qt paints large areas with several threads of its global pool and waits
// for all of them, so long work there would keep every paint waiting: it has a pool of its own, whose threads leave the
// processor to those that want it.
#pragma once

#include <QThreadPool>

namespace hidet::ui {

QThreadPool& background();

} // namespace hidet::ui
