// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/history_store.h"

namespace hidet::ui {

HistoryStore::HistoryStore(QString path, QObject* parent)
    : QObject(parent), m_path(std::move(path)), m_history(std::make_shared<session::History>(m_path.toStdString())) {
    post([](session::History& history) { return history.load(); });
}

void HistoryStore::post(Act act) {
    ++m_underWay;
    m_writing.run([this, act = std::move(act), history = m_history] {
        const Result<void> done = act(*history);
        auto runs = std::make_shared<const Runs>(history->runs());
        session::Baselines baselines = session::baselines_of(*runs);
        const QString trouble = done ? QString() : QString::fromStdString(done.error().message);
        QMetaObject::invokeMethod(
            this,
            [this, runs = std::move(runs), baselines = std::move(baselines), trouble] {
                m_runs = runs;
                m_baselines = baselines;
                --m_underWay;
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
    const auto found = m_baselines.find(key);
    return found == m_baselines.end() ? nullptr : found->second;
}

void HistoryStore::append(session::RunRecord record, std::string text) {
    post([record = std::move(record), text = std::move(text)](session::History& history) mutable {
        return history.append(record, text);
    });
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

void HistoryStore::rename(const session::RunRecord& record, const std::string& name) {
    post([when = record.when, number = record.number, name](session::History& history) -> Result<void> {
        if (auto named = history.rename(when, number, name); !named)
            return named.error();
        return {};
    });
}

void HistoryStore::clear(const std::string& script) {
    post([script](session::History& history) { return history.forget(script); });
}

void HistoryStore::adopt(std::vector<session::RunRecord> runs) {
    if (!runs.empty())
        post([runs = std::move(runs)](session::History& history) { return history.adopt(runs); });
}

void HistoryStore::fetch(const std::vector<session::RunRecord>& records, TextsTaker taker) {
    m_writing.run([this, records, taker = std::move(taker), history = m_history] {
        Texts texts;
        for (const session::RunRecord& record : records) {
            Result<std::string> text = history->text_of(record);
            texts.push_back(text ? std::optional(std::move(text).value()) : std::nullopt);
        }
        QMetaObject::invokeMethod(
            this, [taker, texts = std::move(texts)] { taker(texts); }, Qt::QueuedConnection);
    });
}

} // namespace hidet::ui
