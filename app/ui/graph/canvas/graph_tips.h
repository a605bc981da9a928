// SPDX-License-Identifier: GPL-3.0-only
// What is said of something in a picture: in a tool tip, and to those who hear the window.
#pragma once

#include "app/ui/graph/canvas/graph_style.h"
#include "app/ui/graph/canvas/picture_hits.h"

namespace hidet::ui {

// Several lines of plain text; empty: nothing to say.
QString tipOf(const GraphPicture& picture, const PictureHit& hit, const GraphStyle* style);
// One sentence: "conv2d, layer1.0.conv1, [1, 64, 56, 56], 2 inputs, 1 output".
QString sayingOf(const GraphPicture& picture, const GraphItem& item);

} // namespace hidet::ui
