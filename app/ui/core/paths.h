// SPDX-License-Identifier: GPL-3.0-only
// Where the program keeps things, by the XDG base directories. Nothing is ever written beside a user's file but by saving it.
#pragma once

#include <QString>

namespace hidet::ui {

QString stateFolder();   // swap files, sessions, history, logs; made when it is not there
QString dataFolder();    // the user's own themes and samples
QString samplesFolder(); // the scripts that come with the program; empty: not found
QString programFolder();

} // namespace hidet::ui
