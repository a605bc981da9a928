// SPDX-License-Identifier: Apache-2.0
// The pipeline behind an editor: a text at every keystroke in, snapshots of its stages out.
//
// submit() returns at once. The newest request wins: it cancels what is under way for an older one (evaluation, passes,
// compilations), and once submit() has returned nothing of an older revision is published any more. Each text is read and
// evaluated once, at once, on a thread of its own (analysis.h); another takes what that found to IR and generated text, once
// the request's pause is over; others compile that text, and no text ever waits for a compilation. A crash of ours is a
// diagnostic of its revision, and the session goes on.
#pragma once

#include <functional>
#include <memory>

#include "app/session/live/live_snapshot.h"

namespace hidet::session {

struct LiveOptions {
    std::shared_ptr<Tools> tools; // null: nothing is compiled, forms that need a compiler are missing
    // Called on threads of the session, one call at a time, in order. It must be quick, as submit() waits for the call that is
    // under way, and must not call the session.
    std::function<void(std::shared_ptr<const LiveSnapshot>)> listener;
    int threads = 1; // that compile; a pool of compile workers wants as many as it has workers
};

class LiveSession {
public:
    explicit LiveSession(LiveOptions options);
    ~LiveSession(); // stop()
    LiveSession(const LiveSession&) = delete;
    LiveSession& operator=(const LiveSession&) = delete;

    // Revisions must grow; one that does not is ignored.
    void submit(LiveRequest request);
    // Cancels and joins; nothing is published after it returns, and submit() does nothing.
    void stop();

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace hidet::session
