// SPDX-License-Identifier: GPL-3.0-only
// The application object: watches that no event keeps the window busy, and asks for files. Tests put their own answers in
// the place of the file dialogs.
#pragma once

#include <functional>

#include <QApplication>
#include <QElapsedTimer>
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
        QString what; // "Paint for hidet::ui::CodeView"
    };
    const SlowEvent& slowest() const { return m_slowest; }
    // Likewise by the processor time of the window's thread, which other programs do not lengthen.
    const SlowEvent& busiest() const { return m_busiest; }
    void resetSlowest() { m_slowest = m_busiest = {}; }

private:
    SlowEvent m_slowest, m_busiest;
    int m_depth = 0; // an event that is sent while another is handled is part of that one
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
