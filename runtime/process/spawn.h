// SPDX-License-Identifier: Apache-2.0
// The one place where a program is started.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "lang/base/result.h"
#include "runtime/process/confine.h"

namespace hidet::process {

struct SpawnRequest {
    std::vector<std::string> words = {};       // words[0] is a path, or a name on PATH
    std::vector<std::string> environment = {}; // all of it: "NAME=value"
    std::string folder = {};                   // where it works; "": where we do
    int streams[3] = {-1, -1, -1};             // of ours, that it has as 0, 1 and 2; no other file is open in it
    pid_t group = 0;                           // that it joins; 0: it leads one of its own
    const Confinement* confinement = nullptr;  // null: it may what we may
};

// Its number, which somebody has to wait for. "process-not-started".
Result<pid_t> spawn(SpawnRequest request);

// Where a program is that may be a name on PATH; itself where there is none.
std::string program_path(const std::string& name);

// The command of this process, word by word; words[0] is the path of its program.
std::vector<std::string> own_command();

// Ours, with these "NAME=value" set or replaced.
std::vector<std::string> environment_with(const std::vector<std::string>& variables);

} // namespace hidet::process
