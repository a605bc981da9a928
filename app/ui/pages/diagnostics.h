// SPDX-License-Identifier: GPL-3.0-only
// What a report of a mistake needs: versions, tools, folders, the last lines of the log, as plain text.
#pragma once

#include <QString>

#include "app/session/tools/doctor.h"

namespace hidet::ui {

QString versionLines();
QString toolLines(const session::DoctorReport& report);
QString folderLines();

// The last lines that Qt and the program said. From any thread.
void startLog(); // keeps what goes through Qt's messages, and shows it as before
QStringList logLines();

// The program writes a line when it dies of a signal or of an exception that nobody caught; what an earlier one wrote is
// taken once.
void watchForCrashes(const QString& stateFolder);
QString takeCrashLine(const QString& stateFolder); // empty: it did not die

} // namespace hidet::ui
