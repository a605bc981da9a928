// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_canvas.h"

#include <algorithm>
#include <cmath>

#include <QGuiApplication>
#include <QPaintEvent>
#include <QPainter>
#include <QStyle>

#include "app/ui/charts/chart_frame.h"
#include "app/ui/core/dispose.h"
#include "app/ui/graph/canvas/graph_tips.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/graph_marks.h"

namespace hidet::ui {

namespace {

constexpr int motion_ms = 180;
constexpr int fades_after_ms = 150;

bool isAnimated(const QWidget& widget) {
    return QGuiApplication::platformName() != "offscreen" &&
           widget.style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, &widget) > 0;
}

} // namespace

GraphCanvas::GraphCanvas(Studio& studio, LiveModel& model, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_model(model), m_painter(studio.themes), m_viewport(*this),
      m_looks(model, m_painter), m_fading(fades_after_ms, [this] { setFaded(m_model.graphs().isBehind()); }) {
    named(this, "graphCanvas", tr("Graph of %1").arg(model.title()));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_motion.timer.setInterval(16);
    connect(&m_motion.timer, &QTimer::timeout, this, [this] {
        m_motion.drawn.progress = std::min(1.0, double(m_motion.clock.elapsed()) / motion_ms);
        if (m_motion.drawn.progress >= 1) {
            m_motion.timer.stop();
            m_motion.drawn = {};
        }
        update();
    });
    connect(&studio.themes, &ThemeSource::changed, this, [this] {
        const GraphMetrics before = m_painter.metrics();
        m_painter.refresh();
        if (m_painter.metrics() == before)
            m_looks.refresh();
        else
            makePicture();
    });
    connect(&model.graphs(), &ModelGraphs::shownChanged, this, &GraphCanvas::makePicture);
    for (auto signal : {&GraphDisplay::foldingChanged, &GraphDisplay::groupingChanged})
        connect(&model.display(), signal, this, &GraphCanvas::makePicture);
    connect(&m_looks, &CanvasLooks::changed, this, qOverload<>(&QWidget::update));
    connect(&m_viewport, &GraphViewport::changed, this, qOverload<>(&QWidget::update));
    connect(&model.selection(), &GraphSelection::selectionChanged, this, [this](QObject* origin) {
        if (origin != this)
            showSelection();
        update();
    });
    connect(&model.selection(), &GraphSelection::hoverChanged, this, qOverload<>(&QWidget::update));
    connect(&model, &LiveModel::stateChanged, this, [this] {
        if (!m_model.graphs().isBehind())
            setFaded(false);
        else if (!m_isFaded && !m_fading.isActive())
            m_fading.start();
    });
    connect(&model.marks(), &GraphMarks::changed, this, qOverload<>(&QWidget::update));
    connect(&model.selection(), &GraphSelection::revealRequested, this, &GraphCanvas::reveal);
    makePicture();
}

// A text that is read within a blink leaves no trace.
void GraphCanvas::setFaded(bool isFaded) {
    if (!isFaded)
        m_fading.stop();
    if (std::exchange(m_isFaded, isFaded) != isFaded)
        update();
}

bool GraphCanvas::showsSigns() const {
    return m_model.display().grouping().by_kernel && m_picture && !m_picture->graph->blockers.empty();
}

GraphScene GraphCanvas::scene() const {
    GraphScene scene;
    scene.picture = m_picture.get();
    scene.style = &m_looks.style();
    scene.selected = m_model.selection().selected();
    scene.hovered = m_model.selection().hovered();
    scene.strongEdges = m_looks.strongEdges();
    scene.showsBlockers = showsSigns();
    const GraphMarks& marks = m_model.marks();
    for (auto at = marks.shown().begin(); at != marks.shown().end(); ++at)
        scene.marks << DrawnMark{at.key(), marks.all()[at.value()].isBookmark, marks.all()[at.value()].note};
    std::ranges::sort(scene.marks, {}, &DrawnMark::node); // the same from run to run
    return scene;
}

void GraphCanvas::makePicture() {
    const int shown = m_model.graphs().shownNumber();
    if (shown < 0) {
        m_making.cancel();
        m_picture = nullptr;
        m_viewport.setPicture(nullptr);
        update();
        emit pictureChanged();
        return;
    }
    PictureRequest request;
    request.graph = m_model.graphs().snapshot()->graphs[std::size_t(shown)];
    request.grouping = m_model.display().grouping();
    request.open = m_model.display().open();
    request.metrics = m_painter.metrics();
    request.store = m_store;
    request.keys = m_model.graphs().boxKeys();
    m_making.run([request](const std::atomic<bool>& stopped) { return ui::makePicture(request, stopped); },
                 [this](PicturePtr picture) { take(std::move(picture)); });
    emit pictureChanged(); // it is busy
}

void GraphCanvas::take(PicturePtr picture) {
    if (!picture)
        return;
    PicturePtr before = std::exchange(m_picture, std::move(picture));
    m_viewport.setPicture(m_picture);
    if (m_viewport.wasMoved() && before) {
        const QPointF shift = keepInPlace(*before);
        if (m_motion.isWanted.value_or(isAnimated(*this)) && isVisible() &&
            detailAt(m_viewport.view().zoom) != Detail::Overview) {
            m_motion.drawn = {before, shift, 0};
            m_motion.clock.start();
            m_motion.timer.start();
        }
    } else {
        m_viewport.firstLook();
    }
    m_pointer.hit = {};
    m_looks.setPicture(m_picture);
    if (const GraphItem wanted = std::exchange(m_next, {}).shown)
        m_viewport.show(wanted);
    emit pictureChanged();
    m_studio.commands.refresh(); // some need a picture
    disposeInBackground(std::move(before));
}

static QRectF rectOfKey(const GraphPicture& picture, GraphKey key) {
    if (const auto box = picture.nodeOfKey.find(key); box != picture.nodeOfKey.end())
        return picture.nodes[box->second].rect;
    const auto group = picture.groupOfKey.find(key);
    return group == picture.groupOfKey.end() ? QRectF() : picture.groups[group->second].rect;
}

// Where it was. Ids may have been given anew between two pictures: keys say what is the same.
static QRectF rectBefore(const GraphPicture& before, const GraphPicture& now, const GraphItem& item) {
    if (before.keys == now.keys || item.kind == GraphItem::Kind::Group)
        return rectOfItem(before, item);
    if (item.kind == GraphItem::Kind::Value)
        for (const auto* boxes : {&now.boxOfInput, &now.boxOfOutput})
            if (const auto at = boxes->find(item.value); at != boxes->end())
                return rectOfKey(before, now.nodes[at->second].key);
    const PictureBox* box = now.boxOf(item.node);
    return box ? rectOfKey(before, box->key) : QRectF();
}

// What was asked to stay, or else the selection, or else what is in the middle.
QPointF GraphCanvas::keepInPlace(const GraphPicture& before) {
    Next next = m_next;
    const auto isInBoth = [&](const GraphItem& item) {
        return item && !rectBefore(before, *m_picture, item).isEmpty() && !rectOfItem(*m_picture, item).isEmpty();
    };
    const QRectF seen = m_viewport.view().seen();
    if (!isInBoth(next.held)) {
        next = {};
        if (isInBoth(m_model.selection().selected()) &&
            rectBefore(before, *m_picture, m_model.selection().selected()).intersects(seen))
            next.held = m_model.selection().selected();
    }
    if (!next.held) {
        double least = 0;
        for (quint32 i : before.nodeGrid.touching(seen)) {
            const PictureBox& box = before.nodes[i];
            const QPointF off = box.rect.center() - seen.center();
            const double away = std::abs(off.x()) + std::abs(off.y());
            if (next.held && away >= least)
                continue;
            if (const auto same = m_picture->nodeOfKey.find(box.key); same != m_picture->nodeOfKey.end()) {
                next.held = itemOf(m_picture->nodes[same->second]);
                least = away;
            }
        }
    }
    if (!next.held)
        return {};
    const QRectF was = rectBefore(before, *m_picture, next.held), is = rectOfItem(*m_picture, next.held);
    // A box that is smaller now has to reach under the pointer.
    const QPointF inside(std::min(next.offset.x(), std::max(0.0, is.width() - 16)), next.offset.y());
    const QPointF shift = (is.topLeft() + inside) - (was.topLeft() + next.offset);
    m_viewport.shift(shift);
    return shift;
}

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (!m_picture) {
        painter.fillRect(rect(), m_painter.colors().canvas());
        return;
    }
    GraphScene now = scene();
    if (m_motion.drawn.before)
        now.motion = &m_motion.drawn;
    m_painter.paint(painter, now, m_viewport.view());
    if (m_isFaded) {
        QColor veil = m_painter.colors().canvas();
        veil.setAlphaF(0.55f);
        painter.fillRect(rect(), veil);
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_painter.colors().theme().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void GraphCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        m_painter.refresh();
        makePicture();
    }
    QWidget::changeEvent(event);
}

