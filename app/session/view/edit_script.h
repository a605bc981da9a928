// SPDX-License-Identifier: Apache-2.0
// The core of every comparison here: which items of two sequences of numbers do not correspond.
#pragma once

#include <atomic>
#include <vector>

namespace hidet::session {

struct EditScript {
    std::vector<bool> removed; // of the left sequence
    std::vector<bool> added;   // of the right one
    bool cancelled = false;
};

// The shortest script, or where that would take more than `effort` steps at once, a good one. The time is at most
// proportional to (left + right) * effort, the memory to left + right.
EditScript edit_script(const std::vector<int>& left, const std::vector<int>& right,
                       const std::atomic<bool>* cancelled = nullptr, int effort = 256);

} // namespace hidet::session
