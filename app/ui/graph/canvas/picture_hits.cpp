// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/picture_hits.h"

#include <algorithm>
#include <cmath>

#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/graph/canvas/picture_labels.h"

namespace hidet::ui {

using What = PictureHit::What;

namespace {

double distance(QPointF at, QPointF a, QPointF b) {
    const QPointF line = b - a;
    const double length = QPointF::dotProduct(line, line);
    const double share = length > 0 ? std::clamp(QPointF::dotProduct(at - a, line) / length, 0.0, 1.0) : 0;
    const QPointF off = at - (a + line * share);
    return std::hypot(off.x(), off.y());
}

double distance(const GraphPicture& picture, const PictureEdge& edge, QPointF at) {
    constexpr int steps = 10;
    double least = 1e30;
    for (quint32 k = edge.first; k + 1 < edge.first + edge.points; ++k) {
        if (picture.lines[k] == GraphPicture::NoLine)
            continue;
        const QPointF from = picture.points[k], to = picture.points[k + 1];
        if (from.x() == to.x()) {
            least = std::min(least, distance(at, from, to));
            continue;
        }
        for (int i = 0; i < steps; ++i)
            least = std::min(
                least, distance(at, bentAt(from, to, double(i) / steps), bentAt(from, to, double(i + 1) / steps)));
    }
    return least;
}

PictureHit edgeAt(const GraphPicture& picture, QPointF at, double reach) {
    PictureHit hit;
    double least = reach;
    const QRectF around(at - QPointF(reach, reach), QSizeF(2 * reach, 2 * reach));
    for (quint32 i : picture.edgeGrid.touching(around))
        if (const double away = distance(picture, picture.edges[i], at); away < least) {
            least = away;
            hit = {What::Edge, i};
        }
    return hit;
}

template <class Map, class Key>
quint32 in(const Map& map, const Key& key) {
    const auto at = map.find(key);
    return at == map.end() ? no_box : at->second;
}

} // namespace

PictureHit hitAt(const GraphPicture& picture, QPointF at, double reach, bool hasSigns) {
    const QRectF point(at, QSizeF(0.01, 0.01));
    const double sign = GraphPainter::sign_radius + 1;
    if (hasSigns)
        for (quint32 i : picture.edgeGrid.touching(point.adjusted(-sign, -sign, sign, sign))) {
            const PictureEdge& edge = picture.edges[i];
            if (edge.blocker == session::no_id || edge.points == 0)
                continue;
            const QPointF off = GraphPainter::signOf(picture, edge) - at;
            if (std::hypot(off.x(), off.y()) <= sign)
                return {What::Sign, i};
        }
    for (quint32 i : picture.nodeGrid.touching(point))
        if (picture.nodes[i].rect.contains(at))
            return {What::Box, i};
    for (quint32 i : picture.stubGrid.touching(point))
        if (picture.stubs[i].rect.contains(at))
            return {What::Stub, i};
    PictureHit hull;
    for (quint32 i = 0; i < picture.groups.size(); ++i) {
        if (picture.groups[i].header.contains(at))
            return {What::Header, i};
        if (picture.groups[i].rect.contains(at))
            hull = {What::Hull, i}; // the innermost: inner ones come later
    }
    const PictureHit edge = edgeAt(picture, at, reach);
    return edge ? edge : hull;
}

quint32 chipAt(const GraphPicture& picture, quint32 box, QPointF at) {
    const PictureBox& in = picture.nodes[box];
    for (quint32 i = in.firstChip; i < in.firstChip + in.chips; ++i)
        if (picture.chips[i].value != session::no_id && picture.chips[i].rect.contains(at))
            return i;
    return no_box;
}

GraphItem itemOf(const PictureBox& box) {
    switch (box.role) {
    case BoxRole::Operator: return GraphItem::ofNode(box.id);
    case BoxRole::Closed: return GraphItem::ofGroup(box.key);
    default: return GraphItem::ofValue(box.id);
    }
}

GraphItem itemOf(const GraphPicture& picture, const PictureHit& hit) {
    switch (hit.what) {
    case What::Box: return itemOf(picture.nodes[hit.place]);
    case What::Chip: return GraphItem::ofValue(picture.chips[hit.place].value);
    case What::Header:
    case What::Hull: return itemOf(picture.groups[hit.place]);
    case What::Sign:
    case What::Edge: {
        const PictureEdge& edge = picture.edges[hit.place];
        if (edge.blocker != session::no_id) {
            const session::GraphBlocker& blocker = picture.graph->blockers[edge.blocker];
            return GraphItem::ofEdge(blocker.value, blocker.consumer);
        }
        return GraphItem::ofEdge(edge.value, edge.consumer);
    }
    default: return {};
    }
}

quint32 boxOfItem(const GraphPicture& picture, const GraphItem& item) {
    switch (item.kind) {
    case GraphItem::Kind::Node: return in(picture.boxOfNode, item.node);
    case GraphItem::Kind::Group: return in(picture.nodeOfKey, item.group);
    case GraphItem::Kind::Value: {
        const quint32 box = in(picture.boxOfInput, item.value);
        return box == no_box ? in(picture.boxOfOutput, item.value) : box;
    }
    default: return no_box;
    }
}

quint32 edgeOfItem(const GraphPicture& picture, const GraphItem& item) {
    if (item.kind != GraphItem::Kind::Edge)
        return no_box;
    const quint32 to =
        item.node == session::no_id ? in(picture.boxOfOutput, item.value) : in(picture.boxOfNode, item.node);
    if (to == no_box)
        return no_box;
    for (quint32 edge : picture.edgesIn[to])
        if (picture.edges[edge].value == item.value)
            return edge;
    return no_box;
}

QRectF rectOfItem(const GraphPicture& picture, const GraphItem& item) {
    if (const quint32 box = boxOfItem(picture, item); box != no_box)
        return picture.nodes[box].rect;
    if (item.kind == GraphItem::Kind::Group) {
        const quint32 group = in(picture.groupOfKey, item.group);
        return group == no_box ? QRectF() : picture.groups[group].rect;
    }
    const quint32 edge = edgeOfItem(picture, item);
    if (edge == no_box)
        return {};
    return picture.nodes[picture.edges[edge].from].rect | picture.nodes[picture.edges[edge].to].rect;
}

} // namespace hidet::ui
