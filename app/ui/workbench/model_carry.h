// SPDX-License-Identifier: GPL-3.0-only
// What stays the same while the script of a graph is edited: ids are given anew with each text, so operators and values of
// the graph before are looked for in the new one (graph_match.h), and whoever speaks of them follows.
#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>

#include "app/session/model/view/model_view.h"

namespace hidet::ui {

// Boxes of pictures by what they have been since the first text, so that layouts keep them in their places.
struct BoxKeys {
    std::unordered_map<std::uint32_t, drawing::Key> nodes, values;
};

struct ModelCarry {
    std::unordered_map<std::uint32_t, std::uint32_t> nodes, values; // of the graph before: its id now
    std::shared_ptr<const BoxKeys> keys;                            // of the new one
};

struct CarryRequest {
    session::SnapshotPtr before;         // null: there is none
    std::shared_ptr<const BoxKeys> keys; // of it
    int shown = -1;                      // of its graphs; -1: the last
    std::uint64_t generation = 0;        // no other snapshot of the model has it
    const std::atomic<bool>* stopped = nullptr;
};
int graphOfPass(const session::ModelSnapshot& snapshot, const std::string& pass); // -1: none is of that pass
// For any thread.
ModelCarry carryOver(const CarryRequest& request, const session::ModelSnapshot& now);

} // namespace hidet::ui
