// SPDX-License-Identifier: GPL-3.0-only
// The window as a user counts its parts: what Qt makes inside of a control is the control's own business.
#pragma once

#include <QList>
#include <QWidget>

namespace hidet::ui::test {

// Visible parts of the widget, in the order in which they were made: not windows, not the insides of controls.
QList<QWidget*> partsOf(const QWidget& widget);

// Where it is in the window that it belongs to.
QRect placeOf(const QWidget& widget);

// It lies on others and is meant to: cards, lists of choices, the palette, the map of a graph.
bool isOverlay(const QWidget& widget);

QString classOf(const QWidget& widget); // "PaneHeader"
QString nameOf(const QWidget& widget);  // "PaneHeader in StagePane #panes", for messages

} // namespace hidet::ui::test
