// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStringList>
#include <QWidget>

namespace hidet::ui::test {

// Texts of this control (not of those inside of it) that have less room than they need and do not end in an ellipsis with a
// tooltip that has the whole.
QStringList cutTextsOf(const QWidget& widget);

} // namespace hidet::ui::test
