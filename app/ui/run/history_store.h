// SPDX-License-Identifier: GPL-3.0-only
// The history of runs on the GUI thread: the file is read and written on another one, in order; what is in it
// arrives as a list that does not change.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QObject>

#include "app/session/kernel_bench/history.h"
#include "app/ui/core/in_order.h"

namespace hidet::ui {

class HistoryStore : public QObject {
    Q_OBJECT
public:
    using Runs = std::vector<session::RunRecord>; // oldest first

    explicit HistoryStore(QString path, QObject* parent = nullptr);

    const Runs& runs() const { return *m_runs; }
    bool isCurrent() const { return m_underWay == 0; } // what was asked for is in runs()
    const session::RunRecord* find(const std::string& when, int number) const;
    const session::RunRecord* baseline(const std::string& key) const;

    // With the text that was run; changed() comes when it has its number.
    void append(session::RunRecord record, std::string text);
    void pin(const session::RunRecord& record);
    void unpin(const std::string& key);
    void rename(const session::RunRecord& record, const std::string& name);
    void clear(const std::string& script);            // all runs of a script
    void adopt(std::vector<session::RunRecord> runs); // as History::adopt

    // The texts that were run, one for each; nothing where it was not kept.
    using Texts = std::vector<std::optional<std::string>>;
    using TextsTaker = std::function<void(const Texts&)>;
    void fetch(const std::vector<session::RunRecord>& records, TextsTaker taker);

signals:
    void changed();
    void failed(QString sentence);

private:
    using Act = std::function<Result<void>(session::History&)>;
    void post(Act act);

    QString m_path;
    std::shared_ptr<const Runs> m_runs = std::make_shared<Runs>();
    session::Baselines m_baselines;              // of m_runs
    int m_underWay = 0;                          // of what was asked for
    std::shared_ptr<session::History> m_history; // of the writing thread
    InOrder m_writing;                           // last: what was asked for is written
};

} // namespace hidet::ui
