// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/pages/diagnostics.h"

#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>

#include <fcntl.h>
#include <unistd.h>

#include <Qsci/qsciglobal.h>

#include <QFile>
#include <QGuiApplication>
#include <QScreen>
#include <QSysInfo>

#include "app/ui/core/paths.h"

namespace hidet::ui {

namespace {

constexpr std::size_t most_lines = 200;

struct Log {
    std::mutex mutex;
    std::deque<QString> lines;
    QtMessageHandler before = nullptr;
};
Log& theLog() {
    static Log log; // Qt calls the handler without a place for what it needs
    return log;
}

void keepMessage(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    {
        const std::scoped_lock lock(theLog().mutex);
        theLog().lines.push_back(message);
        if (theLog().lines.size() > most_lines)
            theLog().lines.pop_front();
    }
    if (theLog().before)
        theLog().before(type, context, message);
}

// All that a handler of signals may touch: made before anything goes wrong.
char crash_path[4096];

void writeCrashLine(const char* what) {
    const int file = ::open(crash_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    [[maybe_unused]] ssize_t written = ::write(file, what, std::strlen(what));
    written = ::write(file, "\n", 1);
    ::close(file);
}

void onSignal(int number) {
    const char* name = number == SIGSEGV   ? "SIGSEGV: invalid memory access"
                       : number == SIGBUS  ? "SIGBUS: memory that cannot be read"
                       : number == SIGFPE  ? "SIGFPE: invalid arithmetic"
                       : number == SIGILL  ? "SIGILL: invalid instruction"
                       : number == SIGABRT ? "SIGABRT: aborted"
                                           : "a signal";
    writeCrashLine(name);
    std::signal(number, SIG_DFL);
    ::raise(number);
}

void onTerminate() {
    try {
        if (const auto current = std::current_exception())
            std::rethrow_exception(current);
        writeCrashLine("terminated");
    } catch (const std::exception& error) {
        writeCrashLine(error.what());
    } catch (...) {
        writeCrashLine("an exception of an unknown kind");
    }
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
}

} // namespace

QString versionLines() {
    return QString("Hidet Studio %1\nQt %2, QScintilla %3\n%4, %5\nPlatform %6, scale %7")
        .arg(HIDET_VERSION, qVersion(), QSCINTILLA_VERSION_STR, QSysInfo::prettyProductName(),
             QSysInfo::kernelType() + ' ' + QSysInfo::kernelVersion(), QGuiApplication::platformName())
        .arg(QGuiApplication::primaryScreen() ? QGuiApplication::primaryScreen()->devicePixelRatio() : 1);
}

QString toolLines(const session::DoctorReport& report) {
    QStringList out;
    for (const session::ToolFact& tool : report.tools)
        out << QString("%1: %2").arg(QString::fromStdString(tool.name),
                                     tool.usable ? QString::fromStdString(tool.version + ", " + tool.path)
                                                 : QString::fromStdString(tool.problem));
    const session::GpuFact& gpu = report.gpu;
    out << QString("GPU: %1").arg(gpu.usable ? QString::fromStdString(gpu.name + ", " + gpu.arch)
                                             : QString::fromStdString(gpu.name));
    return out.join('\n');
}

QString folderLines() {
    return QString("State: %1\nData: %2\nSamples: %3").arg(stateFolder(), dataFolder(), samplesFolder());
}

void startLog() {
    theLog().before = qInstallMessageHandler(keepMessage);
}

QStringList logLines() {
    const std::scoped_lock lock(theLog().mutex);
    return {theLog().lines.begin(), theLog().lines.end()};
}

void watchForCrashes(const QString& stateFolder) {
    const QByteArray path = (stateFolder + "/crash.txt").toLocal8Bit();
    if (path.size() >= qsizetype(sizeof crash_path))
        return;
    std::memcpy(crash_path, path.constData(), static_cast<std::size_t>(path.size()) + 1);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        std::signal(number, onSignal);
    std::set_terminate(onTerminate);
}

QString takeCrashLine(const QString& stateFolder) {
    QFile file(stateFolder + "/crash.txt");
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QString line = QString::fromUtf8(file.read(1000)).trimmed();
    file.close();
    file.remove();
    return line;
}

} // namespace hidet::ui
