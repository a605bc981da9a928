// SPDX-License-Identifier: GPL-3.0-only
// What the boxes of a picture wear: the colours and numbers of an overlay, marks, and what a pass did or a comparison with
// another model found. Made again when one of these changes; the picture stays.
#pragma once

#include <optional>

#include <QHash>

#include "app/session/model/compare/graph_changes.h"
#include "app/ui/graph/canvas/graph_colors.h"
#include "app/ui/graph/canvas/graph_picture.h"
#include "app/ui/graph/canvas/overlay_colors.h"

namespace hidet::ui {

enum class BoxChange : quint8 { None, Added, Rewired, Gone };

struct BoxStyle {
    QColor fill;
    QString text; // the number of the overlay, of a group the sum; or the rule that made it
    QString sign; // before the name, where it is all that there is room for
    bool isFaint = false;
    bool isBeyond = false; // needs a look
    BoxChange change = BoxChange::None;
    bool isPredicted = false; // the number
};

// What passes have made of the shown graph, counted in the groups that it is folded by.
struct ShownChanges {
    std::shared_ptr<const session::ModelGraph> graph, earlier;
    session::GraphChanges changes;
    session::FoldedChanges folded;
};

struct GraphStyle {
    std::vector<BoxStyle> boxes;                 // as those of the picture
    std::vector<QString> groupSigns;             // of open groups, by place in the boxes' groups: "+3 -2"; may be empty
    std::shared_ptr<const ShownChanges> changes; // null: none are shown
    OverlayColors colors;
    std::vector<QString> kernelTimes; // by place in the graph's kernels
    bool areTimesPredicted = true;
};

struct StyleRequest {
    const session::Overlay* overlay = nullptr; // null: not there yet
    const session::Overlay* times = nullptr;   // of kernels; null: none are known
    const std::optional<QSet<quint32>>* marked = nullptr;
    std::shared_ptr<const ShownChanges> changes;                  // null: none are shown
    bool colorsChanges = false;                                   // closed groups too: they are what the overlay shows
    const QHash<quint32, session::PairState>* compared = nullptr; // in the place of the overlay; null: nothing is
};
QString textOf(const session::ChangeCounts& counts);              // "+3 -2", with signs as pairs have them
QColor colorOfPair(const Theme& theme, session::PairState state); // behind text
QString signOfPair(session::PairState state);                     // "+"; empty: the same
GraphStyle makeStyle(const GraphPicture& picture, const GraphColors& colors, const StyleRequest& request);

} // namespace hidet::ui
