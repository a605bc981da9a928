// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_picture.h"

#include <algorithm>

namespace hidet::ui {

const session::GraphNode* GraphPicture::node(quint32 id) const {
    const auto at = m_nodes.find(id);
    return at == m_nodes.end() ? nullptr : graph->nodes[at->second].get();
}

const session::GraphValue* GraphPicture::value(quint32 id) const {
    const auto at = m_values.find(id);
    return at == m_values.end() ? nullptr : graph->values[at->second].get();
}

const PictureBox* GraphPicture::boxOf(quint32 node) const {
    const auto at = boxOfNode.find(node);
    return at == boxOfNode.end() ? nullptr : &nodes[at->second];
}

namespace {

std::vector<GraphKey> wayTo(const drawing::GroupView& view, quint32 group) {
    std::vector<GraphKey> out;
    for (; group != 0; group = view.groups[group].parent)
        out.push_back(view.groups[group].key);
    std::reverse(out.begin(), out.end());
    return out;
}

std::size_t bytesOf(const QString& text) {
    return text.isEmpty() ? 0 : std::size_t(text.capacity()) * sizeof(QChar) + 16;
}

} // namespace

std::vector<GraphKey> GraphPicture::groupsAround(quint32 node) const {
    const auto at = boxes->box_of_node.find(node);
    return at == boxes->box_of_node.end() ? std::vector<GraphKey>()
                                          : wayTo(boxes->drawn, boxes->drawn.nodes[at->second].group);
}

std::vector<GraphKey> GraphPicture::groupsAround(GraphKey group) const {
    for (quint32 i = 1; i < boxes->drawn.groups.size(); ++i)
        if (boxes->drawn.groups[i].key == group)
            return wayTo(boxes->drawn, boxes->drawn.groups[i].parent);
    return {};
}

std::vector<quint32> GraphPicture::nodesIn(quint32 group) const {
    const drawing::GroupView& view = boxes->drawn;
    std::vector<char> isIn(view.groups.size(), 0);
    isIn[group] = 1;
    for (quint32 i = group + 1; i < view.groups.size(); ++i)
        isIn[i] = isIn[view.groups[i].parent];
    std::vector<quint32> out;
    for (std::size_t i = 0; i < view.nodes.size(); ++i)
        if (isIn[view.nodes[i].group] && boxes->boxes[i].kind == session::BoxKind::Operator)
            out.push_back(boxes->boxes[i].node);
    return out;
}

std::size_t GraphPicture::bytes() const {
    std::size_t sum = nodes.capacity() * sizeof(PictureBox) + groups.capacity() * sizeof(PictureGroup) +
                      edges.capacity() * sizeof(PictureEdge) + stubs.capacity() * sizeof(PictureStub) +
                      labels.capacity() * sizeof(PictureLabel) + chips.capacity() * sizeof(PictureChip) +
                      points.capacity() * sizeof(QPointF) + lines.capacity();
    for (const PictureBox& box : nodes) {
        sum += bytesOf(box.label) + std::size_t(box.details.capacity()) * sizeof(QString);
        for (const QString& line : box.details)
            sum += bytesOf(line);
    }
    for (const PictureChip& chip : chips)
        sum += bytesOf(chip.text);
    for (const PictureLabel& label : labels)
        sum += bytesOf(label.text);
    for (const PictureStub& stub : stubs)
        sum += bytesOf(stub.text);
    for (const PictureGrid* grid : {&nodeGrid, &edgeGrid, &stubGrid, &labelGrid})
        sum += grid->bytes();
    for (const auto* lists : {&edgesIn, &edgesOut})
        for (const std::vector<quint32>& list : *lists)
            sum += sizeof(list) + list.capacity() * sizeof(quint32);
    constexpr std::size_t entry = 32; // of a hash table, about
    return sum + entry * (nodeOfKey.size() + groupOfKey.size() + boxOfNode.size() + boxOfInput.size() +
                          boxOfOutput.size() + m_nodes.size() + m_values.size());
}

} // namespace hidet::ui
