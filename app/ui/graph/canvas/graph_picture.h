// SPDX-License-Identifier: GPL-3.0-only
// Where everything of a model's graph is: boxes, open groups, edges and texts, in pixels at 100 %. Plain data, made off the
// GUI thread and never changed; painter, minimap, hit tests, the walk by keys and exports all read the same one.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <QFont>
#include <QPointF>
#include <QRectF>
#include <QSet>
#include <QString>

#include "app/session/model/view/model_view.h"
#include "app/ui/workbench/model_carry.h"

namespace hidet::ui {

// The two sizes of text in a picture.
enum class GraphFace : quint8 {
    Label, // operators and groups
    Detail // shapes, constants, what is at edges
};

// How wide texts of the picture are, as plain numbers: captured from fonts on the GUI thread, used on any other.
class GraphMetrics {
public:
    static GraphMetrics ofFonts(const QFont& label, const QFont& detail);
    static GraphMetrics fixed(); // the same on every machine: for tests

    double width(QStringView text, GraphFace face) const; // never less than it is drawn
    double height(GraphFace face) const { return m_faces[std::size_t(face)].height; }
    // The text, or as much of its beginning as fits, with an ellipsis.
    QString elided(const QString& text, GraphFace face, double width) const;

    friend bool operator==(const GraphMetrics&, const GraphMetrics&) = default;

private:
    struct Face {
        std::array<float, 128> ascii{};
        float other = 0; // the widest of other letters
        float height = 0;
        friend bool operator==(const Face&, const Face&) = default;
    };
    std::array<Face, 2> m_faces;
};

using GraphKey = drawing::Key;

enum class BoxRole : quint8 { Operator, Input, Output, Closed };

struct PictureChip {
    QRectF rect;
    QString text;
    quint32 value = session::no_id;
};

struct PictureBox {
    QRectF rect;
    BoxRole role = BoxRole::Operator;
    quint32 id = session::no_id; // node; value of an input or output; place in `boxes->groups` of a closed group
    quint32 level = 0;           // the open group around it: its place in `boxes->groups`
    GraphKey key = 0;
    quint32 told = session::no_id; // value whose shape it says
    QString label;
    QStringList details; // the lines below: shape, attributes
    quint32 firstChip = 0, chips = 0;
};

struct PictureGroup { // an open one
    QRectF rect, header;
    quint32 place = 0;  // in `boxes->groups`
    quint32 parent = 0; // the same
    quint32 kernel = session::no_id;
    quint32 depth = 0;
    GraphKey key = 0;
    QString label, detail;
};

struct PictureEdge {
    quint32 from = 0, to = 0; // boxes
    quint32 value = session::no_id;
    quint32 consumer = session::no_id; // the first of them; none: an output of the model
    quint32 first = 0, points = 0;     // its way
    quint32 blocker = session::no_id;  // place in the graph's blockers; none: nothing was refused here
    QRectF bounds;
};

// An edge that is cut leads to a tag with the name of what is at its other end.
struct PictureStub {
    QRectF rect;
    QString text;
    quint32 box = session::no_id; // it hangs on; none: on the side of an open group
    quint32 value = session::no_id;
    quint32 other = session::no_id; // box at the other end; none: there are several
    quint32 first = 0, points = 0;
    bool isSource = false; // below the producer
};

struct PictureLabel {
    QRectF rect;
    QString text;
    quint32 edge = 0;
    quint32 level = 0; // the open group that it is in
};

// Which of many rectangles are near a place: a grid of cells, filled once.
class PictureGrid {
public:
    // About as many cells as `expected` things.
    void start(const QRectF& bounds, std::size_t expected);
    void add(const QRectF& rect, quint32 id); // several times for one of several parts
    void finish();
    // One rectangle for each of a list.
    template <class List, class RectOf>
    void fill(const QRectF& bounds, const List& list, const RectOf& rectOf) {
        start(bounds, list.size());
        for (std::size_t i = 0; i < list.size(); ++i)
            add(std::invoke(rectOf, list[i]), quint32(i));
        finish();
    }

