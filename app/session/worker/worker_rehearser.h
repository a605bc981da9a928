// SPDX-License-Identifier: Apache-2.0
// Rehearses in a worker that is always ready. A program installs one (set_rehearser) before it evaluates anything.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/session/script/rehearsal.h"

namespace hidet::session {

struct RehearserOptions {
    std::vector<std::string> command = {}; // of the worker; empty: 'hidetc worker' from beside this program
    // Until an evaluation counts as hanging, which its budget of steps ends long before.
    double hang_seconds = 120;
    // Told once, in a sentence, that no worker can be started and so everything is evaluated unwatched.
    std::function<void(const std::string&)> unwatched = {};
};

class WorkerRehearser final : public Rehearser {
public:
    explicit WorkerRehearser(RehearserOptions options = {});
    ~WorkerRehearser() override;

    std::unique_ptr<Rehearsal> begin(RehearsalRequest request) override;
    void keep(std::unique_ptr<Rehearsal> rehearsal, std::shared_ptr<void> made) override;

private:
    class Impl;
    class Asked;
    struct Kept {
        std::unique_ptr<Rehearsal> rehearsal;
        std::shared_ptr<void> made;
    };
    void sweep();

    std::unique_ptr<Impl> m_impl;
    std::mutex m_mutex;
    std::vector<Kept> m_kept; // which may not be destroyed yet
};

} // namespace hidet::session
