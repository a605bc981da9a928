// SPDX-License-Identifier: GPL-3.0-only
// What the window says beside its views: sentences in the status line, and notices in the bar above the editor.
#pragma once

#include <QObject>

#include "app/ui/workbench/notice.h"

namespace hidet::ui {

class Commands;

class Notices : public QObject {
    Q_OBJECT
public:
    explicit Notices(Commands& commands) : m_commands(commands) {}

    // A sentence for the status line, and for screen readers.
    void showStatus(const QString& sentence) { emit said(sentence); }
    void withdrawStatus(const QString& sentence) { emit unsaid(sentence); } // it does not hold any more
    // Something went wrong with a file or with this machine, and what can be done next; shown in a bar above the editor,
    // never in a dialog. With offers it stays until one is taken or it is dismissed.
    void showError(const QString& sentence, const QList<Offer>& offers = {});
    void showOpenError(const FileError& error); // offers another file
    // The same bar, for what has something to offer: "x.py changed on disk" with Reload and Keep mine.
    void notify(const Notice& notice) { emit noticed(notice); }
    void withdraw(const QString& noticeId) { emit withdrawn(noticeId); }

signals:
    void said(QString sentence);
    void unsaid(QString sentence);
    void noticed(hidet::ui::Notice notice);
    void withdrawn(QString noticeId);

private:
    Commands& m_commands;
};

} // namespace hidet::ui
