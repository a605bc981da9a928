// SPDX-License-Identifier: GPL-3.0-only
// The application object: watches that no event keeps the window busy, and asks for files. Tests put their own answers in
// the place of the file dialogs.
#pragma once

#include <chrono>
#include <functional>

#include <QApplication>
#include <QStringList>

namespace hidet::ui {

class Application : public QApplication {
    Q_OBJECT
public:
    Application(int& argc, char** argv);
    ~Application() override; // when nothing is computed any more

    bool notify(QObject* receiver, QEvent* event) override;

    // The event that took longest since resetSlowest(): milliseconds, and what it was.
    struct SlowEvent {
        double ms = 0;
        std::chrono::steady_clock::time_point begun, ended;
        QString what; // "UpdateRequest for hidet::ui::MainWindow, 3.0 ms of it Paint for hidet::ui::CodeView"
    };
    const SlowEvent& slowest() const { return m_slowest; }
    // Likewise by the processor time of the window's thread, which other programs do not lengthen.
    const SlowEvent& busiest() const { return m_busiest; }
    void resetSlowest() { m_slowest = m_busiest = {}; }
    // The event at hand is passed on to this one, whose time it is.
    void passesTo(const QObject* who) { m_passed = who->metaObject()->className(); }

private:
    bool notifyPart(QObject* receiver, QEvent* event);

    SlowEvent m_slowest, m_busiest;
    const char* m_passed = nullptr; // the class, for the object may be gone
    int m_depth = 0;                // an event that is sent while another is handled is part of that one
    SlowEvent m_part;               // the longest of those
};

// What the program asks of the desktop's file dialogs; an empty answer is a refusal.
struct FileDialogs {
    std::function<QStringList(QWidget* parent, const QString& title, const QString& folder, const QString& filter)>
        open;
    std::function<QString(QWidget* parent, const QString& title, const QString& path, const QString& filter)> save;
    std::function<QString(QWidget* parent, const QString& title, const QString& path)> folder;
    static FileDialogs ofDesktop();
};

} // namespace hidet::ui
