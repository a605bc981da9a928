// SPDX-License-Identifier: Apache-2.0
// Workers that the scheduler of a cluster starts, wherever it has room: each is a command of this machine, whose streams are the
// worker's. To us they are like workers on other machines (worker/remote_workers.h), but for the time that they wait in a queue.
//
// What the scheduler needs to know stands in the user's settings, in the file of the remote workers and nowhere else:
//
//     fleet.slurm = --partition=gpu --gres=gpu:1 -- /opt/hidet/bin/hidetc worker
//     fleet.ray   = http://head:8265 --gpus=1 -- /opt/hidet/bin/hidetc worker
//
// Behind `--` stands the worker as it is called on the nodes; without, it is this program, by its path.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lang/base/result.h"

namespace hidet::session {

struct Fleet {
    std::string name;                               // "slurm"
    std::vector<std::vector<std::string>> commands; // a worker each
    // Takes back whatever the scheduler still has of them; when the commands are ended.
    std::function<void()> end = {};
};

struct FleetSettings {
    std::vector<std::string> words = {};  // for the scheduler
    std::vector<std::string> worker = {}; // a command on a node
};
// Of the line fleet.NAME; as by default where there is none.
Result<FleetSettings> fleet_settings(const std::string& name);

// "fleet-unusable": the message says what is missing. Nothing was started.
Result<Fleet> slurm_fleet(int workers);
Result<Fleet> ray_fleet(int workers);
Result<Fleet> fleet_named(const std::string& name, int workers); // of fleet_names()
std::vector<std::string> fleet_names();

std::string random_hex(std::size_t bytes); // that nobody guesses

} // namespace hidet::session
