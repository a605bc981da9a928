// SPDX-License-Identifier: GPL-3.0-only
// The strip above a graph: after which pass it is shown, what is put together, what colours mean, and the search.
#pragma once

#include <QLabel>
#include <QSlider>

#include "app/ui/graph/canvas/graph_search.h"
#include "app/ui/graph/canvas/overlay_commands.h"
#include "app/ui/widgets/bar_parts.h"

namespace hidet::ui {

class GraphStrip : public QWidget {
    Q_OBJECT
public:
    GraphStrip(Studio& studio, LiveModel& model, QWidget* parent = nullptr);

    GraphSearch& search() { return *m_search; }
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QToolButton* button(const QString& icon, Command command, int by);
    QToolButton* toggle(const QString& text, Command command, const QString& name);
    void showPasses();
    void showGrouping();

    Studio& m_studio;
    LiveModel& m_model;
    BarParts* m_parts; // before the buttons that are of it
    QToolButton *m_previous, *m_next;
    QSlider* m_slider;
    ElidedLabel* m_pass;
    QToolButton *m_scopes, *m_repeats, *m_kernels;
    OverlayBox* m_overlays;
    GraphSearch* m_search;
};

} // namespace hidet::ui
