// SPDX-License-Identifier: GPL-3.0-only
// Kept runs on the GUI thread, of kernels or of models: their file is read and written on another one, in order; what is in it
// arrives as a list that does not change.
#pragma once

#include <memory>
#include <vector>

#include <QObject>

#include "app/ui/core/in_order.h"
#include "lang/base/result.h"

namespace hidet::ui {

class RecordSignals : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

signals:
    void changed();
    void failed(QString sentence); // what was asked for could not be written
};

template <class History, class Record>
class RecordStore : public RecordSignals {
public:
    using Runs = std::vector<Record>; // oldest first

    // `trouble`: "The history of runs: %1"
    RecordStore(const QString& path, QString trouble, QObject* parent)
        : RecordSignals(parent), m_trouble(std::move(trouble)),
          m_history(std::make_shared<History>(path.toStdString())) {
        post([](History& history) { return history.load(); });
    }

    const Runs& runs() const { return *m_runs; }
    bool isCurrent() const { return m_underWay == 0; } // what was asked for is in runs()

    void rename(const Record& record, const std::string& name) {
        post([when = record.when, number = record.number, name](History& history) {
            return history.rename(when, number, name);
        });
    }

protected:
    // What changes the history, and returns a Result.
    template <class Act>
    void post(Act act) {
        ++m_underWay;
        m_writing.run([this, act = std::move(act), history = m_history]() mutable {
            const auto done = act(*history);
            deliver([this, why = done ? QString() : QString::fromStdString(done.error().message),
                     runs = std::make_shared<const Runs>(history->runs())] {
                m_runs = runs;
                --m_underWay;
                taken();
                if (!why.isEmpty())
                    emit failed(m_trouble.arg(why));
                emit changed();
            });
        });
    }
    // What reads it; the window's thread gets the answer.
    template <class Question, class Taker>
    void ask(Question question, Taker taker) {
        m_writing.run([this, question = std::move(question), taker = std::move(taker), history = m_history] {
            deliver([taker, answer = question(*history)] { taker(answer); });
        });
    }
    virtual void taken() {} // before changed()

private:
    template <class Act>
    void deliver(Act act) {
        QMetaObject::invokeMethod(this, std::move(act), Qt::QueuedConnection);
    }

    const QString m_trouble;
    std::shared_ptr<const Runs> m_runs = std::make_shared<Runs>();
    int m_underWay = 0;                 // of what was asked for
    std::shared_ptr<History> m_history; // of the writing thread
    InOrder m_writing;                  // last: what was asked for is written
};

} // namespace hidet::ui
