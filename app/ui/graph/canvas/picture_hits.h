// SPDX-License-Identifier: GPL-3.0-only
// What is at a place of a picture, and where things of the model are in it.
#pragma once

#include "app/ui/graph/canvas/graph_picture.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

struct PictureHit {
    enum class What { Nothing, Box, Header, Hull, Edge, Stub, Sign, Chip };
    What what = What::Nothing;
    quint32 place = 0; // in the list of the picture that it is of; of a sign the edge
    explicit operator bool() const { return what != What::Nothing; }
};
// `reach`: how far from an edge still means it. Signs are hit only where they are shown.
PictureHit hitAt(const GraphPicture& picture, QPointF at, double reach, bool hasSigns);
GraphItem itemOf(const GraphPicture& picture, const PictureHit& hit);

// The constant of a box that is drawn there: its place in the picture's chips; no_box: none.
quint32 chipAt(const GraphPicture& picture, quint32 box, QPointF at);

GraphItem itemOf(const PictureBox& box);
inline GraphItem itemOf(const PictureGroup& group) {
    return GraphItem::ofGroup(group.key);
}

constexpr quint32 no_box = session::no_id;
// The box that shows the item: of a node in a closed group that group's. None: an open group, an edge, or nothing at all.
quint32 boxOfItem(const GraphPicture& picture, const GraphItem& item);
// Where it is; empty: it is not in the picture.
QRectF rectOfItem(const GraphPicture& picture, const GraphItem& item);
// The edge of an Edge item, into a closed group maybe; none: it is not in the picture.
quint32 edgeOfItem(const GraphPicture& picture, const GraphItem& item);

} // namespace hidet::ui
