// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_walk.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/ui/workbench/graph_parts.h"

namespace hidet::ui {

namespace {

class Walker {
public:
    Walker(const GraphPicture& picture, const GraphItem& from) : m_picture(picture), m_from(from) {
        m_box = boxOfItem(picture, from);
        if (const auto at = picture.groupOfKey.find(from.group);
            from.kind == GraphItem::Kind::Group && at != picture.groupOfKey.end())
            m_group = &picture.groups[at->second];
    }

    GraphItem go(WalkTo to, const GraphItem& before) const {
        if (m_picture.nodes.empty())
            return {};
        if (to == WalkTo::First || to == WalkTo::Last)
            return end(to == WalkTo::First);
        if (const quint32 edge = edgeOfItem(m_picture, m_from); edge != no_box) {
            const PictureEdge& at = m_picture.edges[edge];
            return to == WalkTo::Up     ? item(at.from)
                   : to == WalkTo::Down ? item(at.to)
                                        : besideEdge(edge, to == WalkTo::Left);
        }
        if (m_box == no_box && !m_group)
            return end(to != WalkTo::Up);
        switch (to) {
        case WalkTo::Up: return m_group ? intoGroup() : along(m_picture.edgesIn[m_box], true, before);
        case WalkTo::Down: return m_group ? inside() : along(m_picture.edgesOut[m_box], false, before);
        default: return sibling(to == WalkTo::Left);
        }
    }

private:
    GraphItem item(quint32 box) const { return itemOf(m_picture.nodes[box]); }

    GraphItem end(bool isFirst) const {
        quint32 best = no_box;
        const auto rank = [&](quint32 i) {
            const PictureBox& box = m_picture.nodes[i];
            const bool isEnd = box.role == (isFirst ? BoxRole::Input : BoxRole::Output);
            const double y = isFirst ? box.rect.top() : -box.rect.bottom();
            return std::tuple(!isEnd, y, box.rect.left());
        };
        for (quint32 i = 0; i < m_picture.nodes.size(); ++i)
            if (best == no_box || rank(i) < rank(best))
                best = i;
        return item(best);
    }

    // The other end of the edge that is nearest, or that the walk came from.
    GraphItem along(const std::vector<quint32>& edges, bool isUp, const GraphItem& before) const {
        const quint32 last = boxOfItem(m_picture, before);
        quint32 best = no_box;
        double least = 0;
        for (quint32 edge : edges) {
            const quint32 other = isUp ? m_picture.edges[edge].from : m_picture.edges[edge].to;
            if (other == last && last != no_box)
                return item(other);
            const QPointF off = m_picture.nodes[other].rect.center() - m_picture.nodes[m_box].rect.center();
            const double away = std::abs(off.x()) + std::abs(off.y());
            if (best == no_box || away < least) {
                best = other;
                least = away;
            }
        }
        return best == no_box ? GraphItem() : item(best);
    }

    // The uppermost box of an open group, the leftmost of those.
    GraphItem inside() const {
        quint32 best = no_box;
        const auto rank = [&](quint32 i) {
            return std::pair(m_picture.nodes[i].rect.top(), m_picture.nodes[i].rect.left());
        };
        for (quint32 i : m_picture.nodeGrid.touching(m_group->rect))
            if (m_group->rect.contains(m_picture.nodes[i].rect) && (best == no_box || rank(i) < rank(best)))
                best = i;
        return best == no_box ? GraphItem() : item(best);
    }
    // Where the first edge into an open group comes from.
    GraphItem intoGroup() const {
        for (quint32 i : m_picture.nodeGrid.touching(m_group->rect)) {
            if (!m_group->rect.contains(m_picture.nodes[i].rect))
                continue;
            for (quint32 edge : m_picture.edgesIn[i])
                if (!m_group->rect.contains(m_picture.nodes[m_picture.edges[edge].from].rect))
                    return item(m_picture.edges[edge].from);
        }
        return {};
    }

