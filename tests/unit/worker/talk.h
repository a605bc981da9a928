// SPDX-License-Identifier: Apache-2.0
// Asks a service and waits for what it says, with an end to the waiting.
#pragma once

#include <chrono>
#include <condition_variable>
#include <doctest/doctest.h>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/session/worker/service.h"
#include "tests/unit/process/watched.h"

namespace hidet::test {

inline constexpr std::chrono::seconds patience(60); // what takes longer is a failure

// Prints "begun" and never ends by itself.
inline constexpr const char* endless_script = R"(
import hidet
from hidet.lang import attrs, i32

with hidet.script_module() as m:
    @hidet.script
    def launch(n: i32) -> i32:
        attrs.func_kind = 'public'
        i = 0
        while i < n:
            i = i * 2
        return i
print('begun')
m.build()(3)
)";

// One job, seen from outside.
class Talk {
public:
    Talk(session::Service& service, session::Job job) : m_service(service) {
        auto shared = m_shared;
        m_ticket = service.submit(
            std::move(job),
            [shared](const session::JobEvent& event) {
                std::lock_guard lock(shared->mutex);
                if (shared->answer)
                    shared->late = true;
                if (event.kind == session::JobEvent::Kind::Printed)
                    shared->heard += event.text;
                else
                    shared->doing = event.text;
                shared->progress += event.kind == session::JobEvent::Kind::Progress;
                ++shared->events;
                shared->changed.notify_all();
            },
            [shared](session::Answer answer) {
                std::lock_guard lock(shared->mutex);
                ++shared->answers;
                shared->answer = std::move(answer);
                shared->changed.notify_all();
            });
    }
    session::Ticket ticket() const { return m_ticket; }
    void cancel() { m_service.cancel(m_ticket); }
    // What was printed, once something was.
    std::string hear() {
        wait([this] { return m_shared->events > 0 || m_shared->answer; });
        std::lock_guard lock(m_shared->mutex);
        return m_shared->heard;
    }
    // Until the job says that it is at this.
    void await(const std::string& doing) {
        wait([&] { return m_shared->doing.starts_with(doing) || m_shared->answer; });
    }
    session::Answer answer() {
        wait([this] { return m_shared->answer.has_value(); });
        std::lock_guard lock(m_shared->mutex);
        return *m_shared->answer;
    }
    int answers() const {
        std::lock_guard lock(m_shared->mutex);
        return m_shared->answers;
    }
    int progress() const { // how often some was told
        std::lock_guard lock(m_shared->mutex);
        return m_shared->progress;
    }
    bool heard_late() const {
        std::lock_guard lock(m_shared->mutex);
        return m_shared->late;
    }

private:
    struct Shared {
        std::mutex mutex;
        std::condition_variable changed;
        std::string heard;
        std::string doing; // the last progress that was told
        int events = 0;
        int progress = 0;
        int answers = 0;
        bool late = false; // an event after the answer
        std::optional<session::Answer> answer;
    };
    void wait(const std::function<bool()>& condition) {
        std::unique_lock lock(m_shared->mutex);
        if (!m_shared->changed.wait_for(lock, patience, condition))
            FAIL("nothing came in ", std::to_string(patience.count()), " s");
    }

    session::Service& m_service;
    session::Ticket m_ticket = 0;
    std::shared_ptr<Shared> m_shared = std::make_shared<Shared>();
};

inline const char* ended_name(const session::Answer& answer) {
    switch (answer.ended) {
    case session::Ended::Answered: return "answered";
    case session::Ended::Refused: return "refused";
    case session::Ended::Cancelled: return "cancelled";
    case session::Ended::WorkerLost: return "worker lost";
    }
    return "";
}

// "answered", "worker-died: the worker ...".
inline std::string story(const session::Answer& answer) {
    if (answer.reason.code.empty())
        return ended_name(answer);
    return answer.reason.code + ": " + answer.reason.message;
}

} // namespace hidet::test
