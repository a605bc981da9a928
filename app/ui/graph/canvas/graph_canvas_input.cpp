// SPDX-License-Identifier: GPL-3.0-only
// What mouse, touch pad and keys do to the canvas.
#include <cmath>

#include <QApplication>
#include <QContextMenuEvent>
#include <QNativeGestureEvent>
#include <QToolTip>

#include "app/ui/graph/canvas/graph_canvas.h"
#include "app/ui/graph/canvas/graph_tips.h"
#include "app/ui/graph/fusion/choice_actions.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/graph_marks.h"

namespace hidet::ui {

using What = PictureHit::What;

namespace {

constexpr double reach = 5;     // pixels from an edge that still mean it
constexpr double key_step = 64; // pixels that a view moves by a key
constexpr double key_zoom = 1.25;
constexpr double marker_width = 20; // of the sign that opens and closes, at 100 %

// Whether that opens and closes a group.
bool isOnMarker(const GraphPicture& picture, const PictureHit& hit, const GraphItem& item, QPointF at) {
    if (item.kind != GraphItem::Kind::Group || hit.what == What::Hull)
        return false;
    const QPointF in = at - rectOfItem(picture, item).topLeft();
    return in.x() <= marker_width && in.y() <= marker_width + 4;
}

} // namespace

PictureHit GraphCanvas::hitAt(QPointF at) const {
    if (!m_picture)
        return {};
    const PictureHit hit =
        ui::hitAt(*m_picture, m_viewport.view().toPicture(at), reach / m_viewport.view().zoom, showsSigns());
    if (hit.what == What::Box && detailAt(m_viewport.view().zoom) == Detail::Full)
        if (const quint32 chip = chipAt(*m_picture, hit.place, m_viewport.view().toPicture(at)); chip != no_box)
            return {What::Chip, chip};
    return hit;
}

bool GraphCanvas::event(QEvent* event) {
    switch (event->type()) {
    case QEvent::ShortcutOverride:
        // Keys that mean something here are not those of commands.
        if (actOf(*static_cast<QKeyEvent*>(event))) {
            event->accept();
            return true;
        }
        break;
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        const PictureHit hit = hitAt(help->pos());
        QString tip = hit ? tipOf(*m_picture, hit, &m_looks.style()) : QString();
        if (const GraphItem item = hit ? itemOf(*m_picture, hit) : GraphItem(); item.kind == GraphItem::Kind::Node)
            if (const GraphMark* mark = m_model.marks().of(item.node); mark && !mark->note.isEmpty())
                tip += tr("\nNote: %1").arg(mark->note);
        // Names in tips are not mark-up.
        QToolTip::showText(
            help->globalPos(),
            tip.isEmpty() ? tip : QStringLiteral("<p style='white-space:pre'>%1").arg(tip.toHtmlEscaped()), this);
        return true;
    }
    case QEvent::NativeGesture: {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() != Qt::ZoomNativeGesture)
            break;
        m_viewport.zoomTo(m_viewport.view().zoom * (1 + gesture->value()), gesture->position());
        return true;
    }
    default: break;
    }
    return QWidget::event(event);
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    event->accept();
    if (event->modifiers() & Qt::ControlModifier) {
        m_viewport.zoomTo(m_viewport.view().zoom * std::pow(2.0, event->angleDelta().y() / 480.0), event->position());
        return;
    }
    QPointF by =
        event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 120.0 * key_step : QPointF(event->pixelDelta());
    if (event->modifiers() & Qt::ShiftModifier)
        by = by.transposed();
    m_viewport.moveBy(-by);
    hoverAt(event->position());
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && m_pointer.holdsSpace)) {
        m_pointer.draggedFrom = event->position();
    } else if (event->button() == Qt::LeftButton) {
        m_pointer.pressedAt = event->position();
    } else {
        QWidget::mousePressEvent(event);
        return;
    }
    updateCursor();
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (m_pointer.pressedAt && !m_pointer.draggedFrom &&
        (event->position() - *m_pointer.pressedAt).manhattanLength() >= QApplication::startDragDistance())
        m_pointer.draggedFrom = m_pointer.pressedAt;
    if (m_pointer.draggedFrom) {
        m_viewport.moveBy(*m_pointer.draggedFrom - event->position());
        m_pointer.draggedFrom = event->position();
        updateCursor();
        return;
    }
    hoverAt(event->position());
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const bool isClick = m_pointer.pressedAt && !m_pointer.draggedFrom && event->button() == Qt::LeftButton;
    m_pointer.pressedAt.reset();
    m_pointer.draggedFrom.reset();
    if (isClick)
        clickAt(event->position());
    updateCursor();
}

