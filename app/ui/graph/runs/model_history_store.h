// SPDX-License-Identifier: GPL-3.0-only
// The measured runs of models on the GUI thread, of this session and of earlier ones: the file is read and written on another
// thread, in order; what is in it arrives as a list that does not change.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QObject>

#include "app/session/model/model_history.h"
#include "app/ui/core/in_order.h"

namespace hidet::ui {

class LiveModel;

class ModelHistoryStore : public QObject {
    Q_OBJECT
public:
    using Runs = std::vector<session::ModelRecord>; // oldest first

    explicit ModelHistoryStore(QString path, QObject* parent = nullptr);

    const Runs& runs() const { return *m_runs; }
    // Newest first; of a kept run that is open, those of the model that it was measured of.
    Runs runsOf(const LiveModel& model) const;

    // With the graph before any pass; changed() comes when it has its number.
    void append(session::ModelRecord record, std::shared_ptr<const session::ModelGraph> imported);
    void rename(const session::ModelRecord& record, const std::string& name);
    // Where the graph is, as a document; an empty path: it is not there any more.
    void fetchGraph(const session::ModelRecord& record, std::function<void(const QString& path)> taker);

signals:
    void changed();
    void failed(QString sentence);

private:
    using Act = std::function<Result<void>(session::ModelHistory&)>;
    void post(Act act);
    void take(std::shared_ptr<const Runs> runs, const std::string& why); // why it was not written

    std::shared_ptr<const Runs> m_runs = std::make_shared<Runs>();
    std::shared_ptr<session::ModelHistory> m_history; // of the writing thread
    InOrder m_writing;                                // last: what was asked for is written
};

} // namespace hidet::ui
