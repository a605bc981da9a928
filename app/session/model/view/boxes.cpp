// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/graph_index.h"
#include "app/session/model/view/grouping/grouping.h"
#include "app/session/model/view/grouping/mixed.h"

namespace hidet::session {

namespace {

void count_boxes(GraphBoxes& boxes) {
    for (std::size_t i = 0; i < boxes.boxes.size(); ++i)
        if (boxes.boxes[i].kind == BoxKind::Operator)
            ++boxes.groups[boxes.drawn.nodes[i].group].boxes;
    for (std::size_t i = boxes.groups.size(); i-- > 1;) // parents come before
        boxes.groups[boxes.drawn.groups[i].parent].boxes += boxes.groups[i].boxes;
}

} // namespace

drawing::Key key_of_box(BoxKind kind, std::uint32_t id) {
    return grouping::mixed(grouping::mixed(0, 11 + static_cast<std::uint64_t>(kind)), id); // operator 6 is not input 1
}

std::shared_ptr<const GraphBoxes> ModelGraph::boxes(const GroupingOptions& options) const {
    const auto out = std::make_shared<GraphBoxes>();
    if (!index)
        return out;
    grouping::ModelViewOptions view_options;
    view_options.has_scopes = options.by_scope;
    view_options.has_repeats = options.by_repeat;
    const bool has_kernels = options.by_kernel && index->partition;
    grouping::ModelView view =
        grouping::view_of(*index->graph, has_kernels ? &*index->partition : nullptr, view_options);
    for (grouping::ModelBox& box : view.boxes) {
        const bool is_operator = box.kind == BoxKind::Operator;
        if (is_operator)
            out->box_of_node[box.node.index] = static_cast<std::uint32_t>(out->boxes.size());
        out->boxes.push_back({box.kind, is_operator ? box.node.index : no_id, is_operator ? no_id : box.value.index,
                              std::move(box.label), indices_of(box.chips), indices_of(box.inputs),
                              indices_of(box.outputs)});
    }
    for (grouping::ModelGroup& group : view.groups) {
        const bool is_kernel = group.kind == BoxGroupKind::Kernel;
        out->groups.push_back({group.kind, std::move(group.name), group.count, is_kernel ? group.kernel : no_id, 0});
    }
    out->drawn = std::move(view.drawn);
    count_boxes(*out);
    return out;
}

} // namespace hidet::session
