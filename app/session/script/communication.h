// SPDX-License-Identifier: Apache-2.0
// hidet.distributed over the groups of runtime/distributed.
#pragma once

#include <functional>
#include <memory>

#include "lang/host/modules/communication.h"

namespace hidet::session {

struct Gpu;
class Tools;

struct CommunicationOptions {
    // A script opens shared memory and the address that the environment names, and no more; a program of the user's, whatever
    // it asks for.
    bool is_program = false;
    bool meets_others = false; // a script: may be one of several processes; what is confined shares no memory with them
    std::function<bool()> is_cancelled = {}; // asked while others are waited for
    std::function<Gpu*()> gpu = {};          // null, or gives null: kernels are emulated
    std::shared_ptr<Tools> tools = {};       // null: NCCL is not looked for
};

std::shared_ptr<lang::Communication> make_communication(CommunicationOptions options);

} // namespace hidet::session
