// SPDX-License-Identifier: GPL-3.0-only
// How a workspace names files, so that it means the same in a colleague's checkout: from its own folder on, with '/'.
#pragma once

#include <QString>

namespace hidet::ui {

// "kernels/matmul.py", "../matmul.py"; "$samples/kernels/naive_matmul.py" of what comes with the program; absolute where
// the two have nothing in common but the root or the user's own folder.
QString pathFrom(const QString& folder, const QString& path);
QString pathIn(const QString& folder, const QString& named); // the other way, absolute

} // namespace hidet::ui
