// SPDX-License-Identifier: GPL-3.0-only
// Which files are models, by their names and first bytes, and what happens to the files of open models: a file that changed
// on disk is read again, one that is gone keeps its graph here.
#pragma once

#include <QObject>

#include "app/ui/document/file_watch.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

// ONNX, and graph documents in JSON.
bool isModelFile(const QString& path);

class ModelFiles : public QObject {
    Q_OBJECT
public:
    ModelFiles(Studio& studio, QObject* parent);

    void checkNow(); // files of all models, as after a sign of change

private:
    void watch(LiveModel& model);
    void updateWatched();

    Studio& m_studio;
    FileWatch m_watch;
    QHash<const LiveModel*, FileStamp> m_seen; // as it was when it was read
};

} // namespace hidet::ui
