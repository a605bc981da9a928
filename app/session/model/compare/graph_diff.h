// SPDX-License-Identifier: Apache-2.0
// What differs between two graphs as texts, with the operator that each line is about.
#pragma once

#include "app/session/model/view/model_view.h"
#include "app/session/view/diff.h"

namespace hidet::session {

struct GraphDiffRow : DiffRow { // lines of printed()
    std::uint32_t left_node = no_id, right_node = no_id;
};

struct GraphDiff {
    std::vector<GraphDiffRow> rows;
    int added = 0, removed = 0; // lines
};

// Values without names of their own count as equal where they correspond, constants where they hold the same. Nothing when
// it was cancelled.
std::optional<GraphDiff> diff_graphs(const ModelGraph& left, const ModelGraph& right,
                                     const std::atomic<bool>* cancelled = nullptr);

} // namespace hidet::session
