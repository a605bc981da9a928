// SPDX-License-Identifier: GPL-3.0-only
// What the boxes of a picture wear: the colours and numbers of an overlay, marks, and what a pass did or a comparison with
// another model found. Made again when one of these changes; the picture stays.
#pragma once

#include <optional>

#include <QHash>

#include "app/session/model/compare/graph_changes.h"
#include "app/ui/core/theme.h"
#include "app/ui/graph/canvas/graph_picture.h"
#include "app/ui/graph/canvas/overlay_colors.h"

namespace hidet::ui {

// The colours of a graph that are not those of an overlay (overlay_colors.h), made from the theme.
class GraphColors {
public:
    explicit GraphColors(const Theme& theme);

    const Theme& theme() const { return *m_theme; }
    QColor canvas() const { return m_theme->window; }
    QColor hull(quint32 depth) const;        // behind what is in an open group
    QColor kernelHull(quint32 kernel) const; // the same, for operators that share a kernel
    QColor header(const QColor& hull) const;
    QColor plain() const { return m_theme->raised; } // of inputs, outputs, closed groups, and of what has no number
    QColor edge() const { return m_edge; }
    QColor border(const QColor& fill) const; // around a box
    QColor faint(const QColor& color) const; // of what is not marked
    QColor muted(const QColor& fill) const;  // text of second rank on the fill
    QColor block(const QColor& fill) const;  // the fill where there are no borders: from afar

private:
    const Theme* m_theme;
    QColor m_edge;
};

struct BoxStyle {
    QColor fill;
    QString text; // the number of the overlay, of a group the sum; or the rule that made it
    QString sign; // before the name, where it is all that there is room for
    bool isFaint = false;
    bool isBeyond = false;                                // needs a look
    session::PairState change = session::PairState::Same; // by a pass, or against another model
    bool isPredicted = false;                             // the number
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
QColor markOfPair(const Theme& theme, session::PairState state);  // of what is not the same
QString signOfPair(session::PairState state);                     // "+"; empty: the same
GraphStyle makeStyle(const GraphPicture& picture, const GraphColors& colors, const StyleRequest& request);

} // namespace hidet::ui
