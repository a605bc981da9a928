// SPDX-License-Identifier: GPL-3.0-only
// One model in the window: its graph, and above it what is shown of it. While the model is read, and when it cannot be, a
// message stands in the graph's place.
#pragma once

#include <QStackedLayout>
#include <QWidget>

#include "app/ui/core/one_shot.h"
#include "app/ui/graph/canvas/graph_canvas.h"
#include "app/ui/graph/canvas/graph_strip.h"
#include "app/ui/graph/canvas/minimap.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/work_line.h"

namespace hidet::ui {

// What the colours of the canvas mean, as a line below it, where it covers nothing: the classes that are there, or the scale of
// numbers.
class GraphLegend : public QWidget {
    Q_OBJECT
public:
    GraphLegend(GraphCanvas& canvas, ThemeSource& themes, QWidget* parent);

    struct Entry {
        QColor color;
        QString text;
    };
    const QList<Entry>& entries() const { return m_entries; } // of classes; none: there is a scale

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();
    void noteUnmet(const session::Overlay& overlay);
    void listCompared(const GraphDisplay::Compared& nodes);
    int paintText(QPainter& painter, int left, const QString& text) const; // where it ends
    int paintScale(QPainter& painter, int left) const;

    GraphCanvas& m_canvas;
    ThemeSource& m_themes;
    QString m_title, m_note, m_least, m_greatest;
    QList<Entry> m_entries;
    bool m_hasScale = false, m_isPredicted = false;
};

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
    bool isInFront() const { return m_studio.tabs.graphModel() == &m_model; }

    Studio& m_studio;
    LiveModel& m_model;
    GraphStrip* m_strip;
    WorkLine* m_work;
    QStackedLayout* m_stack;
    EmptyState* m_message;
    GraphCanvas* m_canvas;
    GraphLegend* m_legend;
    Minimap* m_minimap;
    static constexpr int patience_ms = 1000;
    OneShot m_patience{patience_ms, [this] { showState(); }}; // then one may want to stop
    bool m_isStopped = false;
    LatestTask m_writing{LatestTask::Wanted::ByPerson}; // last: its results arrive here
};

} // namespace hidet::ui
