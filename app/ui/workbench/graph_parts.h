// SPDX-License-Identifier: GPL-3.0-only
// What is in the groups of a graph, and which graph of a model has something. For any thread.
#pragma once

#include <vector>

#include "app/session/model/view/model_view.h"

namespace hidet::ui {

// A group by its key: its place in the boxes' groups; no_id: there is none.
quint32 groupOf(const session::GraphBoxes& boxes, drawing::Key key);
bool isInGroup(const session::GraphBoxes& boxes, quint32 group, quint32 outer);     // or is it
std::vector<quint32> nodesInGroup(const session::GraphBoxes& boxes, quint32 group); // operators, at any depth

// The number of the shown graph where it has that, or else of the last one that does; -1: none.
template <class Has>
int graphThat(const session::ModelSnapshot& snapshot, int shown, const Has& has) {
    if (shown >= 0 && has(*snapshot.graphs[std::size_t(shown)]))
        return shown;
    for (int i = int(snapshot.graphs.size()) - 1; i >= 0; --i)
        if (has(*snapshot.graphs[std::size_t(i)]))
            return i;
    return -1;
}

} // namespace hidet::ui
