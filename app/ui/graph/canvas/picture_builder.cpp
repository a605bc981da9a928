// SPDX-License-Identifier: GPL-3.0-only
// From boxes to a picture: how large each is by what it says, the layout, and what the layout's places mean to those that
// draw and click. Only what is shown gets texts: a folded model of 20,000 nodes costs as much as the boxes that it shows.
#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_set>

#include <QCoreApplication>

#include "app/ui/graph/canvas/graph_picture.h"
#include "app/ui/graph/canvas/picture_labels.h"
#include "app/ui/graph/canvas/picture_text.h"

namespace hidet::ui {

using session::no_id;

namespace {

constexpr double side = 10; // beside texts in a box
constexpr double rim = 6;   // above and below them
constexpr double least_width = 72, most_width = 232;
constexpr double header_height = 24;
constexpr double marker = 18; // of the sign that a group is open or closed
constexpr double chip_gap = 4, most_chip = 132;
constexpr qsizetype most_chips = 3;
constexpr double time_width = 72; // in headers of kernels

QRectF rectOf(const drawing::Box& box) {
    return {box.at.x, box.at.y, box.size.width, box.size.height};
}

struct Draft {
    QString label;
    QStringList details, chips;
    std::vector<quint32> chipValues;
    std::vector<double> chipWidths;
    drawing::Size size;
};

// What boxes say, and how large they are for that.
class DraftMaker {
public:
    DraftMaker(const PictureRequest& request, const GraphPicture& picture, const session::GraphBoxes& boxes)
        : m_request(request), m_picture(picture), m_boxes(boxes) {}

    QString cut(const QString& text, GraphFace face, double width) const {
        return m_request.metrics.elided(text, face, width);
    }

    Draft draftOf(const session::GraphBox& box) const {
        Draft draft;
        draft.label = QString::fromStdString(box.label);
        const auto add_shape = [&](quint32 id) {
            if (const session::GraphValue* value = m_picture.value(id); value && !value->shape.empty())
                draft.details << shapeOf(*value);
        };
        if (box.kind != session::BoxKind::Operator) {
            add_shape(box.value);
            fit(draft, 0);
            return draft;
        }
        if (!box.outputs.empty())
            add_shape(box.outputs.front());
        if (const session::GraphNode* node = m_picture.node(box.node))
            if (const QString attributes = attributesOf(*node); !attributes.isEmpty())
                draft.details << attributes;
        for (quint32 id : box.chips) {
            const session::GraphValue* value = m_picture.value(id);
            if (!value)
                continue;
            if (draft.chips.size() == most_chips) {
                draft.chips << QString();
                continue;
            }
            draft.chips << chipOf(*value);
            draft.chipValues.push_back(id);
        }
        if (draft.chips.size() > most_chips) {
            const qsizetype left = draft.chips.size() - most_chips;
            draft.chips = draft.chips.mid(0, most_chips) << QStringLiteral("+%1").arg(left);
        }
        fit(draft, 0);
        return draft;
    }

    // `first`, `last`: values that go in and come out; no_id: none does.
    Draft closedOf(quint32 place, quint32 first, quint32 last) const {
        const session::GraphBoxGroup& group = m_boxes.groups[place];
        Draft draft;
        draft.label = titleAt(place);
        draft.details << sizeOf(group);
        const session::GraphValue* into = m_picture.value(first);
        const session::GraphValue* outOf = m_picture.value(last);
        QStringList ends;
        for (const session::GraphValue* value : {into, outOf})
            if (value && !value->shape.empty())
                ends << QString::fromStdString(value->shape);
        if (!ends.isEmpty())
            draft.details << ends.join(QStringLiteral(" \u2192 "));
        fit(draft, marker);
        return draft;
    }

