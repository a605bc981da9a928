// SPDX-License-Identifier: Apache-2.0
// The blocks of a cluster, which run together: a kernel without clusters has clusters of one block.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/vm/block.h"

namespace hidet::vm {

struct LaunchResult;

class Cluster {
public:
    explicit Cluster(const LaunchContext& context);
    static std::int64_t count(const LaunchShape& shape); // of a grid
    void begin_launch();                                 // another one, with another context at the same place
    bool is_full() const;                                // it knows too much to begin another launch with
    void start(std::int64_t number);                     // in the order of the grid
    // Runs until all threads ended, or nothing can go on before other clusters do.
    BlockStatus run();
    bool made_progress() const { return m_progress; }
    std::string take_output();
    void add_to(LaunchResult& result) const;
    // Nobody will come; blocks that have not begun, and what is said of other ranks.
    [[noreturn]] void fail_waiting(std::int64_t outside, const std::string& others);

private:
    const LaunchShape m_shape;
    const std::int64_t m_first;     // its number among those of all ranks, where it is the first of its own
    std::unique_ptr<Order> m_order; // null: not checked
    std::vector<std::unique_ptr<Block>> m_blocks; // in the order of their ranks
    std::vector<Block*> m_members;
    std::vector<char> m_finished;
    bool m_progress = false;
};

} // namespace hidet::vm
