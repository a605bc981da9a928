// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/persistence/workspace_paths.h"

#include <QDir>

#include "app/ui/core/paths.h"

namespace hidet::ui {

namespace {

const QString samples_mark = QStringLiteral("$samples/");

bool isBelow(const QString& folder, const QString& path) {
    return !folder.isEmpty() && path.startsWith(folder.endsWith('/') ? folder : folder + '/');
}

// A common folder that says that the two belong together.
bool isShared(const QString& common) {
    return common.size() > 1 && common != QDir::cleanPath(QDir::homePath()) &&
           common != QDir::cleanPath(QDir::tempPath());
}

QString commonFolder(QString folder, const QString& path) {
    while (folder.size() > 1 && !isBelow(folder, path))
        folder = QDir::cleanPath(folder + "/..");
    return folder;
}

} // namespace

QString pathFrom(const QString& folder, const QString& path) {
    if (path.isEmpty() || QDir::isRelativePath(path))
        return path;
    const QString here = QDir::cleanPath(folder), file = QDir::cleanPath(path);
    const QString samples = samplesFolder().isEmpty() ? QString() : QDir::cleanPath(samplesFolder());
    if (!isBelow(here, file)) {
        if (isBelow(samples, file))
            return samples_mark + file.mid(samples.size() + 1);
        if (!isShared(commonFolder(here, file)))
            return file;
    }
    const QString out = QDir(here).relativeFilePath(file);
    return out.startsWith('$') ? "./" + out : out;
}

QString pathIn(const QString& folder, const QString& named) {
    if (named.isEmpty())
        return named;
    if (named.startsWith(samples_mark))
        return QDir::cleanPath(samplesFolder() + '/' + named.mid(samples_mark.size()));
    return QDir::cleanPath(QDir::isRelativePath(named) ? folder + '/' + named : named);
}

} // namespace hidet::ui