void GraphCanvas::clickAt(QPointF at) {
    const PictureHit hit = hitAt(at);
    if (hit.what == What::Stub) {
        const PictureStub& stub = m_picture->stubs[hit.place];
        if (stub.other != session::no_id) {
            const GraphItem other = itemOf(m_picture->nodes[stub.other]);
            m_model.selection().select(other, this);
            m_viewport.show(other);
        } else if (const session::GraphValue* value = m_picture->value(stub.value)) {
            m_model.selection().mark(QSet<quint32>(value->consumers.begin(), value->consumers.end()));
        }
        return;
    }
    const GraphItem item = hit ? itemOf(*m_picture, hit) : GraphItem();
    m_before = {};
    m_model.selection().select(item, this);
    setAccessibleDescription(item ? sayingOf(*m_picture, item) : QString());
    const QPointF inPicture = m_viewport.view().toPicture(at);
    if (item && isOnMarker(*m_picture, hit, item, inPicture))
        toggle(item, inPicture);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    const PictureHit hit = hitAt(event->position());
    const GraphItem item = hit ? itemOf(*m_picture, hit) : GraphItem();
    const QPointF at = m_viewport.view().toPicture(event->position());
    if (item && isOnMarker(*m_picture, hit, item, at))
        return; // the first click was enough
    if (item.kind == GraphItem::Kind::Group && hit.what != What::Hull)
        toggle(item, at);
    else if (item.kind == GraphItem::Kind::Node)
        m_studio.commands.action(Command::GraphCode)->trigger();
    else if (hit.what == What::Chip)
        m_studio.commands.action(Command::GraphValues)->trigger();
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Mouse)
        if (const PictureHit hit = hitAt(event->pos()); hit && hit.what != What::Stub)
            m_model.selection().select(itemOf(*m_picture, hit), this);
    m_studio.commands.refresh();
    QMenu* menu = newMenu(this);
    for (Command command :
         {Command::GraphToggle, Command::GraphFitSelection, Command::GraphPath, Command::GraphProducers,
          Command::GraphConsumers, Command::GraphUnmark, Command::GraphBookmark, Command::GraphNote,
          Command::GraphDeleteNote, Command::GraphCode, Command::GraphValues, Command::ModelExportOperator,
          Command::FileExport, Command::GraphPictureSelection}) {
        if (command == Command::GraphPath || command == Command::GraphBookmark)
            menu->addSeparator();
        if (command == Command::GraphPictureSelection) {
            addChoiceActions(*menu, m_studio, m_model, m_model.selection().selected());
            menu->addSeparator();
        }
        menu->addAction(m_studio.commands.action(command));
    }
    menu->popup(event->globalPos());
}

void GraphCanvas::hoverAt(QPointF at) {
    m_pointer.hit = hitAt(at);
    // A hull is behind everything: it does not light up whenever the mouse is between boxes.
    m_model.selection().hover(
        m_pointer.hit && m_pointer.hit.what != What::Hull ? itemOf(*m_picture, m_pointer.hit) : GraphItem(), this);
    updateCursor();
}

void GraphCanvas::leaveEvent(QEvent*) {
    m_pointer.hit = {};
    m_model.selection().hover({}, this);
}

void GraphCanvas::updateCursor() {
    const bool isLink = m_pointer.hit.what == What::Stub;
    setCursor(m_pointer.draggedFrom  ? Qt::ClosedHandCursor
              : m_pointer.holdsSpace ? Qt::OpenHandCursor
              : isLink               ? Qt::PointingHandCursor
                                     : Qt::ArrowCursor);
}

std::function<void()> GraphCanvas::actOf(const QKeyEvent& event) {
    if (event.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier))
        return {};
    const bool moves = event.modifiers() & Qt::ShiftModifier; // the view, not the selection
    const auto go = [this, moves](WalkTo to, QPointF by) {
        return [this, moves, to, by] { moves ? m_viewport.moveBy(by) : step(to); };
    };
    const auto move = [this](double pages) { return [this, pages] { m_viewport.moveBy({0, pages * height()}); }; };
    const auto zoom = [this](double by) { return [this, by] { m_viewport.zoomBy(by); }; };
    switch (event.key()) {
    case Qt::Key_Up: return go(WalkTo::Up, {0, -key_step});
    case Qt::Key_Down: return go(WalkTo::Down, {0, key_step});
    case Qt::Key_Left: return go(WalkTo::Left, {-key_step, 0});
    case Qt::Key_Right: return go(WalkTo::Right, {key_step, 0});
    case Qt::Key_Home: return [this] { step(WalkTo::First); };
    case Qt::Key_End: return [this] { step(WalkTo::Last); };
    case Qt::Key_PageUp: return move(-0.8);
    case Qt::Key_PageDown: return move(0.8);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return [this] {
            if (m_model.selection().selected().kind == GraphItem::Kind::Group)
                toggle(m_model.selection().selected());
        };
    case Qt::Key_F: return [this] { m_viewport.fit(); };
    case Qt::Key_1: return [this] { m_viewport.actualSize(m_model.selection().selected()); };
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoom(key_zoom);
    case Qt::Key_Minus: return zoom(1 / key_zoom);
    case Qt::Key_Escape:
        if (m_model.selection().marked() || m_model.selection().selected())
            return [this] { leave(); };
        return {};
    case Qt::Key_Space:
        return [this] {
            m_pointer.holdsSpace = true;
            updateCursor();
        };
    default: return {};
    }
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    if (const auto act = actOf(*event))
        act();
    else
        QWidget::keyPressEvent(event);
}

void GraphCanvas::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Space || event->isAutoRepeat()) {
        QWidget::keyReleaseEvent(event);
        return;
    }
    m_pointer.holdsSpace = false;
    updateCursor();
}

void GraphCanvas::focusOutEvent(QFocusEvent*) {
    m_pointer.holdsSpace = false;
    m_pointer.pressedAt.reset();
    m_pointer.draggedFrom.reset();
    updateCursor();
    update();
}

} // namespace hidet::ui
