// SPDX-License-Identifier: GPL-3.0-only
// What the boxes of a canvas wear, as its model has it: overlay, marks, changes. Overlays are read on another thread.
#pragma once

#include <memory>

#include <QObject>
#include <QSet>

#include "app/ui/core/latest_task.h"
#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

class CanvasLooks : public QObject {
    Q_OBJECT
public:
    CanvasLooks(LiveModel& model, const GraphPainter& painter);

    const GraphStyle& style() const { return m_style; } // of the boxes of the picture
    const session::Overlay& overlay() const { return m_overlay; }
    const QSet<quint32>* strongEdges() const { return m_strongEdges.isEmpty() ? nullptr : &m_strongEdges; }

    void setPicture(const PicturePtr& picture);
    void refresh();
    void expectHits() { m_areHits = true; } // the next mark is of a search: edges between hits say nothing
    void showPath();                        // what is marked is one, also if the same nodes were hits

signals:
    void changed();

private:
    void readOverlay();
    void findStrongEdges();

    LiveModel& m_model;
    const GraphPainter& m_painter;
    PicturePtr m_picture; // null: none yet
    GraphStyle m_style;
    session::Overlay m_overlay, m_times;
    std::shared_ptr<const ShownChanges> m_changes; // null: none are shown
    bool m_isPath = false;                         // what is marked: edges between are strong
    bool m_areHits = false;                        // what is marked next
    QSet<quint32> m_strongEdges;
    LatestTask m_reading; // last: its results arrive here
};

} // namespace hidet::ui