    // Ids of what may touch the rectangle, ascending, each once.
    std::vector<quint32> touching(const QRectF& rect) const;

private:
    struct Span {
        int left, top, right, bottom;
    };
    Span cellsOf(const QRectF& rect) const;

    QRectF m_bounds;
    double m_cellWidth = 1, m_cellHeight = 1;
    int m_columns = 0, m_rows = 0;
    struct Entry {
        quint32 cell, id;
    };
    std::vector<Entry> m_entries; // until it is finished
    std::vector<quint32> m_first; // of every cell, in m_ids
    std::vector<quint32> m_ids;
};

class GraphPicture {
public:
    std::shared_ptr<const session::ModelGraph> graph;
    std::shared_ptr<const session::GraphBoxes> boxes;
    std::shared_ptr<const BoxKeys> keys; // that the boxes have; null: those of their ids
    GraphMetrics metrics;
    QRectF bounds;
    std::vector<PictureBox> nodes;
    std::vector<PictureGroup> groups; // outer ones first
    std::vector<PictureEdge> edges;
    std::vector<PictureStub> stubs;
    std::vector<PictureLabel> labels;
    std::vector<PictureChip> chips;
    std::vector<QPointF> points;
    // Of a point: what the line from it to the next one is. Edges of one value share lines; one of them draws each.
    enum Line : quint8 { NoLine, OwnLine, SharedLine };
    std::vector<quint8> lines;
    PictureGrid nodeGrid, edgeGrid, stubGrid, labelGrid;
    std::unordered_map<GraphKey, quint32> nodeOfKey;              // boxes, closed groups among them
    std::unordered_map<GraphKey, quint32> groupOfKey;             // open groups
    std::unordered_map<quint32, quint32> boxOfNode;               // node -> the box that shows it, a closed group maybe
    std::unordered_map<quint32, quint32> boxOfInput, boxOfOutput; // value -> box
    std::vector<std::vector<quint32>> edgesIn, edgesOut;          // of boxes

    const session::GraphNode* node(quint32 id) const;   // null: not in the graph
    const session::GraphValue* value(quint32 id) const; // null: not in the graph
    const session::GraphBoxGroup& groupAt(quint32 place) const { return boxes->groups[place]; }
    // The box that shows the node, or the closed group that hides it; null: not in the picture.
    const PictureBox* boxOf(quint32 node) const;
    // Groups around a node, from the outside in, without the first.
    std::vector<GraphKey> groupsAround(quint32 node) const;
    std::vector<GraphKey> groupsAround(GraphKey group) const;

private:
    friend class PictureBuilder;
    std::unordered_map<quint32, quint32> m_nodes, m_values; // id -> place in the graph
};

using PicturePtr = std::shared_ptr<const GraphPicture>;

// What is kept from picture to picture of one model: layouts of groups, and where everything was. One picture is made at a
// time; the one before it ends soon once it is cancelled.
struct LayoutStore {
    std::mutex mutex;
    drawing::DrawingMemory memory;
    std::shared_ptr<const session::ModelGraph> graph; // of `boxes`
    session::GroupingOptions grouping;
    std::shared_ptr<const session::GraphBoxes> boxes;
};

struct PictureRequest {
    std::shared_ptr<const session::ModelGraph> graph;
    std::shared_ptr<const session::GraphBoxes> boxes; // null: made from the graph and the grouping
    session::GroupingOptions grouping;
    QSet<GraphKey> open;
    GraphMetrics metrics;
    std::shared_ptr<LayoutStore> store;
    std::shared_ptr<const BoxKeys> keys; // null: those of the boxes
};

// Null: cancelled.
PicturePtr makePicture(const PictureRequest& request, const std::atomic<bool>& cancelled);

} // namespace hidet::ui
