// SPDX-License-Identifier: GPL-3.0-only
// Work for another thread of which only the newest run counts: a new run cancels the one before it, and what an older one
// finds is dropped. Its result arrives on the GUI thread, and no longer once this object is gone.
#pragma once

#include <atomic>
#include <memory>
#include <type_traits>
#include <utility>

#include <QCoreApplication>
#include <QMetaObject>

#include "app/ui/core/background.h"
#include "lang/base/lower_priority.h"

namespace hidet::ui {

class LatestTask {
public:
    // What the window shows while somebody types leaves the processor to others that want it. What a person asked for, and
    // waits for, does not: beside a program that takes all cores it would never end.
    enum class Wanted { ByWindow, ByPerson };
    explicit LatestTask(Wanted wanted = Wanted::ByWindow) : m_wanted(wanted) {}
    ~LatestTask() { cancel(); }
    LatestTask(const LatestTask&) = delete;
    LatestTask& operator=(const LatestTask&) = delete;

    // `work` gets the flag that says that nobody waits any more; `done` gets what it returns, unless that is so.
    template <class Work, class Done>
    void run(Work work, Done done) {
        cancel();
        auto stop = std::make_shared<std::atomic<bool>>(false);
        m_stop = stop;
        m_busy = true;
        QThreadPool& threads = m_wanted == Wanted::ByPerson ? askedFor() : background();
        threads.start([this, stop, stepsBack = m_wanted == Wanted::ByWindow, work = std::move(work),
                       done = std::move(done)]() mutable {
            if (*stop)
                return;
            if (stepsBack)
                lower_priority();
            using Result = std::invoke_result_t<Work&, const std::atomic<bool>&>;
            auto result = std::make_shared<Result>(work(*stop));
            QMetaObject::invokeMethod(
                qApp,
                [this, stop, result, done = std::move(done)] {
                    // The flag is set on this thread, by the destructor too: while it is not, this object is there.
                    if (*stop)
                        return;
                    m_busy = false;
                    done(std::move(*result));
                },
                Qt::QueuedConnection);
        });
    }
    void cancel() {
        if (m_stop)
            *m_stop = true;
        m_busy = false;
    }
    bool busy() const { return m_busy; }

private:
    std::shared_ptr<std::atomic<bool>> m_stop;
    bool m_busy = false;
    Wanted m_wanted;
};

} // namespace hidet::ui
