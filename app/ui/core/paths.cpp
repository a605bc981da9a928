// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/paths.h"

#include <QCoreApplication>
#include <QDir>
#include <QStandardPaths>

namespace hidet::ui {

QString stateFolder() {
    // Qt 6.4 has no name for this place.
    QString base = qEnvironmentVariable("XDG_STATE_HOME");
    if (base.isEmpty() || !QDir::isAbsolutePath(base))
        base = QDir::homePath() + "/.local/state";
    const QString folder = base + "/hidet-studio";
    QDir().mkpath(folder);
    return folder;
}

QString dataFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/hidet-studio";
}

QString programFolder() {
    return QCoreApplication::applicationDirPath();
}

QString samplesFolder() {
    // Installed beside the program's share, or in the tree that the program was built in.
    for (const QString& folder : {programFolder() + "/../share/hidet-studio/samples",
                                  programFolder() + "/../../../samples", programFolder() + "/../samples"})
        if (QDir(folder + "/kernels").exists())
            return QDir(folder).canonicalPath();
    return {};
}

} // namespace hidet::ui