    Draft headerOf(quint32 place) const {
        const session::GraphBoxGroup& group = m_boxes.groups[place];
        Draft draft;
        draft.label = cut(titleAt(place), GraphFace::Label, most_width);
        draft.details << sizeOf(group);
        const double time = group.kernel == no_id ? 0 : time_width;
        draft.size = {std::ceil(marker + width(draft.label, GraphFace::Label) + side +
                                width(draft.details.front(), GraphFace::Detail) + 2 * side + time),
                      header_height};
        return draft;
    }

private:
    double width(const QString& text, GraphFace face) const { return m_request.metrics.width(text, face); }
    // Texts that are too long are cut; the box is as large as the rest needs.
    void fit(Draft& draft, double beside) const {
        const GraphMetrics& metrics = m_request.metrics;
        const double room = most_width - 2 * side - beside;
        draft.label = cut(draft.label, GraphFace::Label, room);
        double widest = width(draft.label, GraphFace::Label) + beside;
        double height = 2 * rim + metrics.height(GraphFace::Label);
        for (QString& line : draft.details) {
            line = cut(line, GraphFace::Detail, most_width - 2 * side);
            widest = std::max(widest, width(line, GraphFace::Detail));
            height += metrics.height(GraphFace::Detail);
        }
        if (!draft.chips.isEmpty()) {
            widest = std::max(widest, fitChips(draft));
            height += metrics.height(GraphFace::Detail) + 6;
        }
        draft.size = {std::ceil(std::max(least_width, widest + 2 * side)), std::ceil(height)};
    }
    double fitChips(Draft& draft) const {
        const auto width_of = [this](const QString& chip) { return width(chip, GraphFace::Detail) + 10; };
        double sum = 0;
        for (qsizetype i = 0; i < draft.chips.size(); ++i) {
            draft.chips[i] = cut(draft.chips[i], GraphFace::Detail, most_chip - 10);
            const double wide = width_of(draft.chips[i]);
            if (i > 0 && sum + chip_gap + wide > most_width - 2 * side) {
                // The rest is a number: in the place of the last one if there is no room behind it.
                const qsizetype kept = std::max<qsizetype>(i - 1, 1);
                const qsizetype left = draft.chips.size() - kept;
                draft.chips = draft.chips.mid(0, kept) << QStringLiteral("+%1").arg(left);
                draft.chipWidths.resize(std::size_t(kept));
                draft.chipWidths.push_back(width_of(draft.chips.back()));
                break;
            }
            draft.chipWidths.push_back(wide);
            sum += wide + (i > 0 ? chip_gap : 0);
        }
        sum = 0;
        for (double wide : draft.chipWidths)
            sum += wide + chip_gap;
        return sum - chip_gap;
    }

    // Of a kernel its name, once the model is planned.
    QString titleAt(quint32 place) const {
        const session::GraphBoxGroup& group = m_boxes.groups[place];
        const std::vector<session::GraphKernel>& kernels = m_request.graph->kernels;
        if (group.kernel < kernels.size() && !kernels[group.kernel].names.empty())
            return titleOf(kernels[group.kernel]);
        return titleOf(group);
    }

    const PictureRequest& m_request;
    const GraphPicture& m_picture;
    const session::GraphBoxes& m_boxes;
};

// The ways of edges as points, each line of a value drawn once.
class WayMaker {
public:
    WayMaker(const drawing::ViewDrawing& layout, GraphPicture& out) : m_layout(layout), m_out(out) {
        m_isGap.assign(layout.points.size() + 1, 0);
        for (quint32 gap : layout.gaps)
            m_isGap[gap] = 1;
        out.points.reserve(layout.points.size());
    }

    // Of an edge, or of the stub of one.
    template <class Piece>
    void addWay(Piece& of, quint32 first, quint32 count) {
        of.first = quint32(m_out.points.size());
        for (quint32 i = first; i < first + count; ++i) {
            const QPointF at(m_layout.points[i].x, m_layout.points[i].y);
            if (i > first && !m_isGap[i])
                addLine(m_out.points.back(), at, of.value);
            addPoint(at);
        }
        of.points = quint32(m_out.points.size()) - of.first;
    }

private:
    struct LineKey {
        quint32 value;
        QPointF from, to;
        bool operator==(const LineKey& other) const {
            return value == other.value && from.x() == other.from.x() && from.y() == other.from.y() &&
                   to.x() == other.to.x() && to.y() == other.to.y();
        }
    };
    struct HashLine {
        std::size_t operator()(const LineKey& key) const {
            std::uint64_t hash = key.value;
            for (double part : {key.from.x(), key.from.y(), key.to.x(), key.to.y()})
                hash = (hash ^ std::bit_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15ull, hash ^= hash >> 29;
            return std::size_t(hash);
        }
    };

