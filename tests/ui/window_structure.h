// SPDX-License-Identifier: GPL-3.0-only
// What a window shows as text: which parts it has, in which order, beside or below each other, and what they say. No pixels,
// so that it is the same with other fonts; and no figures that were measured.
#pragma once

#include <QString>
#include <QWidget>

namespace hidet::ui::test {

// One line a part, those inside of it indented below:
//   PaneHeader row
//     QComboBox #pane.stage "CUDA"
// `row`, `column`, `grid` and `layers` say how the parts inside lie to each other.
QString structureOf(const QWidget& window);

// Without what differs from machine to machine and from run to run: the one place that knows what that is.
QString withoutVolatile(QString text);

} // namespace hidet::ui::test
