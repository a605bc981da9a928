// SPDX-License-Identifier: Apache-2.0
// Calls of compiled code, made on a thread of their own: nothing stops machine code that never ends, but who asked for it can
// leave it. A call that was left runs on until the process ends, with all that its body holds.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace hidet::session {

class CallThread {
public:
    CallThread();
    ~CallThread(); // of a call that was left it waits for nothing
    CallThread(const CallThread&) = delete;
    CallThread& operator=(const CallThread&) = delete;

    enum class Ended { Returned, TimedOut, Cancelled };
    // The body owns, or shares, all that it uses. What it throws is thrown here. `seconds` 0: as long as it likes;
    // `cancelled` may be null. After a call that was left there is no other.
    Ended run(std::function<void()> body, double seconds, const std::atomic<bool>* cancelled);

    // The way by which a body reaches whoever waits for it. Once the call was left it does nothing; while it does something
    // no call is left.
    using Door = std::function<void(const std::function<void()>&)>;
    Door door() const;

private:
    struct State;
    std::shared_ptr<State> m_state;
};

} // namespace hidet::session