void GraphCanvas::reveal(const GraphItem& item) {
    if (!m_picture) {
        m_next.shown = item;
        return;
    }
    const auto isIn = [&](const session::ModelGraph& graph) {
        return (item.node == session::no_id || graph.node(item.node)) &&
               (item.value == session::no_id || graph.value(item.value));
    };
    // Of a node that a pass has replaced the last graph that has it.
    const session::ModelGraph* shown = m_model.graphs().shown();
    if (shown && item.kind != GraphItem::Kind::Group && !isIn(*shown)) {
        const auto& graphs = m_model.graphs().snapshot()->graphs;
        for (std::size_t i = graphs.size(); i-- > 0;)
            if (isIn(*graphs[i])) {
                m_next.shown = item;
                m_model.graphs().setShown(int(i));
                break;
            }
    }
    std::vector<GraphKey> around;
    if (item.kind == GraphItem::Kind::Group)
        around = m_picture->groupsAround(item.group);
    else
        for (quint32 node : nodesOf(*m_picture, item))
            for (GraphKey key : m_picture->groupsAround(node))
                around.push_back(key);
    QSet<GraphKey> open = m_model.display().open();
    for (GraphKey key : around)
        open.insert(key);
    if (open != m_model.display().open()) {
        m_next.shown = item;
        m_viewport.keep();
        m_model.display().setAllOpen(open);
    } else if (!m_making.busy()) {
        m_viewport.show(item);
    } else {
        m_next.shown = item;
    }
}

