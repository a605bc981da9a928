// SPDX-License-Identifier: Apache-2.0
// How the processes that torchrun, or anything that sets the same variables, has started find each other.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/distributed/store.h"

namespace hidet::distributed {

using Variable = std::function<std::optional<std::string>(const char* name)>; // of the environment
std::optional<std::string> variable_of_process(const char* name);

struct Membership {
    int rank = 0;
    int size = 1;
    int local_rank = 0; // the number of its GPU
};

// What RANK, WORLD_SIZE and LOCAL_RANK say; nothing: nobody has started this process as one of several.
Result<std::optional<Membership>> membership_of(const Variable& variable);

// "env://", "file:///path" and "tcp://host:port", as init_process_group() of PyTorch has them.
Result<std::unique_ptr<Store>> open_store(const std::string& method, const Membership& member, const Patience& patience,
                                          const Variable& variable);

} // namespace hidet::distributed
