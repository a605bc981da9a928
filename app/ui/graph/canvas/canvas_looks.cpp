// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/canvas_looks.h"

#include <utility>

namespace hidet::ui {

namespace {

// Of all passes up to the shown graph, where the overlay says so; or else of the last one, but for the graph that is run,
// where nobody looks for it unless he asked.
std::shared_ptr<const ShownChanges> shownChanges(const session::ModelSnapshot& snapshot, int shown,
                                                 session::OverlayKind kind, const session::GroupingOptions& grouping) {
    const bool isSinceImport = kind == session::OverlayKind::SinceImport;
    const bool isLast = shown == int(snapshot.graphs.size()) - 1;
    if (shown <= 0 || (isLast && !isSinceImport && kind != session::OverlayKind::Changes))
        return nullptr;
    const std::size_t to = std::size_t(shown), from = isSinceImport ? 0 : to - 1;
    const auto out = std::make_shared<ShownChanges>();
    out->graph = snapshot.graphs[to];
    out->earlier = snapshot.graphs[from];
    out->changes = session::changes_between(snapshot, from, to);
    out->folded = session::folded(out->changes, *out->graph->boxes(grouping), out->earlier->boxes(grouping).get());
    return out;
}

} // namespace

CanvasLooks::CanvasLooks(LiveModel& model, const GraphPainter& painter) : m_model(model), m_painter(painter) {
    // Changes are counted in groups.
    for (auto signal : {&GraphDisplay::groupingChanged, &GraphDisplay::overlayChanged})
        connect(&model.display(), signal, this, &CanvasLooks::readOverlay);
    connect(&model.graphs(), &ModelGraphs::snapshotChanged, this, &CanvasLooks::readOverlay);
    connect(&model.results(), &ModelResults::findingsChanged, this, &CanvasLooks::readOverlay);
    // What is compared is there already.
    connect(&model.display(), &GraphDisplay::overlayChanged, this, &CanvasLooks::refresh);
    connect(&model.selection(), &GraphSelection::markedChanged, this, [this] {
        m_isPath = m_model.selection().marked() && !std::exchange(m_areHits, false);
        refresh();
    });
}

void CanvasLooks::setPicture(const PicturePtr& picture) {
    const PicturePtr before = std::exchange(m_picture, picture);
    if (m_picture && (!before || before->graph != m_picture->graph))
        readOverlay();
    refresh();
}

void CanvasLooks::showPath() {
    m_areHits = false;
    m_isPath = true;
    refresh();
}

void CanvasLooks::readOverlay() {
    const session::SnapshotPtr snapshot = m_model.graphs().snapshot();
    const int shown = m_model.graphs().shownNumber();
    if (!snapshot || shown < 0)
        return;
    struct Read {
        session::Overlay overlay, times;
        std::shared_ptr<const ShownChanges> changes;
    };
    const std::shared_ptr<const session::ModelGraph> graph = snapshot->graphs[std::size_t(shown)];
    const session::ModelFindings findings = m_model.results().findings();
    const session::OverlayKind kind = m_model.display().overlay();
    m_reading.run(
        [snapshot, graph, findings, kind, shown, grouping = m_model.display().grouping()](const std::atomic<bool>&) {
            Read read;
            read.changes = shownChanges(*snapshot, shown, kind, grouping);
            read.overlay = session::overlay_of(*snapshot, *graph, findings, kind);
            if (!graph->kernels.empty())
                read.times = session::overlay_of(*snapshot, *graph, findings,
                                                 findings.bench ? session::OverlayKind::Latency
                                                                : session::OverlayKind::Predicted);
            return read;
        },
        [this](Read read) {
            m_overlay = std::move(read.overlay);
            m_times = std::move(read.times);
            m_changes = std::move(read.changes);
            refresh();
        });
}

void CanvasLooks::refresh() {
    if (!m_picture)
        return;
    const GraphDisplay& display = m_model.display();
    StyleRequest request;
    request.overlay = m_overlay.nodes.empty() ? nullptr : &m_overlay;
    request.times = m_times.nodes.empty() ? nullptr : &m_times;
    request.marked = &m_model.selection().marked();
    request.changes = m_changes;
    request.colorsChanges =
        display.overlay() == session::OverlayKind::Changes || display.overlay() == session::OverlayKind::SinceImport;
    if (display.compared())
        request.compared = &*display.compared();
    m_style = makeStyle(*m_picture, m_painter.colors(), request);
    findStrongEdges();
    emit changed();
}

void CanvasLooks::findStrongEdges() {
    m_strongEdges.clear();
    if (!m_isPath || !m_model.selection().marked())
        return;
    for (quint32 i = 0; i < m_picture->edges.size(); ++i) {
        const PictureEdge& edge = m_picture->edges[i];
        if (!m_style.boxes[edge.from].isFaint && !m_style.boxes[edge.to].isFaint)
            m_strongEdges.insert(i);
    }
}

} // namespace hidet::ui