    void addPoint(QPointF at) {
        m_out.points.push_back(at);
        m_out.lines.push_back(GraphPicture::NoLine);
    }
    // Up to `to`, without that. Of a vertical line the part that is drawn already gets points of its own.
    void addLine(QPointF from, QPointF to, quint32 value) {
        if (from.x() != to.x()) {
            const bool isNew = m_drawn.insert({value, from, to}).second;
            m_out.lines.back() = isNew ? GraphPicture::OwnLine : GraphPicture::SharedLine;
            return;
        }
        auto& known = m_vertical[{value, QPointF(from.x(), 0), {}}];
        for (double y = from.y(); y < to.y();) {
            double covered = y, next = to.y();
            for (const auto& [top, bottom] : known) {
                if (top <= y && bottom > y)
                    covered = std::max(covered, bottom);
                else if (top > y)
                    next = std::min(next, top);
            }
            if (y > from.y())
                addPoint({from.x(), y});
            m_out.lines.back() = covered > y ? GraphPicture::SharedLine : GraphPicture::OwnLine;
            y = std::min(to.y(), covered > y ? covered : next);
        }
        known.emplace_back(from.y(), to.y());
    }

    const drawing::ViewDrawing& m_layout;
    GraphPicture& m_out;
    std::vector<char> m_isGap; // of the layout's points
    std::unordered_set<LineKey, HashLine> m_drawn;
    std::unordered_map<LineKey, std::vector<std::pair<double, double>>, HashLine> m_vertical; // from top to bottom
};

QRectF boundsOf(const std::vector<QPointF>& points, quint32 first, quint32 count) {
    if (count == 0)
        return {};
    QRectF bounds(points[first], points[first]);
    for (quint32 i = first + 1; i < first + count; ++i) {
        const QPointF at = points[i];
        bounds.setLeft(std::min(bounds.left(), at.x()));
        bounds.setRight(std::max(bounds.right(), at.x()));
        bounds.setBottom(std::max(bounds.bottom(), at.y()));
    }
    return bounds;
}

void fillGrids(GraphPicture& out) {
    out.nodeGrid.fill(out.bounds, out.nodes, &PictureBox::rect);
    out.stubGrid.fill(out.bounds, out.stubs, [&](const PictureStub& stub) {
        QRectF all = stub.rect;
        for (quint32 k = 0; k < stub.points; ++k)
            all |= QRectF(out.points[stub.first + k], QSizeF(1, 1));
        return all;
    });
    out.edgeGrid.start(out.bounds, out.edges.size());
    for (quint32 i = 0; i < out.edges.size(); ++i) {
        const PictureEdge& edge = out.edges[i];
        for (quint32 k = edge.first; k + 1 < edge.first + edge.points; ++k)
            if (out.lines[k] != GraphPicture::NoLine)
                out.edgeGrid.add(QRectF(out.points[k], out.points[k + 1]).normalized(), i);
    }
    out.edgeGrid.finish();
}

} // namespace

class PictureBuilder {
public:
    PictureBuilder(const PictureRequest& request, std::shared_ptr<const session::GraphBoxes> boxes)
        : m_request(request), m_boxes(*boxes), m_out(std::make_shared<GraphPicture>()) {
        m_out->graph = request.graph;
        m_out->boxes = std::move(boxes);
        m_out->metrics = request.metrics;
    }

    PicturePtr build(drawing::DrawingMemory& memory, const std::atomic<bool>& cancelled) {
        indexGraph();
        m_out->keys = m_request.keys;
        m_view = m_boxes.drawn;
        for (std::size_t i = 1; i < m_view.groups.size(); ++i)
            m_view.groups[i].is_open = m_request.open.contains(m_view.groups[i].key);
        findShown();
        findCrossing();
        sizeAll();
        if (cancelled)
            return nullptr;
        m_layout = drawing::lay_out(m_view, options(cancelled), memory);
        if (m_layout.is_cancelled || cancelled)
            return nullptr;
        m_out->bounds = {0, 0, m_layout.size.width, m_layout.size.height};
        addBoxes();
        addGroups();
        WayMaker ways(m_layout, *m_out);
        addEdges(ways);
        addStubs(ways);
        addBlockers();
        fillGrids(*m_out);
        addLabels(*m_out);
        return cancelled ? nullptr : PicturePtr(m_out);
    }

private:
    static drawing::ViewOptions options(const std::atomic<bool>& cancelled) {
        drawing::ViewOptions out;
        out.flat.layer_gap = 34;
        out.flat.node_gap = 20;
        out.flat.edge_gap = 10;
        out.flat.cancelled = &cancelled;
        out.padding = 12;
        out.stub = {104, 18};
        return out;
    }

