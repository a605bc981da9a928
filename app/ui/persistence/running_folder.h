// SPDX-License-Identifier: GPL-3.0-only
// What a running program keeps against its own death: a folder of the state folder, named by its process, with a lock that
// dies with it, the list of its scripts, a swap file for each script with unsaved text, and the names of the files that it
// is opening. Whoever finds a folder whose lock is free takes over what it holds.
//
// Files are written on a thread of their own, in order; but the names at once, as a file may end the program that opens it.
#pragma once

#include <atomic>
#include <memory>

#include <QLockFile>
#include <QObject>

#include "app/ui/core/in_order.h"
#include "app/ui/persistence/kept_session.h"

namespace hidet::ui {

class RunningFolder : public QObject {
    Q_OBJECT
public:
    explicit RunningFolder(const QString& stateFolder);
    ~RunningFolder() override;

    bool isUsable() const { return m_lock && m_lock->isLocked(); } // false: the state folder cannot be written
    QString path() const { return m_path; }

    // Without the unsaved texts: those are swap files.
    void keep(const KeptSession& session);
    void swap(const KeptDocument& document); // its text is kept
    void drop(const KeptDocument& document); // it was saved, or closed
    void setOpening(const QStringList& paths);
    bool isWriting() const { return m_writing.busy(); }
    bool flush();  // waits until all is written; false: something could not be
    void remove(); // all is kept elsewhere
    void leave();  // what is there stays for the next start, as of a window that was closed

    struct Found {
        KeptSession session;
        QStringList opening; // paths of files, when it crashed
        bool crashed = true; // false: a window that was closed while another kept the session
        std::unique_ptr<QLockFile> lock;
        QString path;
        void remove(); // it is restored, and kept by another
    };
    // Of processes that are gone. Two programs that look at once find different ones.
    static std::vector<Found> takeDead(const QString& stateFolder);

private:
    QString fileOf(const KeptDocument& document) const;
    void write(const QString& path, const QJsonObject& json);

    QString m_path;
    std::unique_ptr<QLockFile> m_lock;
    std::atomic<bool> m_failed = false;
    InOrder m_writing;
};

} // namespace hidet::ui
