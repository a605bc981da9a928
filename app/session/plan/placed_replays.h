// SPDX-License-Identifier: Apache-2.0
// Runs of what is bound that read other inputs and write other results, where those lie: one CUDA graph for each set of places.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/plan/replay.h"

namespace hidet::session {

class PlacedReplays {
public:
    explicit PlacedReplays(PlanRunner& runner); // which has a replay, and outlives this

    // The tensors have the shapes, dtypes and numbers of those that are bound. False: nothing has run, as they lie where no vector
    // may begin, there are graphs for `most` other places that were of use lately, or none can be made.
    Result<bool> run(const Tensors& inputs, const Tensors& results, std::size_t most);

private:
    // A result that is part of something else: an input, an earlier result, or what stays where it is.
    struct Copy {
        std::size_t result = 0;
        std::optional<std::size_t> input, earlier;
        std::shared_ptr<lang::Storage> storage;
        std::size_t offset = 0; // of the input, the earlier result or the storage, in bytes
        std::size_t bytes = 0;
    };
    struct Placed {
        std::vector<std::uint64_t> places; // of inputs and results
        std::unique_ptr<Replay> replay;
        std::size_t last_run = 0;
    };
    void find_copies();
    bool is_copied(std::size_t result) const;
    Replay* replay_at(const std::vector<std::uint64_t>& places, std::size_t most);
    void fill(const Copy& copy, const Tensors& inputs, const Tensors& results) const;

    PlanRunner& m_runner;
    Tensors m_inputs, m_results; // that are bound
    bool m_is_possible = true;
    std::vector<Copy> m_copies;
    std::vector<Placed> m_placed;
    std::size_t m_runs = 0; // that were asked for
};

} // namespace hidet::session
