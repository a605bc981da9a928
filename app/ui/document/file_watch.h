// SPDX-License-Identifier: GPL-3.0-only
// What all that watch files have in common: which paths are watched, and how a file that changed is told from one that did not.
#pragma once

#include <QFileSystemWatcher>
#include <QString>
#include <QStringList>

#include "app/ui/core/one_shot.h"

namespace hidet::ui {

// Watches these paths and no others.
void watchOnly(QFileSystemWatcher& watcher, const QStringList& wanted);

// Says that watched files have changed, once their writers have settled: they change a file in several steps.
class FileWatch {
public:
    FileWatch(int settle_ms, std::function<void()> changed);
    void watchOnly(const QStringList& wanted) { ui::watchOnly(m_watcher, wanted); }

private:
    OneShot m_pause;
    QFileSystemWatcher m_watcher;
};

struct FileStamp {
    qint64 size = -1; // it is not there
    qint64 modified = 0;
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
FileStamp stampOf(const QString& path);

} // namespace hidet::ui
