// SPDX-License-Identifier: GPL-3.0-only
// The measured runs of kernels, those of earlier sessions included, with their baselines and the texts that were run.
#pragma once

#include <functional>
#include <optional>

#include "app/session/kernel_bench/history.h"
#include "app/ui/core/record_store.h"

namespace hidet::ui {

class HistoryStore : public RecordStore<session::History, session::RunRecord> {
    Q_OBJECT
public:
    explicit HistoryStore(const QString& path, QObject* parent = nullptr)
        : RecordStore(path, tr("The history of runs: %1"), parent) {}

    const session::RunRecord* find(const std::string& when, int number) const {
        for (const session::RunRecord& run : runs())
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
        post([when = record.when, number = record.number](session::History& history) {
            return history.pin(when, number);
        });
    }

    void unpin(const std::string& key) {
        post([key](session::History& history) { return history.unpin(key); });
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
        ask(
            [records](session::History& history) {
                Texts texts;
                for (const session::RunRecord& record : records) {
                    Result<std::string> text = history.text_of(record);
                    texts.push_back(text ? std::optional(std::move(text).value()) : std::nullopt);
                }
                return texts;
            },
            std::move(taker));
    }

private:
    void taken() override { m_baselines = session::baselines_of(runs()); }

    session::Baselines m_baselines; // of runs()
};

} // namespace hidet::ui
