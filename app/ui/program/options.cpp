// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/program/options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>

namespace hidet::ui {

FileArgument fileArgument(const QString& argument) {
    if (argument == "-" || QFileInfo::exists(argument))
        return {argument, 0, 0};
    static const QRegularExpression withPlace("^(.+?):(\\d{1,7})(?::(\\d{1,7}))?$");
    const QRegularExpressionMatch match = withPlace.match(argument);
    if (!match.hasMatch())
        return {argument, 0, 0};
    return {match.captured(1), match.captured(2).toInt(), match.captured(3).toInt()};
}

constexpr const char* display_variables[] = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"};

[[noreturn]] static void refuse(const QString& sentence) {
    std::fprintf(stderr, "hidet-studio: %s\n", qPrintable(sentence));
    std::exit(2);
}

static bool hasDisplay() {
    return std::any_of(std::begin(display_variables), std::end(display_variables),
                       [](const char* variable) { return !qEnvironmentVariableIsEmpty(variable); });
}

std::optional<int> answerWithoutWindow(int argc, char** argv) {
    const auto given = [&](std::initializer_list<std::string_view> options) {
        return std::any_of(argv + std::min(argc, 1), argv + argc, [&](const char* argument) {
            return std::find(options.begin(), options.end(), argument) != options.end();
        });
    };
    if (given({"-h", "--help", "--help-all", "-v", "--version"})) {
        QCoreApplication app(argc, argv);
        parseOptions(QCoreApplication::arguments()); // prints, and ends the program
        return 0;
    }
    if (hasDisplay() || given({"-platform", "--platform"}))
        return {};
    std::fprintf(stderr, "hidet-studio: the desktop program needs a display, and there is none here (DISPLAY and "
                         "WAYLAND_DISPLAY are not set); hidetc can do the same on the command line\n");
    return 3;
}

Options parseOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    parser.setApplicationDescription("Write GPU kernels and watch them become machine code.");
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addOptions({
        {"line", "The line of the first file to go to.", "number"},
        {"column", "The column of that line.", "number"},
        {"session", "The session to go on with, and to keep; 'last' if not said.", "name", "last"},
        {"new-window", "A further window, which leaves the session alone."},
        {"safe-mode", "No session, no GPU, and settings as they are at first."},
        {"target", "Where kernels run this time: " + choicesOf(Setting::Target).join(", ") + ".", "where"},
        {"do",
         "A command to do after the start, by its id, such as view.mode_lower; can be said again. "
         "'type TEXT' types into the script, 'wait' waits until all stages are there.",
         "command"},
        {"screenshot",
         "Writes pictures of the window to a folder, and ends. With a file, pictures of graphs show that model.",
         "folder"},
        {"state", "With --screenshot: which state of the window; 'all' is all of them.", "name", "all"},
        {"theme", "With --screenshot: 'light', 'dark' or another theme; both of these if not said.", "name"},
        {"scale", "With --screenshot: pixels for each point, 1 or 2.", "factor", "1"},
    });
    parser.addPositionalArgument(
        "files", "Scripts, as FILE[:LINE[:COLUMN]], models and workspaces to open; '-' is standard input.",
        "[files...]");
    parser.process(arguments);

    Options out;
    for (const QString& file : parser.positionalArguments())
        out.files << fileArgument(file);
    for (const char* name : {"line", "column"}) {
        if (!parser.isSet(name))
            continue;
        bool ok = false;
        const int number = parser.value(name).toInt(&ok);
        if (!ok || number < 1)
            refuse(QString("--%1 needs a number from 1, not '%2'").arg(name, parser.value(name)));
        if (out.files.isEmpty())
            refuse(QString("--%1 needs a file").arg(name));
        (QString(name) == "line" ? out.files.first().line : out.files.first().column) = number;
    }
    out.session = parser.value("session");
    out.newWindow = parser.isSet("new-window");
    out.safeMode = parser.isSet("safe-mode");
    out.target = parser.value("target");
    if (parser.isSet("target") && !choicesOf(Setting::Target).contains(out.target))
        refuse(
            QString("there is no target '%1'; there are: %2").arg(out.target, choicesOf(Setting::Target).join(", ")));
    out.commands = parser.values("do");
    out.screenshot.folder = parser.value("screenshot");
    out.screenshot.state = parser.value("state");
    out.screenshot.themes = parser.values("theme").isEmpty() ? QStringList{"light", "dark"} : parser.values("theme");
    out.screenshot.scale = parser.value("scale");
    if (!out.screenshot.folder.isEmpty() && !out.files.isEmpty())
        out.screenshot.model = out.files.first().path;
    return out;
}

} // namespace hidet::ui
