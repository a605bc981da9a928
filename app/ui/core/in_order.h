// SPDX-License-Identifier: GPL-3.0-only
// Work for another thread of which everything counts, one after the other: what writes files. All that was asked for is done
// before this object is gone.
#pragma once

#include <utility>

#include <QThreadPool>

namespace hidet::ui {

class InOrder {
public:
    InOrder() { m_thread.setMaxThreadCount(1); }
    ~InOrder() { wait(); }
    InOrder(const InOrder&) = delete;
    InOrder& operator=(const InOrder&) = delete;

    template <class Work>
    void run(Work work) {
        m_thread.start(std::move(work));
    }
    bool busy() const { return m_thread.activeThreadCount() > 0; }
    void wait() { m_thread.waitForDone(); }

private:
    QThreadPool m_thread;
};

} // namespace hidet::ui
