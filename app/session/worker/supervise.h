// SPDX-License-Identifier: Apache-2.0
// Two processes are a worker. One does jobs: it runs scripts, native code and kernels of strangers, and is confined, sees
// no file of the user's, starts no program, has no network. The other one, which stays as it is, passes on what is asked of
// the first, and is its door: it opens the files that a job is about (rights.h), stores what a job may write, and has
// compilers do their work in confined processes of their own.
#pragma once

#include <string>
#include <vector>

#include "runtime/process/descriptor.h"

namespace hidet::session {

struct Supervised {
    process::Descriptor in;           // where requests come from
    process::Descriptor line;         // to the supervisor
    std::vector<std::string> records; // files that it may write, without a door
    std::string scratch;              // a folder that it may fill
};

// Greets whoever asks, then becomes two processes with the first request, while there is one thread. Returns in the one that
// does jobs, which is not confined yet; the other one ends with it, and as it did. A request that is about other records
// of tuning has the one replaced.
Supervised supervised(process::Descriptor requests, int answers, bool use_gpu);

} // namespace hidet::session