    void indexGraph() {
        const auto index = [](const auto& list, std::unordered_map<quint32, quint32>& places) {
            places.reserve(list.size());
            for (quint32 i = 0; i < list.size(); ++i)
                places[list[i]->id] = i;
        };
        index(m_request.graph->nodes, m_out->m_nodes);
        index(m_request.graph->values, m_out->m_values);
    }

    // The outermost closed group around what is in a group; 0: it is shown.
    void findShown() {
        m_closed.assign(m_view.groups.size(), 0);
        for (quint32 i = 1; i < m_view.groups.size(); ++i) {
            const drawing::ViewGroup& group = m_view.groups[i];
            m_closed[i] = m_closed[group.parent] != 0 ? m_closed[group.parent] : group.is_open ? 0 : i;
        }
    }
    bool isShown(quint32 group) const { return group == 0 || m_closed[m_view.groups[group].parent] == 0; }

    quint32 valueOf(const drawing::FlatEdge& edge) const {
        const std::vector<quint32>& outputs = m_boxes.boxes[edge.from].outputs;
        return edge.output < outputs.size() ? outputs[edge.output] : no_id;
    }

    // The first value that goes into a closed group, and the first that comes out.
    void findCrossing() {
        m_into.assign(m_view.groups.size(), no_id);
        m_outOf.assign(m_view.groups.size(), no_id);
        for (const drawing::FlatEdge& edge : m_view.edges) {
            const quint32 from = m_closed[m_view.nodes[edge.from].group], to = m_closed[m_view.nodes[edge.to].group];
            if (from == to)
                continue;
            if (to != 0 && m_into[to] == no_id)
                m_into[to] = valueOf(edge);
            if (from != 0 && m_outOf[from] == no_id)
                m_outOf[from] = valueOf(edge);
        }
    }

    void sizeAll() {
        const DraftMaker maker(m_request, *m_out, m_boxes);
        m_drafts.resize(m_view.nodes.size());
        for (std::size_t i = 0; i < m_view.nodes.size(); ++i) {
            if (m_closed[m_view.nodes[i].group] != 0)
                continue;
            m_drafts[i] = maker.draftOf(m_boxes.boxes[i]);
            m_view.nodes[i].size = m_drafts[i].size;
        }
        m_groupDrafts.resize(m_view.groups.size());
        for (quint32 i = 1; i < m_view.groups.size(); ++i) {
            if (!isShown(i))
                continue;
            m_groupDrafts[i] = m_view.groups[i].is_open ? maker.headerOf(i) : maker.closedOf(i, m_into[i], m_outOf[i]);
            (m_view.groups[i].is_open ? m_view.groups[i].header : m_view.groups[i].closed) = m_groupDrafts[i].size;
        }
    }

