// SPDX-License-Identifier: GPL-3.0-only
// The command line of hidet-studio.
#pragma once

#include <optional>

#include <QList>
#include <QStringList>

#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

// A file as it is named on the command line: "matmul.py:12:5" is a place in it, unless a file has that very name.
struct FileArgument {
    QString path; // "-": standard input
    int line = 0; // 0: not said
    int column = 0;
};
FileArgument fileArgument(const QString& argument);

struct Options {
    QList<FileArgument> files;
    QString session = "last";
    QString target; // empty: what the settings say
    bool newWindow = false;
    bool safeMode = false;
    QStringList commands;         // to do after the start
    ScreenshotRequest screenshot; // without a folder: none
};
// --help and --version, which need no display, and the sentence for who has none; the exit code then. Before QApplication.
std::optional<int> answerWithoutWindow(int argc, char** argv);
// Ends the program for --help, --version and mistakes.
Options parseOptions(const QStringList& arguments);

} // namespace hidet::ui
