// SPDX-License-Identifier: GPL-3.0-only
// The history of runs on the GUI thread: the file is read and written on another one, in order; what is in it
// arrives as a list that does not change.
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/kernel_bench/history.h"
#include "app/ui/core/in_order.h"

namespace hidet::ui {

class HistoryStore : public QObject {
    Q_OBJECT
public:
    using Runs = std::vector<session::RunRecord>; // oldest first

    explicit HistoryStore(QString path, QObject* parent = nullptr)
        : QObject(parent), m_path(std::move(path)),
          m_history(std::make_shared<session::History>(m_path.toStdString())) {
        post([](session::History& history) { return history.load(); });
    }

    const Runs& runs() const { return *m_runs; }
    bool isCurrent() const { return m_underWay == 0; } // what was asked for is in runs()
    const session::RunRecord* find(const std::string& when, int number) const {
        for (const session::RunRecord& run : *m_runs)
            if (run.when == when && run.number == number)
                return &run;
        return nullptr;
    }

    const session::RunRecord* baseline(const std::string& key) const {
        const auto found = m_baselines.find(key);
        return found == m_baselines.end() ? nullptr : found->second;
    }

    // With the text that was run; changed() comes when it has its number.
    void append(session::RunRecord record, std::string text) {
        post([record = std::move(record), text = std::move(text)](session::History& history) mutable {
            return history.append(record, text);
        });
    }

    void pin(const session::RunRecord& record) {
        post([when = record.when, number = record.number](session::History& history) -> Result<void> {
            if (auto pinned = history.pin(when, number); !pinned)
                return pinned.error();
            return {};
        });
    }

    void unpin(const std::string& key) {
        post([key](session::History& history) { return history.unpin(key); });
    }

    void rename(const session::RunRecord& record, const std::string& name) {
        post([when = record.when, number = record.number, name](session::History& history) -> Result<void> {
            if (auto named = history.rename(when, number, name); !named)
                return named.error();
            return {};
        });
    }

    // all runs of a script
    void clear(const std::string& script) {
        post([script](session::History& history) { return history.forget(script); });
    }

    // as History::adopt
    void adopt(std::vector<session::RunRecord> runs) {
        if (!runs.empty())
            post([runs = std::move(runs)](session::History& history) { return history.adopt(runs); });
    }

    // The texts that were run, one for each; nothing where it was not kept.
    using Texts = std::vector<std::optional<std::string>>;
    using TextsTaker = std::function<void(const Texts&)>;
    void fetch(const std::vector<session::RunRecord>& records, TextsTaker taker) {
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

signals:
    void changed();
    void failed(QString sentence);

private:
    using Act = std::function<Result<void>(session::History&)>;
    void post(Act act) {
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

    QString m_path;
    std::shared_ptr<const Runs> m_runs = std::make_shared<Runs>();
    session::Baselines m_baselines;              // of m_runs
    int m_underWay = 0;                          // of what was asked for
    std::shared_ptr<session::History> m_history; // of the writing thread
    InOrder m_writing;                           // last: what was asked for is written
};

} // namespace hidet::ui
