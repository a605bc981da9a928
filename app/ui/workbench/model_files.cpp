// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/model_files.h"

#include <QFileInfo>

#include "app/session/package/graph_file.h"
#include "app/ui/core/recent_files.h"
#include "app/ui/workbench/live_model.h"
#include "lang/base/files.h"

namespace hidet::ui {

constexpr int file_settle_ms = 200;

bool isModelFile(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == "onnx")
        return true;
    if (suffix == "hidet") // a package is none
        return session::first_member_of(path.toStdString()) == session::graph_member;
    if (suffix != "json")
        return false;
    const Result<InputFile> file = InputFile::open(path.toStdString());
    const Result<std::string> start = file ? file.value().start(256, "") : file.error();
    return start && start.value().find("\"hidet-graph\"") != std::string::npos;
}

ModelFiles::ModelFiles(Studio& studio, QObject* parent)
    : QObject(parent), m_studio(studio), m_watch(file_settle_ms, [this] { checkNow(); }) {
    connect(&studio.tabs, &OpenTabs::modelAdded, this, [this](LiveModel* model) { watch(*model); });
    connect(&studio.tabs, &OpenTabs::modelClosing, this, [this](LiveModel* model) {
        m_seen.remove(model);
        QMetaObject::invokeMethod(this, &ModelFiles::updateWatched, Qt::QueuedConnection);
    });
}

void ModelFiles::watch(LiveModel& model) {
    m_seen[&model] = stampOf(model.path());
    if (!model.document() && !model.kept())
        addRecentFile(m_studio.settings, model.path());
    updateWatched();
}

void ModelFiles::updateWatched() {
    QStringList wanted;
    for (const LiveModel* model : m_studio.tabs.models())
        for (const QString& path : {model->path(), model->folder()})
            if (QFileInfo::exists(path) && !wanted.contains(path))
                wanted << path;
    m_watch.watchOnly(wanted);
}

void ModelFiles::checkNow() {
    for (LiveModel* model : m_studio.tabs.models()) {
        if (model->document())
            continue; // it is its text that counts
        const FileStamp now = stampOf(model->path());
        if (now == m_seen.value(model))
            continue;
        m_seen[model] = now;
        model->setGone(now.size < 0);
        if (now.size < 0) {
            m_studio.notices.showStatus(tr("%1 was deleted on disk. Its graph is still here.").arg(model->title()));
            continue;
        }
        model->setup().outdate();
        m_studio.notices.showStatus(tr("Reading %1 again, which changed on disk").arg(model->title()));
    }
    updateWatched();
}

} // namespace hidet::ui