void GraphCanvas::showSelection() {
    if (!m_picture || !m_model.selection().selected())
        return;
    if (m_making.busy())
        m_next.shown = m_model.selection().selected();
    else
        m_viewport.show(m_model.selection().selected());
}

void GraphCanvas::toggle(const GraphItem& item, std::optional<QPointF> at) {
    GraphItem group = item;
    if (m_picture && item.kind != GraphItem::Kind::Group)
        group = enclosing(*m_picture, item);
    if (!m_picture || group.kind != GraphItem::Kind::Group)
        return;
    const QRectF rect = rectOfItem(*m_picture, group);
    m_next.held = group;
    m_next.offset = {};
    if (at)
        m_next.offset = {std::clamp(at->x() - rect.left(), 0.0, rect.width()),
                         std::clamp(at->y() - rect.top(), 0.0, rect.height())};
    m_viewport.keep();
    const bool wasOpen = m_model.display().open().contains(group.group);
    if (wasOpen && group != m_model.selection().selected())
        m_model.selection().select(group, this);
    m_model.display().setOpen(group.group, !wasOpen);
}

void GraphCanvas::step(WalkTo to) {
    if (!m_picture)
        return;
    const GraphItem from = m_model.selection().selected();
    const GraphItem next = walk(*m_picture, from, to, m_before);
    if (!next)
        return;
    m_before = from;
    m_model.selection().select(next, this);
    m_viewport.show(next);
    const QString saying = sayingOf(*m_picture, next);
    describeChart(*this, saying);
    m_studio.notices.showStatus(saying);
}

void GraphCanvas::highlight(std::optional<Along> along) {
    if (!m_picture || !m_model.selection().selected())
        return;
    QSet<quint32> nodes;
    for (Along way : {Along::Producers, Along::Consumers})
        if (!along || *along == way)
            nodes.unite(reachable(*m_picture, m_model.selection().selected(), way));
    m_model.selection().mark(nodes);
    m_looks.showPath();
    m_studio.notices.showStatus(nodes.size() == 1 ? tr("1 operator is marked")
                                                  : tr("%1 operators are marked").arg(nodes.size()));
}

bool GraphCanvas::leave() {
    if (m_model.selection().marked()) {
        m_model.selection().mark({});
        return true;
    }
    if (!m_model.selection().selected())
        return false;
    m_model.selection().select(m_picture ? enclosing(*m_picture, m_model.selection().selected()) : GraphItem(), this);
    if (m_model.selection().selected())
        m_viewport.show(m_model.selection().selected());
    return true;
}

} // namespace hidet::ui
