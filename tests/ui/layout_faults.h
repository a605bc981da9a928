// SPDX-License-Identifier: GPL-3.0-only
// What a user would see at a glance to be wrong in a window: texts that are cut off, parts that lie on each other or stick out
// of what they are in, panes that show nothing.
#pragma once

#include <QImage>
#include <QStringList>
#include <QWidget>

namespace hidet::ui::test {

// One line each. The picture is of the whole window.
QStringList layoutFaultsOf(const QWidget& window, const QImage& picture);

} // namespace hidet::ui::test
