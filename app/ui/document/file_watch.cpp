// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/document/file_watch.h"

#include <QFileInfo>

namespace hidet::ui {

void watchOnly(QFileSystemWatcher& watcher, const QStringList& wanted) {
    const QStringList watched = watcher.files() + watcher.directories();
    for (const QString& path : watched)
        if (!wanted.contains(path))
            watcher.removePath(path);
    for (const QString& path : wanted)
        if (!watched.contains(path))
            watcher.addPath(path);
}

// A program that replaces a file takes it out of the watched ones; its folder tells of the new one.
FileWatch::FileWatch(int settle_ms, std::function<void()> changed) : m_pause(settle_ms, std::move(changed)) {
    QObject::connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_pause, qOverload<>(&QTimer::start));
    QObject::connect(&m_watcher, &QFileSystemWatcher::directoryChanged, &m_pause, qOverload<>(&QTimer::start));
}

FileStamp stampOf(const QString& path) {
    const QFileInfo file(path);
    return file.isFile() ? FileStamp{file.size(), file.lastModified().toMSecsSinceEpoch()} : FileStamp{};
}

} // namespace hidet::ui
