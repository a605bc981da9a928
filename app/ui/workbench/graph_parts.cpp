// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/graph_parts.h"

#include <algorithm>

namespace hidet::ui {

quint32 groupOf(const session::GraphBoxes& boxes, drawing::Key key) {
    const auto& groups = boxes.drawn.groups;
    const auto found = std::ranges::find(groups, key, &drawing::ViewGroup::key);
    return found == groups.end() ? session::no_id : quint32(found - groups.begin());
}

bool isInGroup(const session::GraphBoxes& boxes, quint32 group, quint32 outer) {
    while (group != outer && group != 0)
        group = boxes.drawn.groups[group].parent;
    return group == outer;
}

// Groups stand behind those that they are in.
std::vector<quint32> nodesInGroup(const session::GraphBoxes& boxes, quint32 group) {
    std::vector<bool> isIn(boxes.groups.size());
    isIn[group] = true;
    for (std::size_t i = group + 1; i < isIn.size(); ++i)
        isIn[i] = isIn[boxes.drawn.groups[i].parent];
    std::vector<quint32> out;
    for (std::size_t i = 0; i < boxes.boxes.size(); ++i)
        if (boxes.boxes[i].kind == session::BoxKind::Operator && isIn[boxes.drawn.nodes[i].group])
            out.push_back(boxes.boxes[i].node);
    return out;
}

} // namespace hidet::ui