    // Boxes and open groups of the same level, at the same height.
    GraphItem sibling(bool isLeft) const {
        const QRectF at = m_group ? m_group->rect : m_picture.nodes[m_box].rect;
        const quint32 level = m_group ? m_group->parent : m_picture.nodes[m_box].level;
        GraphItem best;
        double least = 0;
        const auto look = [&](const QRectF& rect, quint32 itsLevel, const GraphItem& item) {
            if (itsLevel != level || rect.top() >= at.bottom() || rect.bottom() <= at.top())
                return;
            const double away = isLeft ? at.left() - rect.left() : rect.left() - at.left();
            if (away > 0 && (!best || away < least)) {
                best = item;
                least = away;
            }
        };
        const QRectF row(m_picture.bounds.left(), at.top(), m_picture.bounds.width(), at.height());
        for (quint32 i : m_picture.nodeGrid.touching(row))
            look(m_picture.nodes[i].rect, m_picture.nodes[i].level, item(i));
        for (const PictureGroup& group : m_picture.groups)
            look(group.rect, group.parent, itemOf(group));
        return best;
    }
    // Edges into the same box, in the order of operands.
    GraphItem besideEdge(quint32 edge, bool isLeft) const {
        const std::vector<quint32>& edges = m_picture.edgesIn[m_picture.edges[edge].to];
        const auto at = std::find(edges.begin(), edges.end(), edge);
        if (at == (isLeft ? edges.begin() : edges.end() - 1))
            return {};
        return itemOf(m_picture, {PictureHit::What::Edge, *(isLeft ? at - 1 : at + 1)});
    }

    const GraphPicture& m_picture;
    const GraphItem& m_from;
    quint32 m_box = no_box;
    const PictureGroup* m_group = nullptr;
};

} // namespace

GraphItem walk(const GraphPicture& picture, const GraphItem& from, WalkTo to, const GraphItem& before) {
    return Walker(picture, from).go(to, before);
}

GraphItem enclosing(const GraphPicture& picture, const GraphItem& item) {
    quint32 level = 0;
    if (const quint32 box = boxOfItem(picture, item); box != no_box)
        level = picture.nodes[box].level;
    else if (const quint32 edge = edgeOfItem(picture, item); edge != no_box)
        level = picture.nodes[picture.edges[edge].to].level;
    else if (const auto at = picture.groupOfKey.find(item.group);
             item.kind == GraphItem::Kind::Group && at != picture.groupOfKey.end())
        level = picture.groups[at->second].parent;
    return level == 0 ? GraphItem() : GraphItem::ofGroup(picture.boxes->drawn.groups[level].key);
}

QSet<quint32> nodesOf(const GraphPicture& picture, const GraphItem& item) {
    QSet<quint32> out;
    switch (item.kind) {
    case GraphItem::Kind::Node: out.insert(item.node); break;
    case GraphItem::Kind::Edge:
        if (item.node != session::no_id)
            out.insert(item.node);
        if (const session::GraphValue* value = picture.value(item.value); value && value->producer != session::no_id)
            out.insert(value->producer);
        break;
    case GraphItem::Kind::Value:
        if (const session::GraphValue* value = picture.value(item.value)) {
            if (value->producer != session::no_id)
                out.insert(value->producer);
            else
                out.unite(QSet<quint32>(value->consumers.begin(), value->consumers.end()));
        }
        break;
    case GraphItem::Kind::Group:
        if (const quint32 group = groupOf(*picture.boxes, item.group); group != session::no_id) {
            const std::vector<quint32> inside = nodesInGroup(*picture.boxes, group);
            out = QSet<quint32>(inside.begin(), inside.end());
        }
        break;
    default: break;
    }
    return out;
}

QSet<quint32> reachable(const GraphPicture& picture, const GraphItem& from, Along along) {
    QSet<quint32> seen = nodesOf(picture, from);
    std::vector<quint32> left(seen.begin(), seen.end());
    const auto reach = [&](quint32 node) {
        if (node == session::no_id || seen.contains(node) || !picture.node(node))
            return;
        seen.insert(node);
        left.push_back(node);
    };
    while (!left.empty()) {
        const session::GraphNode* node = picture.node(left.back());
        left.pop_back();
        if (!node)
            continue;
        for (quint32 id : along == Along::Producers ? node->inputs : node->outputs) {
            const session::GraphValue* value = picture.value(id);
            if (!value)
                continue;
            if (along == Along::Producers)
                reach(value->producer);
            else
                for (quint32 consumer : value->consumers)
                    reach(consumer);
        }
    }
    return seen;
}

} // namespace hidet::ui
