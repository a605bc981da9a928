// SPDX-License-Identifier: GPL-3.0-only
// Shapes at edges, where no box near by says them and there is room: below groups and operators with several outputs, and
// where an edge arrives from afar. A label covers no box, no other label, no header, no tag and no edge.
#pragma once

#include "app/ui/graph/canvas/graph_picture.h"

namespace hidet::ui {

void addLabels(GraphPicture& picture); // and their grid

// An edge is vertical at its points and bends between them; how far it is from one to the next, 0 to 1.
QPointF bentAt(QPointF from, QPointF to, double share);

} // namespace hidet::ui
