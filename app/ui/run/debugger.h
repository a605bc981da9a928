// SPDX-License-Identifier: GPL-3.0-only
// Debugs the kernel of the script in front on the emulator, forward and back. The script runs in a process of its own, as other
// editors have it (app/dap); what it says goes onto the DebugBoard. One script at a time: its text is that of the beginning,
// so the first edit ends it.
#pragma once

#include <memory>

#include <QJsonArray>

#include "app/ui/run/debug_link.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class Debugger : public QObject {
    Q_OBJECT
public:
    explicit Debugger(Studio& studio); // the studio's own from now on

private:
    void bindCommands();
    QString whyNot() const; // why neither can be started nor go on; empty: it can
    void start();
    QJsonObject launchOf(const Document& document) const;
    void sendBreakpoints();
    void sendWatched();
    void askForWriter(const QString& text);
    void move(const QString& request, QJsonObject arguments = {});
    void goThere(qint64 instruction);
    void pause();
    void ask(const QString& request, const QJsonObject& arguments = {}, DebugLink::OnAnswer answered = {});
    void end(const QString& sentence);
    void fail(const QString& sentence);

    void hear(const QString& event, const QJsonObject& body);
    void hearPlaced(const QJsonObject& breakpoint);
    void hearEnd(int code);
    // What is shown of a stop comes by many answers; a later look or a move makes those of before void.
    struct Look {
        DebugStop stop;
        int open = 0; // questions
    };
    using Looking = std::shared_ptr<Look>;
    void look(int group, DebugStop stop);
    void askOf(const Looking& look, const QString& request, const QJsonObject& arguments,
               std::function<void(const QJsonObject& body)> take);
    void takeScope(const Looking& look, const QString& scope, const QJsonArray& rows);
    void show(const DebugStop& stop);

    Studio& m_studio;
    DebugLink* m_link = nullptr; // null: nothing is debugged
    Document* m_document = nullptr;
    QHash<int, int> m_lines;   // of breakpoints, by the adapter's number
    bool m_isLaunched = false; // the kernel: what is said of breakpoints holds
    bool m_hasStood = false, m_hasFound = false;
    QString m_trouble; // what was said last of what is wrong with the script
    Looking m_look;    // null: all that was asked for is shown
};

} // namespace hidet::ui
