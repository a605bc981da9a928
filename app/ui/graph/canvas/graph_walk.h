// SPDX-License-Identifier: GPL-3.0-only
// Ways through a graph: from box to box by the arrow keys, and everything that a node depends on or that depends on it.
#pragma once

#include "app/ui/graph/canvas/picture_hits.h"

namespace hidet::ui {

enum class WalkTo { Up, Down, Left, Right, First, Last };
// The item beside another one; nothing: there is none that way. Up and down go along edges, to the box `before` where that is
// one of them, left and right stay in the layer. From nothing the walk starts at an end.
GraphItem walk(const GraphPicture& picture, const GraphItem& from, WalkTo to, const GraphItem& before);
// The open group around it; nothing: none is.
GraphItem enclosing(const GraphPicture& picture, const GraphItem& item);

// Nodes that an item stands for: itself, all of a group, both ends of an edge.
QSet<quint32> nodesOf(const GraphPicture& picture, const GraphItem& item);
enum class Along { Producers, Consumers };
QSet<quint32> reachable(const GraphPicture& picture, const GraphItem& from, Along along); // with where it starts

} // namespace hidet::ui
