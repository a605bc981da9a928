// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/application.h"

#include <ctime>

#include <QEvent>
#include <QFileDialog>
#include <QMetaEnum>

#include "app/ui/core/background.h"

namespace hidet::ui {

// Milliseconds of the thread.
static double processorTime() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

Application::Application(int& argc, char** argv) : QApplication(argc, argv) {}

Application::~Application() {
    waitForWork();
}

bool Application::notify(QObject* receiver, QEvent* event) {
    if (m_depth > 0)
        return QApplication::notify(receiver, event);
    // The receiver may be gone when its event has been handled.
    const char* name = receiver->metaObject()->className();
    const QEvent::Type type = event->type();
    ++m_depth;
    QElapsedTimer timer;
    timer.start();
    const double begun = processorTime();
    const bool handled = QApplication::notify(receiver, event);
    --m_depth;
    const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    const double busy = processorTime() - begun;
    if (ms <= m_slowest.ms && busy <= m_busiest.ms)
        return handled;
    const QString what = QString("%1 for %2").arg(QMetaEnum::fromType<QEvent::Type>().valueToKey(type), name);
    if (ms > m_slowest.ms)
        m_slowest = {ms, what};
    if (busy > m_busiest.ms)
        m_busiest = {busy, what};
    return handled;
}

FileDialogs FileDialogs::ofDesktop() {
    return {[](QWidget* parent, const QString& title, const QString& folder, const QString& filter) {
                return QFileDialog::getOpenFileNames(parent, title, folder, filter);
            },
            [](QWidget* parent, const QString& title, const QString& path, const QString& filter) {
                return QFileDialog::getSaveFileName(parent, title, path, filter);
            },
            [](QWidget* parent, const QString& title, const QString& path) {
                return QFileDialog::getExistingDirectory(parent, title, path);
            }};
}

} // namespace hidet::ui
