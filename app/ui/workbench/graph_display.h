// SPDX-License-Identifier: GPL-3.0-only
// How all views draw the graph of a model: which groups there are and which of them are open, and what the colours of boxes mean.
#pragma once

#include <optional>

#include <QHash>
#include <QObject>
#include <QSet>

#include "app/session/model/compare/graph_match.h"
#include "app/session/model/view/model_view.h"
#include "app/session/model/view/overlay.h"

namespace hidet::ui {

class Commands;

class GraphDisplay : public QObject {
    Q_OBJECT
public:
    GraphDisplay(Commands& commands, QObject* parent);

    const session::GroupingOptions& grouping() const { return m_grouping; }
    void setGrouping(const session::GroupingOptions& grouping);
    const QSet<drawing::Key>& open() const { return m_open; } // groups that show what is in them
    void setOpen(drawing::Key group, bool open);
    void setAllOpen(const QSet<drawing::Key>& groups);

    session::OverlayKind overlay() const { return m_overlay; }
    void setOverlay(session::OverlayKind kind);

    // What a comparison with another model says of nodes of the shown graph: in the place of the overlay while it is on.
    using Compared = QHash<quint32, session::PairState>;
    const std::optional<Compared>& compared() const { return m_compared; }
    void setCompared(std::optional<Compared> nodes); // overlayChanged()

signals:
    void foldingChanged();
    void groupingChanged();
    void overlayChanged();

private:
    Commands& m_commands;
    session::GroupingOptions m_grouping;
    QSet<drawing::Key> m_open;
    session::OverlayKind m_overlay{};
    std::optional<Compared> m_compared;
};

} // namespace hidet::ui
