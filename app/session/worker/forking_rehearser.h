// SPDX-License-Identifier: Apache-2.0
// For programs that answer one question and leave: before the first evaluation the process becomes two. One goes on as the
// program, the other waits for it, and leaves as it did. If it dies, the other one goes on in its place, and says so. So
// nothing is evaluated twice.
#pragma once

#include "app/session/script/rehearsal.h"

namespace hidet::session {

class ForkingRehearser final : public Rehearser {
public:
    std::unique_ptr<Rehearsal> begin(RehearsalRequest request) override;
    void keep(std::unique_ptr<Rehearsal>, std::shared_ptr<void>) override {} // nothing was evaluated
    // The thread that began is the only one: nobody waits for it, and where its work ends the process has to.
    bool is_alone() const { return m_is_alone; }

private:
    bool m_is_alone = false;
};

} // namespace hidet::session