    void addBoxes() {
        m_boxOf.assign(m_view.nodes.size(), no_id);
        m_closedBoxOf.assign(m_view.groups.size(), no_id);
        for (quint32 i = 0; i < m_view.nodes.size(); ++i)
            if (m_layout.nodes[i].is_shown)
                m_boxOf[i] = addNode(i);
        for (quint32 i = 1; i < m_view.groups.size(); ++i)
            if (m_layout.groups[i].is_shown && !m_view.groups[i].is_open)
                m_closedBoxOf[i] = addClosed(i);
        for (quint32 i = 0; i < m_view.nodes.size(); ++i) {
            const quint32 box = shownBoxOf(i);
            const session::GraphBox& drawn = m_boxes.boxes[i];
            if (drawn.kind == session::BoxKind::Operator)
                m_out->boxOfNode[drawn.node] = box;
            else
                (drawn.kind == session::BoxKind::Input ? m_out->boxOfInput : m_out->boxOfOutput)[drawn.value] = box;
        }
        m_out->edgesIn.resize(m_out->nodes.size());
        m_out->edgesOut.resize(m_out->nodes.size());
    }
    quint32 addNode(quint32 i) {
        const session::GraphBox& drawn = m_boxes.boxes[i];
        PictureBox box = boxOf(m_layout.nodes[i], m_view.nodes[i].key, m_drafts[i]);
        box.role = drawn.kind == session::BoxKind::Operator ? BoxRole::Operator
                   : drawn.kind == session::BoxKind::Input  ? BoxRole::Input
                                                            : BoxRole::Output;
        box.id = box.role == BoxRole::Operator ? drawn.node : drawn.value;
        box.told = drawn.outputs.empty() ? no_id : drawn.outputs.front();
        addChips(box, m_drafts[i]);
        return add(std::move(box));
    }
    static PictureBox boxOf(const drawing::Box& drawn, GraphKey key, Draft& draft) {
        PictureBox box;
        box.rect = rectOf(drawn);
        box.level = drawn.level;
        box.key = key;
        box.label = std::move(draft.label);
        box.details = std::move(draft.details);
        return box;
    }
    void addChips(PictureBox& box, const Draft& draft) {
        box.firstChip = quint32(m_out->chips.size());
        box.chips = quint32(draft.chips.size());
        const double height = m_request.metrics.height(GraphFace::Detail) + 2;
        double x = box.rect.left() + side;
        for (std::size_t i = 0; i < box.chips; ++i) {
            const quint32 value = i < draft.chipValues.size() ? draft.chipValues[i] : no_id;
            const QRectF rect(x, box.rect.bottom() - rim - height, draft.chipWidths[i], height);
            m_out->chips.push_back({rect, draft.chips[qsizetype(i)], value});
            x += draft.chipWidths[i] + chip_gap;
        }
    }
    quint32 addClosed(quint32 i) {
        PictureBox box = boxOf(m_layout.groups[i], m_view.groups[i].key, m_groupDrafts[i]);
        box.role = BoxRole::Closed;
        box.id = i;
        box.told = m_outOf[i];
        return add(std::move(box));
    }
    quint32 add(PictureBox box) {
        const quint32 place = quint32(m_out->nodes.size());
        m_out->nodeOfKey[box.key] = place;
        m_out->nodes.push_back(std::move(box));
        return place;
    }

    void addGroups() {
        for (quint32 i = 1; i < m_view.groups.size(); ++i) {
            if (!m_layout.groups[i].is_shown || !m_view.groups[i].is_open)
                continue;
            PictureGroup group;
            group.rect = rectOf(m_layout.groups[i]);
            group.header = QRectF(group.rect.topLeft(), QSizeF(group.rect.width(), header_height));
            group.place = i;
            group.parent = m_layout.groups[i].level;
            group.kernel = m_boxes.groups[i].kernel;
            group.key = m_view.groups[i].key;
            group.label = std::move(m_groupDrafts[i].label);
            group.detail = m_groupDrafts[i].details.front();
            for (quint32 at = group.parent; at != 0; at = m_view.groups[at].parent)
                ++group.depth;
            m_out->groupOfKey[group.key] = quint32(m_out->groups.size());
            m_out->groups.push_back(std::move(group));
        }
        std::stable_sort(m_out->groups.begin(), m_out->groups.end(),
                         [](const PictureGroup& a, const PictureGroup& b) { return a.depth < b.depth; });
        for (quint32 i = 0; i < m_out->groups.size(); ++i)
            m_out->groupOfKey[m_out->groups[i].key] = i;
    }

    quint32 boxAt(drawing::Item item) const { return item.is_group ? m_closedBoxOf[item.index] : m_boxOf[item.index]; }

