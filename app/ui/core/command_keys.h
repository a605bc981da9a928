// SPDX-License-Identifier: GPL-3.0-only
// Keys of commands write nothing, also while their command cannot be done: Qt's fields and Scintilla would take Alt+4 for a 4.
#pragma once

#include <functional>

#include <QKeyEvent>

#include "app/ui/core/commands.h"

namespace hidet::ui {

// Ctrl, Alt or Meta make a key a command's, whether or not there is one for it. Ctrl with Alt is AltGr, which does write.
bool isForCommands(const QKeyEvent& key);

// The command that has the key; null: none.
QAction* ownerOf(const Commands& commands, const QKeyEvent& key);

// "Graph mode: no model is open", for the key of a command that cannot be done now; empty for all others.
QString refusalOf(const Commands& commands, const QKeyEvent& key);

// Stands before all fields of the program.
class CommandKeys : public QObject {
public:
    CommandKeys(const Commands& commands, std::function<void(const QString&)> say, QObject* parent);
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const Commands& m_commands;
    std::function<void(const QString&)> m_say;
};

} // namespace hidet::ui
