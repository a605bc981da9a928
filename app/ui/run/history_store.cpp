// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/history_store.h"

#include <QFile>
#include <QSaveFile>

namespace hidet::ui {

HistoryStore::HistoryStore(QString path, QObject* parent)
    : QObject(parent), m_path(std::move(path)), m_history(std::make_shared<session::History>(m_path.toStdString())) {
    post([](session::History& history) { return history.load(); });
}

void HistoryStore::post(Act act) {
    m_writing.run([this, act = std::move(act), history = m_history] {
        const Result<void> done = act(*history);
        auto runs = std::make_shared<const Runs>(history->runs());
        const QString trouble = done ? QString() : QString::fromStdString(done.error().message);
        QMetaObject::invokeMethod(
            this,
            [this, runs = std::move(runs), trouble] {
                m_runs = runs;
                m_loaded = true;
                if (!trouble.isEmpty())
                    emit failed(tr("The history of runs: %1").arg(trouble));
                emit changed();
            },
            Qt::QueuedConnection);
    });
}

const session::RunRecord* HistoryStore::find(const std::string& when, int number) const {
    for (const session::RunRecord& run : *m_runs)
        if (run.when == when && run.number == number)
            return &run;
    return nullptr;
}

const session::RunRecord* HistoryStore::baseline(const std::string& key) const {
    for (const session::RunRecord& run : *m_runs)
        if (run.is_baseline && run.key() == key)
            return &run;
    return nullptr;
}

void HistoryStore::append(session::RunRecord record) {
    post([record = std::move(record)](session::History& history) mutable { return history.append(record); });
}

void HistoryStore::pin(const session::RunRecord& record) {
    post([when = record.when, number = record.number](session::History& history) -> Result<void> {
        if (auto pinned = history.pin(when, number); !pinned)
            return pinned.error();
        return {};
    });
}

void HistoryStore::unpin(const std::string& key) {
    post([key](session::History& history) { return history.unpin(key); });
}

// The file is the history's own; without the lines of the script it is written anew.
void HistoryStore::clear(const std::string& script) {
    post([script, path = m_path](session::History& history) -> Result<void> {
        Runs kept;
        for (const session::RunRecord& run : history.runs())
            if (run.script != script)
                kept.push_back(run);
        if (!QFile::remove(path) && QFile::exists(path))
            return Error{"history-unwritable", "the file of past runs cannot be removed"};
        history = session::History(path.toStdString());
        for (session::RunRecord& run : kept) {
            const bool baseline = run.is_baseline;
            if (auto done = history.append(run); !done)
                return done;
            if (baseline)
                if (auto done = history.pin(run.when, run.number); !done)
                    return done.error();
        }
        return {};
    });
}

} // namespace hidet::ui
