// SPDX-License-Identifier: GPL-3.0-only
// Which docks are open where, by their names and in shares of the window: what means the same in a window of another size.
#pragma once

#include <QDockWidget>
#include <QHash>
#include <QJsonObject>
#include <QMainWindow>

namespace hidet::ui {

using DocksById = QHash<QString, QDockWidget*>;

// {"bottom": {"groups": [{"tabs": ["problems", "run"], "front": "run", "share": 100}], "size": 25}, "floating": ["tensors"]}
QJsonObject shownDocks(const QMainWindow& window, const DocksById& docks);
void placeDocks(QMainWindow& window, const DocksById& docks,
                const QJsonObject& shown); // what cannot be read is left out
QStringList dockNames(const QJsonObject& shown);

} // namespace hidet::ui
