// SPDX-License-Identifier: GPL-3.0-only
// What the boxes of a picture wear: the colours and numbers of an overlay, marks, and what a pass did. Made again when one of
// these changes; the picture stays.
#pragma once

#include <optional>

#include "app/ui/graph/graph_colors.h"
#include "app/ui/graph/graph_picture.h"
#include "app/ui/graph/overlay_colors.h"

namespace hidet::ui {

enum class BoxChange : quint8 { None, Added, Rewired };

struct BoxDress {
    QColor fill;
    QString text; // the number of the overlay, or the rule that made it
    bool isFaint = false;
    bool isBeyond = false; // needs a look
    BoxChange change = BoxChange::None;
};

struct GraphDress {
    std::vector<BoxDress> boxes; // as those of the picture
    OverlayColors colors;
    std::vector<QString> kernelTimes; // by place in the graph's kernels
    bool isPredicted = false, areTimesPredicted = true;
};

struct DressRequest {
    const session::Overlay* overlay = nullptr; // null: not there yet
    const session::Overlay* times = nullptr;   // of kernels; null: none are known
    const std::optional<QSet<quint32>>* marked = nullptr;
    bool showsChanges = false; // of the pass
};
GraphDress makeDress(const GraphPicture& picture, const GraphColors& colors, const DressRequest& request);

} // namespace hidet::ui
