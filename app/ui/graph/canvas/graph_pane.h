// SPDX-License-Identifier: GPL-3.0-only
// One model in the window: its graph, and above it what is shown of it. While the model is read, and when it cannot be, a
// message stands in the graph's place.
#pragma once

#include <QStackedLayout>
#include <QTimer>
#include <QWidget>

#include "app/ui/graph/canvas/graph_canvas.h"
#include "app/ui/graph/canvas/graph_legend.h"
#include "app/ui/graph/canvas/graph_strip.h"
#include "app/ui/graph/canvas/minimap.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/work_line.h"

namespace hidet::ui {

class GraphPane : public QWidget {
    Q_OBJECT
public:
    GraphPane(Studio& studio, LiveModel& model, QWidget* parent = nullptr);

    GraphCanvas& canvas() { return *m_canvas; }
    GraphStrip& strip() { return *m_strip; }
    Minimap& minimap() { return *m_minimap; }
    GraphLegend& legend() { return *m_legend; }

    enum class Part { All, Selection };
    void exportPicture(Part part); // asks where to

private:
    void showState();
    void tellOfReading();
    void tellOfBroken();
    void bindCommands();
    void bindFolding();
    void bindView();
    void bindSearch();
    bool isInFront() const { return m_studio.graphModel() == &m_model; }

    Studio& m_studio;
    LiveModel& m_model;
    GraphStrip* m_strip;
    WorkLine* m_work;
    QStackedLayout* m_stack;
    EmptyState* m_message;
    GraphCanvas* m_canvas;
    GraphLegend* m_legend;
    Minimap* m_minimap;
    QTimer m_patience; // then one may want to stop
    bool m_isStopped = false;
    LatestTask m_writing{LatestTask::Wanted::ByPerson}; // last: its results arrive here
};

} // namespace hidet::ui
