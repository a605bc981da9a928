// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/runs/model_history_store.h"

#include <QFileInfo>

#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

ModelHistoryStore::ModelHistoryStore(QString path, QObject* parent)
    : QObject(parent), m_history(std::make_shared<session::ModelHistory>(path.toStdString())) {
    post([](session::ModelHistory& history) { return history.load(); });
}

void ModelHistoryStore::post(Act act) {
    m_writing.run([this, act = std::move(act), history = m_history] {
        const Result<void> done = act(*history);
        const std::string why = done ? std::string() : done.error().message;
        QMetaObject::invokeMethod(
            this, [this, why, runs = std::make_shared<const Runs>(history->runs())] { take(runs, why); },
            Qt::QueuedConnection);
    });
}

void ModelHistoryStore::take(std::shared_ptr<const Runs> runs, const std::string& why) {
    m_runs = std::move(runs);
    if (!why.empty())
        emit failed(tr("The runs of models: %1").arg(QString::fromStdString(why)));
    emit changed();
}

ModelHistoryStore::Runs ModelHistoryStore::runsOf(const LiveModel& model) const {
    const std::string path = model.kept() ? model.kept()->model : model.path().toStdString();
    Runs out;
    for (auto run = m_runs->rbegin(); run != m_runs->rend(); ++run)
        if (run->model == path)
            out.push_back(*run);
    return out;
}

void ModelHistoryStore::append(session::ModelRecord record, std::shared_ptr<const session::ModelGraph> imported) {
    post([record = std::move(record), imported = std::move(imported)](session::ModelHistory& history) mutable {
        return history.append(record, session::document_of(*imported));
    });
}

void ModelHistoryStore::rename(const session::ModelRecord& record, const std::string& name) {
    post([when = record.when, number = record.number, name](session::ModelHistory& history) -> Result<void> {
        if (auto named = history.rename(when, number, name); !named)
            return named.error();
        return {};
    });
}

void ModelHistoryStore::fetchGraph(const session::ModelRecord& record, std::function<void(const QString& path)> taker) {
    m_writing.run([this, record, taker = std::move(taker), history = m_history] {
        const Result<std::string> file = history->graph_file(record);
        const QString path = file ? QFileInfo(QString::fromStdString(file.value())).absoluteFilePath() : QString();
        QMetaObject::invokeMethod(
            this, [taker, path] { taker(path); }, Qt::QueuedConnection);
    });
}

} // namespace hidet::ui
