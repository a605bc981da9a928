// SPDX-License-Identifier: GPL-3.0-only
// The measured runs of models, those of earlier sessions included, with the graphs that were measured.
#pragma once

#include <functional>

#include <QFileInfo>

#include "app/session/model/model_history.h"
#include "app/ui/core/record_store.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

class ModelHistoryStore : public RecordStore<session::ModelHistory, session::ModelRecord> {
    Q_OBJECT
public:
    explicit ModelHistoryStore(const QString& path, QObject* parent = nullptr)
        : RecordStore(path, tr("The runs of models: %1"), parent) {}

    // Newest first; of a kept run that is open, those of the model that it was measured of.
    Runs runsOf(const LiveModel& model) const {
        const std::string path = model.kept() ? model.kept()->model : model.path().toStdString();
        Runs out;
        for (auto run = runs().rbegin(); run != runs().rend(); ++run)
            if (run->model == path)
                out.push_back(*run);
        return out;
    }

    // With the graph before any pass; changed() comes when it has its number.
    void append(session::ModelRecord record, std::shared_ptr<const session::ModelGraph> imported) {
        post([record = std::move(record), imported = std::move(imported)](session::ModelHistory& history) mutable {
            return history.append(record, session::document_of(*imported));
        });
    }

    // Where the graph is, as a document; an empty path: it is not there any more.
    void fetchGraph(const session::ModelRecord& record, std::function<void(const QString& path)> taker) {
        ask(
            [record](session::ModelHistory& history) {
                const Result<std::string> file = history.graph_file(record);
                return file ? QFileInfo(QString::fromStdString(file.value())).absoluteFilePath() : QString();
            },
            std::move(taker));
    }
};

} // namespace hidet::ui
