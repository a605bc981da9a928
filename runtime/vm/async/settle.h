// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "runtime/vm/checks/happens_before.h"

namespace hidet::vm {

// Neighbouring granules that an instruction accesses, each by a thread or set of its own (`tags`: its actor as a cell has
// it). The leading ones that epochs settle are recorded as `head` with the tag: the last write is before the floor or their
// own, and so is the last read. Returns how many that are, of groups of four.
struct Settling {
    Cell* recorded = nullptr; // of `written` and `read`, the one that the access changes
    const Cell* written = nullptr;
    const Cell* read = nullptr;
    const Cell* tags = nullptr;
    std::size_t count = 0;
    Cell head = 0;
    Epoch floor = 0;
    bool needs_value = false; // what nobody wrote is not settled
};
std::size_t settle(const Settling& run);

// recorded[i] = head | tags[i]
void record(Cell* recorded, const Cell* tags, std::size_t count, Cell head);

// Of the last writes of granules: the highest cell, and whether there is one without a write.
struct Survey {
    Cell highest = 0;
    bool has_none = false;
};
Survey survey(const Cell* written, std::size_t count);

} // namespace hidet::vm
