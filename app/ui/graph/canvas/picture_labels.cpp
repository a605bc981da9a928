// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/picture_labels.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "app/session/model/view/node_placements.h"
#include "app/ui/graph/canvas/picture_text.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

namespace {

constexpr double beside = 5;       // between an edge and its label
constexpr double beside_sign = 12; // of a blocker, at its end
constexpr double apart = 2;        // between a label and what is near
constexpr double far = 110;        // from box to box

bool crosses(const QRectF& rect, QPointF from, QPointF to) {
    constexpr int steps = 8;
    if (from.x() == to.x())
        return from.x() > rect.left() && from.x() < rect.right() && std::min(from.y(), to.y()) < rect.bottom() &&
               std::max(from.y(), to.y()) > rect.top();
    QPointF last = from;
    for (int i = 1; i <= steps; ++i) {
        const QPointF next = bentAt(from, to, double(i) / steps);
        if (QRectF(last, next).normalized().adjusted(-0.5, -0.5, 0.5, 0.5).intersects(rect))
            return true;
        last = next;
    }
    return false;
}

// Of labels that are there already: it grows.
class RoughGrid {
public:
    void add(const QRectF& rect, quint32 id) {
        visit(rect, [&](quint64 cell) { m_cells[cell].push_back(id); });
    }
    std::vector<quint32> touching(const QRectF& rect) const {
        std::vector<quint32> found;
        visit(rect, [&](quint64 cell) {
            if (const auto at = m_cells.find(cell); at != m_cells.end())
                found.insert(found.end(), at->second.begin(), at->second.end());
        });
        return found;
    }

private:
    template <class Act>
    static void visit(const QRectF& rect, Act act) {
        constexpr double side = 160;
        for (qint32 y = qint32(std::floor(rect.top() / side)); y <= qint32(std::floor(rect.bottom() / side)); ++y)
            for (qint32 x = qint32(std::floor(rect.left() / side)); x <= qint32(std::floor(rect.right() / side)); ++x)
                act(quint64(quint32(y)) << 32 | quint32(x));
    }
    std::unordered_map<quint64, std::vector<quint32>> m_cells;
};

class Labels {
public:
    explicit Labels(GraphPicture& picture) : m_picture(picture) {
        m_solid.fill(picture.bounds, picture.groups, &PictureGroup::header);
    }

    void run() {
        std::unordered_set<quint32> told;
        for (quint32 i = 0; i < m_picture.edges.size(); ++i) {
            const PictureEdge& edge = m_picture.edges[i];
            if (edge.points < 2)
                continue;
            const session::GraphValue* value = m_picture.value(edge.value);
            if (!value)
                continue;
            const QString shape = value->shape.empty() ? QString() : shapeOf(*value);
            QStringList below = {isToldBelow(edge) ? shape : QString(), bytesExchanged(*value)};
            below.removeAll(QString());
            if (!below.isEmpty() && told.insert(edge.value).second)
                place(i, below.join(", "), true);
            if (shape.isEmpty())
                continue;
            if (edge.bounds.height() > far && m_picture.nodes[edge.to].role != BoxRole::Output)
                place(i, shape, false);
        }
        m_picture.labelGrid.fill(m_picture.bounds, m_picture.labels, &PictureLabel::rect);
    }

private:
    // That a process gives to others; empty: it does not, or they depend on dynamic dimensions.
    QString bytesExchanged(const session::GraphValue& value) const {
        const auto gives = [&](const quint32 id) {
            const session::GraphNode* node = m_picture.node(id);
            return node && !node->inputs.empty() && node->inputs[0] == value.id && session::is_exchange(*node);
        };
        const bool isGiven = value.bytes && std::ranges::any_of(value.consumers, gives);
        return isGiven ? QString::fromStdString(text_of_quantity(*value.bytes, "B")) : QString();
    }
    bool isToldBelow(const PictureEdge& edge) const {
        const PictureBox& from = m_picture.nodes[edge.from];
        return from.told != edge.value && (from.role == BoxRole::Operator || from.role == BoxRole::Closed);
    }

    void place(quint32 id, const QString& text, bool isBelow) {
        const PictureEdge& edge = m_picture.edges[id];
        const QSizeF size(m_picture.metrics.width(text, GraphFace::Detail) + 2,
                          m_picture.metrics.height(GraphFace::Detail));
        const QPointF at = m_picture.points[isBelow ? edge.first : edge.first + edge.points - 1];
        const double y = isBelow ? at.y() + apart : at.y() - apart - size.height();
        const double gap = isBelow || edge.blocker == session::no_id ? beside : beside_sign;
        const quint32 level = m_picture.nodes[isBelow ? edge.from : edge.to].level;
        for (double x : {at.x() + gap, at.x() - gap - size.width()}) {
            const QRectF rect(QPointF(x, y), size);
            if (!isFree(rect, level))
                continue;
            m_placed.add(rect, quint32(m_picture.labels.size()));
            m_picture.labels.push_back({rect, text, id, level});
            return;
        }
    }

    bool isFree(const QRectF& rect, quint32 level) const {
        const QRectF around = rect.adjusted(-apart, -apart + 1, apart, apart - 1);
        if (!hullOf(level).contains(rect))
            return false;
        const auto covers = [&](const auto& grid, const auto& list, auto rectOf) {
            return std::ranges::any_of(grid.touching(around),
                                       [&](quint32 i) { return (list[i].*rectOf).intersects(around); });
        };
        const auto crossed = [&](const PictureGrid& grid, const auto& list) {
            return std::ranges::any_of(grid.touching(around),
                                       [&](quint32 i) { return isCrossed(around, list[i].first, list[i].points); });
        };
        return !covers(m_picture.nodeGrid, m_picture.nodes, &PictureBox::rect) &&
               !covers(m_solid, m_picture.groups, &PictureGroup::header) &&
               !covers(m_picture.stubGrid, m_picture.stubs, &PictureStub::rect) &&
               !crossed(m_picture.stubGrid, m_picture.stubs) &&
               !covers(m_placed, m_picture.labels, &PictureLabel::rect) &&
               !crossed(m_picture.edgeGrid, m_picture.edges);
    }
    QRectF hullOf(quint32 level) const {
        const auto at = m_picture.groupOfKey.find(m_picture.boxes->drawn.groups[level].key);
        return at == m_picture.groupOfKey.end() ? m_picture.bounds : m_picture.groups[at->second].rect;
    }
    bool isCrossed(const QRectF& rect, quint32 first, quint32 points) const {
        for (quint32 k = first; k + 1 < first + points; ++k)
            if (m_picture.lines[k] != GraphPicture::NoLine &&
                crosses(rect, m_picture.points[k], m_picture.points[k + 1]))
                return true;
        return false;
    }

    GraphPicture& m_picture;
    PictureGrid m_solid; // headers
    RoughGrid m_placed;
};

} // namespace

QPointF bentAt(QPointF from, QPointF to, double share) {
    // Of a cubic with both handles half way down.
    const double s = share, r = 1 - share;
    const double side = s * s * (3 - 2 * s);
    const double down = 1.5 * s * r * r + 1.5 * s * s * r + s * s * s;
    return {from.x() + (to.x() - from.x()) * side, from.y() + (to.y() - from.y()) * down};
}

void addLabels(GraphPicture& picture) {
    Labels(picture).run();
}

} // namespace hidet::ui
