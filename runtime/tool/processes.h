// SPDX-License-Identifier: Apache-2.0
// The processes that share an entry of a package, "main.rank0", "main.rank1", ...: this command, started once for each.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/distributed/process_group.h"
#include "runtime/process/child.h"
#include "runtime/tool/arguments.h"
#include "runtime/tool/gpu_exchange.h"
#include "runtime/tool/stop.h"

namespace hidet::tool {

class Processes {
public:
    // Starts the others where the entry that is asked for is of several, unless this process is one of several already, as
    // torchrun starts them. The arguments say from then on which entry and which GPU are this one's.
    Processes(const nlohmann::json& description, Arguments& arguments);
    ~Processes();
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;

    int size() const { return m_size; }
    bool is_first() const { return m_rank == 0; }
    // Of a model that is created next, by what exchanges with the others, if there are any. All of them call it alike.
    void join(runtime::ModelOptions& options);
    // What was begun on a GPU, and has ended, may have failed.
    void check() const;
    // Until those that it has started have ended.
    void wait();

private:
    void meet(Arguments& arguments);
    std::string start_others();
    hidet_status perform(const hidet_exchange& what, std::string& why);
    Result<void> exchange(const hidet_exchange& what, package::Scalar scalar);

    int m_rank = 0, m_size = 1;
    std::vector<std::unique_ptr<process::Child>> m_others;
    std::string m_meeting; // a file of ours; empty: somebody else's place
    std::unique_ptr<distributed::Store> m_store;
    std::unique_ptr<distributed::MeetingGroup> m_group;
    std::unique_ptr<GpuExchange> m_gpu; // null: through the host
};

} // namespace hidet::tool
