// SPDX-License-Identifier: Apache-2.0
// What a ModelGraph keeps beside its plain values: ids to places, and the compiler's graph for what is computed on demand.
#pragma once

#include <mutex>

#include "app/session/model/view/model_view.h"
#include "compiler/graph/core/graph.h"
#include "compiler/graph/fuse/partition.h"
#include "compiler/graph/text/contents.h"
#include "lang/base/ranges.h"

namespace hidet::session {

struct SharedHashes { // of the constants that graphs of one model have in common
    std::mutex mutex;
    graph::ContentHashes hashes;
};

struct ModelGraph::Index {
    std::shared_ptr<const graph::Graph> graph;
    std::optional<graph::Partition> partition;                // of the last graph
    std::vector<std::uint32_t> place_of_node, place_of_value; // by id
    std::vector<std::uint32_t> kernel_of_node;                // by id; empty: groups are not formed
    std::vector<std::uint32_t> match_of_node;                 // by id; of nodes that a match made
    std::shared_ptr<SharedHashes> hashes;

    mutable std::once_flag print;
    mutable GraphText printed;
};

// Of operators or values.
template <class Id>
std::vector<std::uint32_t> indices_of(const std::vector<Id>& ids) {
    return transformed(ids, &Id::index);
}

inline std::uint32_t at_or_none(const std::vector<std::uint32_t>& places, std::uint32_t id) {
    return id < places.size() ? places[id] : no_id;
}

} // namespace hidet::session
