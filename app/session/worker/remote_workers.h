// SPDX-License-Identifier: Apache-2.0
// Workers on other machines, by the names that the user gave them. They stand in one file of the user's own settings, a line each:
//
//     gpu = ssh gpu-server /opt/hidet/bin/hidetc worker   # comment
//
// and nowhere else: a script, a workspace or a checkout that could name a command would start what a stranger chose. A command is
// split here into words, by the quotes and backslashes of a shell, and runs without one: nothing in it is expanded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/base/result.h"

namespace hidet::session {

struct RemoteWorker {
    std::string name;
    std::vector<std::string> command; // empty: no other machine, but this one
};

// hidet/workers.conf in XDG_CONFIG_HOME or ~/.config. Empty: there is no such folder.
std::string remote_workers_file();

// What a file of them says, in its order: "bad-remote-workers", with the line.
Result<std::vector<RemoteWorker>> remote_workers_in(std::string_view text);
// The user's; of a file that is not there none.
Result<std::vector<RemoteWorker>> remote_workers();
// The words of the line 'fleet.NAME = ...', which is no worker but how a scheduler starts some (fleet/fleet.h); none: there is no
// such line.
Result<std::vector<std::string>> words_of_fleet(const std::string& name);
// "unknown-remote-worker": the message names those that there are, and the file.
Result<RemoteWorker> remote_worker_named(const std::string& name);

bool is_worker_name(std::string_view text);
// The name of the line, which is in the file from now on, in the place of one with that name: others and comments stay.
Result<std::string> keep_remote_worker(const std::string& line);

} // namespace hidet::session
