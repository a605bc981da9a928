// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/application.h"

#include <algorithm>
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

static double milliseconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

static QString nameOf(QEvent::Type type, const char* receiver) {
    return QString("%1 for %2").arg(QMetaEnum::fromType<QEvent::Type>().valueToKey(type), receiver);
}

Application::Application(int& argc, char** argv) : QApplication(argc, argv) {}

Application::~Application() {
    waitForWork();
}

bool Application::notify(QObject* receiver, QEvent* event) {
    if (m_depth > 0)
        return notifyPart(receiver, event);
    // The receiver may be gone when its event has been handled.
    const char* name = receiver->metaObject()->className();
    const QEvent::Type type = event->type();
    m_passed = nullptr;
    m_part = {};
    ++m_depth;
    const auto begun = std::chrono::steady_clock::now();
    const double begunBusy = processorTime();
    const bool handled = QApplication::notify(receiver, event);
    --m_depth;
    const double busy = processorTime() - begunBusy;
    const auto ended = std::chrono::steady_clock::now();
    const double ms = milliseconds(ended - begun);
    if (ms <= m_slowest.ms && busy <= m_busiest.ms)
        return handled;
    QString what = nameOf(type, name);
    if (m_passed)
        what += QString(", telling %1").arg(m_passed);
    if (m_part.ms > 0)
        what += QString(", %1 ms of it %2").arg(m_part.ms, 0, 'f', 1).arg(m_part.what);
    if (ms > m_slowest.ms)
        m_slowest = {ms, begun, ended, what};
    if (busy > m_busiest.ms)
        m_busiest = {busy, begun, ended, what};
    return handled;
}

// What it sends in its turn is not looked at: it is in its time. Names are made for those that take long only.
bool Application::notifyPart(QObject* receiver, QEvent* event) {
    if (m_depth > 1)
        return QApplication::notify(receiver, event);
    const char* name = receiver->metaObject()->className();
    const QEvent::Type type = event->type();
    ++m_depth;
    const auto begun = std::chrono::steady_clock::now();
    const bool handled = QApplication::notify(receiver, event);
    --m_depth;
    const auto ended = std::chrono::steady_clock::now();
    if (const double ms = milliseconds(ended - begun); ms > std::max(1.0, m_part.ms))
        m_part = {ms, begun, ended, nameOf(type, name)};
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
