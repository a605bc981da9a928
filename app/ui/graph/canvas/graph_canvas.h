// SPDX-License-Identifier: GPL-3.0-only
// The graph of a model, to be moved over and looked at from any distance. The picture is made on another thread whenever the
// graph, its grouping or what is open changes; until it is there the one before stays, and what was looked at stays in its
// place on the screen. Selection and folding are the model's: the canvas shows them and asks for them.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include "app/ui/core/one_shot.h"
#include "app/ui/graph/canvas/canvas_looks.h"
#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/graph/canvas/graph_viewport.h"
#include "app/ui/graph/canvas/graph_walk.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class GraphCanvas : public QWidget {
    Q_OBJECT
public:
    GraphCanvas(Studio& studio, LiveModel& model, QWidget* parent = nullptr);

    LiveModel& model() { return m_model; }
    const PicturePtr& picture() const { return m_picture; } // null: none yet
    GraphViewport& viewport() { return m_viewport; }
    CanvasLooks& looks() { return m_looks; }
    GraphPainter& painter() { return m_painter; }
    GraphScene scene() const; // as it is drawn now
    bool isMaking() const { return m_making.busy(); }

    // Folding; the header stays at the place of the screen, or else what is selected does.
    void toggle(const GraphItem& item, std::optional<QPointF> at = {});
    void step(WalkTo to);
    void highlight(std::optional<Along> along);                       // nothing: both ways
    void setAnimated(bool animated) { m_motion.isWanted = animated; } // whatever the desktop says
    bool isFaded() const { return m_isFaded; }                        // it is of an older text of its script
    bool isMoving() const { return m_motion.drawn.before != nullptr; }
    bool leave(); // clears the mark, or goes to the group around the selection; false: there is nothing to leave

    QSize sizeHint() const override { return {960, 640}; }

signals:
    void pictureChanged();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent*) override { m_viewport.resize(); }
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    // graph_canvas.cpp
    void makePicture();
    void take(PicturePtr picture);
    QPointF keepInPlace(const GraphPicture& before); // how far the picture has moved under the view
    void setFaded(bool isFaded);
    void reveal(const GraphItem& item);
    void showSelection();
    bool showsSigns() const;

    // graph_canvas_input.cpp
    PictureHit hitAt(QPointF at) const;
    void hoverAt(QPointF at);
    void clickAt(QPointF at);
    std::function<void()> actOf(const QKeyEvent& event); // null: the key means nothing here
    void updateCursor();

    Studio& m_studio;
    LiveModel& m_model;
    GraphPainter m_painter;
    std::shared_ptr<LayoutStore> m_store = std::make_shared<LayoutStore>();
    PicturePtr m_picture;
    GraphViewport m_viewport;
    CanvasLooks m_looks;

    struct Next {       // when the next picture comes
        GraphItem held; // what stays in its place
        QPointF offset; // from its corner, in the picture
        GraphItem shown;
    };
    Next m_next;
    GraphItem m_before; // where the walk by keys came from
    bool m_isFaded = false;
    OneShot m_fading;

    struct Motion {
        GraphMotion drawn;
        QElapsedTimer clock;
        QTimer timer;
        std::optional<bool> isWanted; // nothing: as the desktop says
    };
    Motion m_motion;

    struct Pointer {
        std::optional<QPointF> pressedAt, draggedFrom;
        bool holdsSpace = false;
        PictureHit hit;
    };
    Pointer m_pointer;

    LatestTask m_making; // last: its results arrive here
};

} // namespace hidet::ui