    void addEdges(WayMaker& ways) {
        for (const drawing::ShownEdge& shown : m_layout.edges) {
            const drawing::FlatEdge& flat = m_view.edges[shown.edge];
            PictureEdge edge;
            edge.from = boxAt(shown.from);
            edge.to = boxAt(shown.to);
            edge.value = valueOf(flat);
            edge.consumer = m_boxes.boxes[flat.to].node;
            ways.addWay(edge, shown.first_point, shown.points);
            edge.bounds = boundsOf(m_out->points, edge.first, edge.points);
            const quint32 place = quint32(m_out->edges.size());
            m_out->edgesOut[edge.from].push_back(place);
            m_out->edgesIn[edge.to].push_back(place);
            m_out->edges.push_back(edge);
        }
    }
    void addStubs(WayMaker& ways) {
        for (const drawing::Stub& stub : m_layout.stubs) {
            const drawing::FlatEdge& flat = m_view.edges[stub.edge];
            PictureStub out;
            out.rect = rectOf(stub.box);
            out.isSource = stub.is_source;
            out.value = valueOf(flat);
            out.box = boxAt(stub.item);
            ways.addWay(out, stub.first_point, stub.points);
            nameStub(out, flat);
            m_out->stubs.push_back(std::move(out));
        }
    }
    quint32 shownBoxOf(quint32 node) const {
        const quint32 closed = m_closed[m_view.nodes[node].group];
        return closed == 0 ? m_boxOf[node] : m_closedBoxOf[closed];
    }
    void nameStub(PictureStub& stub, const drawing::FlatEdge& flat) const {
        const session::GraphValue* value = m_out->value(stub.value);
        const std::size_t readers = value ? value->consumers.size() : 1;
        QString text;
        if (stub.isSource && readers > 1) {
            text = QCoreApplication::translate("GraphPicture", "to %1 readers").arg(readers);
        } else {
            stub.other = shownBoxOf(stub.isSource ? flat.to : flat.from);
            text = (stub.isSource ? QStringLiteral("\u2192 ") : QString()) + m_out->nodes[stub.other].label;
        }
        stub.text = m_request.metrics.elided(text, GraphFace::Detail, stub.rect.width() - 12);
    }

    void addBlockers() {
        const std::vector<session::GraphBlocker>& blockers = m_request.graph->blockers;
        for (quint32 i = 0; i < blockers.size(); ++i) {
            const auto from = m_out->boxOfNode.find(blockers[i].producer),
                       to = m_out->boxOfNode.find(blockers[i].consumer);
            if (from == m_out->boxOfNode.end() || to == m_out->boxOfNode.end() || from->second == to->second)
                continue;
            for (quint32 edge : m_out->edgesIn[to->second])
                if (m_out->edges[edge].from == from->second && m_out->edges[edge].value == blockers[i].value)
                    m_out->edges[edge].blocker = std::min(m_out->edges[edge].blocker, i);
        }
    }

    const PictureRequest& m_request;
    const session::GraphBoxes& m_boxes;
    std::shared_ptr<GraphPicture> m_out;
    drawing::GroupView m_view;
    drawing::ViewDrawing m_layout;
    std::vector<quint32> m_closed, m_into, m_outOf; // by group
    std::vector<Draft> m_drafts, m_groupDrafts;
    std::vector<quint32> m_boxOf, m_closedBoxOf; // place in the picture
};

// As they were called in pictures of earlier texts.
static std::shared_ptr<const session::GraphBoxes> withKeys(const session::GraphBoxes& boxes, const BoxKeys& keys) {
    const auto out = std::make_shared<session::GraphBoxes>(boxes);
    for (std::size_t i = 0; i < out->boxes.size(); ++i) {
        const session::GraphBox& box = out->boxes[i];
        const bool isOperator = box.kind == session::BoxKind::Operator;
        const auto& known = isOperator ? keys.nodes : keys.values;
        if (const auto key = known.find(isOperator ? box.node : box.value); key != known.end())
            out->drawn.nodes[i].key = key->second ^ drawing::Key(box.kind);
    }
    return out;
}

PicturePtr makePicture(const PictureRequest& request, const std::atomic<bool>& cancelled) {
    const std::lock_guard lock(request.store->mutex);
    if (cancelled || !request.graph)
        return nullptr;
    std::shared_ptr<const session::GraphBoxes> boxes = request.boxes;
    LayoutStore& store = *request.store;
    if (!boxes) {
        if (store.graph != request.graph || !(store.grouping == request.grouping)) {
            store.boxes = request.graph->boxes(request.grouping);
            if (request.keys)
                store.boxes = withKeys(*store.boxes, *request.keys);
        }
        store.graph = request.graph;
        store.grouping = request.grouping;
        boxes = store.boxes;
    }
    if (cancelled || !boxes)
        return nullptr;
    return PictureBuilder(request, std::move(boxes)).build(store.memory, cancelled);
}

} // namespace hidet::ui
