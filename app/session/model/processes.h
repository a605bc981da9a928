// SPDX-License-Identifier: Apache-2.0
// The processes that share a model: this command, started once for each of them.
#pragma once

#include <memory>
#include <vector>

#include "app/session/model/model.h"
#include "compiler/graph/passes/pass.h"
#include "runtime/distributed/shared_entry.h"
#include "runtime/process/child.h"

namespace hidet::lang {
class Engine;
}
namespace hidet::session {

class ScriptEngine;
struct Work;

constexpr int most_processes = distributed::most_sharing; // that share a model

class ModelProcesses {
public:
    // Starts the others, unless this one is one of several already, as torchrun starts them, and says in the request which one
    // it is and where they meet. "usage": there are another number of them. The request outlives what it is given here.
    static Result<std::unique_ptr<ModelProcesses>> start(ModelRequest& request);
    ~ModelProcesses();

    bool is_first() const { return m_rank == 0; }
    // Until those that it has started have ended; they are ended after a while. What the first one of them that failed has
    // said; empty: none did.
    std::string wait(std::chrono::milliseconds patience);

private:
    ModelProcesses() = default;
    Result<void> start_others(int count);
    bool has_lost_one();

    int m_rank = 0;
    std::string m_meeting; // a file of ours; empty: somebody else's place
    std::vector<std::unique_ptr<process::Child>> m_others;
};

// Those that share a compiled package, as it says itself: 1 where none do, 0 where the file is none that can be read.
int processes_of_package(const std::string& path, const std::string& entry);

// How they share the model, for the passes. The numbers of groups say how far the ranks in them are apart, as packages have it.
graph::Processes processes_of(const ModelRequest& request);

// Of the request, where it names a place: the engine exchanges tensors with the others from then on, on GPUs by `backend`, as
// init_process_group() has it. False: the work knows why.
bool meet_others(Work& work, const ModelRequest& request, ScriptEngine& engine, const std::string& backend);

// What each process has measured, as many numbers in all of them: of each the greatest.
Result<void> take_slowest(lang::Engine& engine, std::vector<double>& seconds);

} // namespace hidet::session
