// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/graph_painter.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <QApplication>

#include "app/ui/graph/edge_lines.h"
#include "app/ui/graph/picture_hits.h"

namespace hidet::ui {

namespace {

constexpr double names_from = 0.38, all_from = 0.72; // zooms
constexpr double text_side = 10;
constexpr double least_text = 9; // pixels of the screen
constexpr double least_header = 10.5;
constexpr double least_hull = 3;
constexpr qsizetype most_names = 80; // of groups, from afar
constexpr double corner = 4;

double pixelsOf(const QFont& font) {
    return QFontInfo(font).pixelSize();
}

QFont scaled(QFont font, double pixels) {
    // Halves of pixels, so that a smooth zoom does not make a font for each frame.
    font.setPixelSize(std::max(1, int(std::round(pixels))));
    return font;
}

double eased(double share) {
    return 1 - std::pow(1 - share, 3);
}

} // namespace

Detail detailAt(double zoom) {
    return zoom >= all_from ? Detail::Full : zoom >= names_from ? Detail::Names : Detail::Overview;
}

GraphPainter::GraphPainter(ThemeSource& themes) : m_themes(themes), m_colors(themes.theme()) {
    refresh();
}

void GraphPainter::refresh() {
    m_colors = GraphColors(m_themes.theme());
    m_label = QApplication::font();
    m_label.setWeight(QFont::DemiBold);
    m_detail = m_themes.smallFont();
    m_metrics = GraphMetrics::ofFonts(m_label, m_detail);
    m_texts = {};
}

QPointF GraphPainter::signOf(const GraphPicture& picture, const PictureEdge& edge) {
    const QPointF end = picture.points[edge.first + edge.points - 1];
    return {end.x(), end.y() - sign_radius - 2};
}

// One picture of one view.
class GraphPainter::Frame {
public:
    Frame(GraphPainter& owner, QPainter& painter, const GraphScene& scene, const GraphView& view)
        : m_owner(owner), m_painter(painter), m_scene(scene), m_picture(*scene.picture), m_view(view),
          m_colors(owner.m_colors), m_theme(owner.m_colors.theme()), m_detail(detailAt(view.zoom)),
          m_seen(view.seen().adjusted(-8, -8, 8, 8)),
          m_labelFont(scaled(owner.m_label, pixelsOf(owner.m_label) * view.zoom)),
          m_detailFont(scaled(owner.m_detail, pixelsOf(owner.m_detail) * view.zoom)) {}

    void paint() {
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        m_painter.fillRect(QRectF(QPointF(), m_view.size), m_colors.canvas());
        findVisible();
        drawHulls();
        m_painter.setOpacity(m_scene.motion ? eased(m_scene.motion->progress) : 1);
        drawEdges();
        drawStrongEdges();
        m_painter.setOpacity(1);
        drawHeaders();
        if (m_scene.motion)
            drawGone();
        drawBoxes();
        if (m_detail != Detail::Overview) {
            drawStubs();
            drawLabels();
            drawSigns();
        }
        if (!m_picture.groups.empty() && m_picture.groups.front().header.height() * m_view.zoom < least_header)
            drawGroupNames();
        drawOutlines();
    }

private:
    const BoxDress* dressOf(quint32 box) const {
        return m_scene.dress && box < m_scene.dress->boxes.size() ? &m_scene.dress->boxes[box] : nullptr;
    }
    QColor fillOf(quint32 box) const {
        const BoxDress* dress = dressOf(box);
        const QColor fill = dress ? dress->fill : m_colors.plain();
        return dress && dress->isFaint ? m_colors.faint(fill) : fill;
    }
    QColor textOn(const QColor& fill, bool isFaint, bool isFirst) const {
        const QColor color = isFirst ? m_theme.text : m_colors.muted(fill);
        return isFaint ? mixed(color, fill, 0.55) : color;
    }

    // Where a box is now: on its way from where it was.
    QRectF rectOf(quint32 box) const {
        const QRectF rect = m_picture.nodes[box].rect;
        if (!m_scene.motion)
            return rect;
        const GraphPicture& before = *m_scene.motion->before;
        const auto was = before.nodeOfKey.find(m_picture.nodes[box].key);
        if (was == before.nodeOfKey.end())
            return rect;
        const QRectF old = before.nodes[was->second].rect.translated(m_scene.motion->shift);
        const double t = eased(m_scene.motion->progress);
        return {old.topLeft() + (rect.topLeft() - old.topLeft()) * t, old.size() + (rect.size() - old.size()) * t};
    }
    double opacityOf(quint32 box) const {
        if (!m_scene.motion || m_scene.motion->before->nodeOfKey.contains(m_picture.nodes[box].key))
            return 1;
        return eased(m_scene.motion->progress);
    }

    void findVisible() {
        m_boxes = m_picture.nodeGrid.touching(m_seen);
        if (m_scene.motion) {
            const GraphPicture& before = *m_scene.motion->before;
            for (quint32 old : before.nodeGrid.touching(m_seen.translated(-m_scene.motion->shift)))
                if (const auto at = m_picture.nodeOfKey.find(before.nodes[old].key); at != m_picture.nodeOfKey.end())
                    m_boxes.push_back(at->second);
            std::sort(m_boxes.begin(), m_boxes.end());
            m_boxes.erase(std::unique(m_boxes.begin(), m_boxes.end()), m_boxes.end());
        }
        const double least = least_hull / m_view.zoom;
        for (quint32 i = 0; i < m_picture.groups.size(); ++i) {
            const QRectF& rect = m_picture.groups[i].rect;
            if (rect.width() >= least && rect.height() >= least && rect.intersects(m_seen))
                m_groups.push_back(i);
        }
    }

    QRectF onScreen(const QRectF& rect) const {
        const QRectF at = m_view.toScreen(rect);
        const QPointF from(std::round(at.left()), std::round(at.top()));
        return {from, QPointF(std::max(from.x() + 1, std::round(at.right())),
                              std::max(from.y() + 1, std::round(at.bottom())))};
    }
    // Far sides of large hulls are far outside of what painters like.
    QRectF clipped(const QRectF& rect) const {
        return rect.intersected(QRectF(QPointF(-64, -64), m_view.size + QSizeF(128, 128)));
    }

    QColor hullOf(const PictureGroup& group) const {
        return group.kernel == no_kernel ? m_colors.hull(group.depth) : m_colors.kernelHull(group.kernel);
    }
    void drawHulls() {
        for (quint32 i : m_groups) {
            const PictureGroup& group = m_picture.groups[i];
            const QColor fill = hullOf(group);
            const QRectF rect = clipped(onScreen(group.rect));
            m_painter.setBrush(fill);
            m_painter.setPen(QPen(mixed(fill, m_theme.text, 0.16), 1));
            m_painter.drawRect(rect.adjusted(0, 0, -1, -1));
        }
    }

    // The header covers the edges that go into the group.
    void drawHeaders() {
        for (quint32 i : m_groups) {
            const PictureGroup& group = m_picture.groups[i];
            if (group.header.height() * m_view.zoom < 1)
                continue;
            const QRectF header = onScreen(group.header);
            const QColor fill = m_colors.header(hullOf(group));
            m_painter.fillRect(clipped(header).adjusted(1, 1, -1, 0), fill);
            if (group.header.height() * m_view.zoom >= least_header)
                drawHeaderText(group, header, fill);
        }
    }
    void drawHeaderText(const PictureGroup& group, const QRectF& header, const QColor& fill) {
        const double unit = m_view.zoom;
        drawMarker({header.left() + 10 * unit, header.center().y()}, true, m_theme.muted);
        // The name stays in sight while its group does.
        const double left = std::max(header.left(), 0.0), right = std::min(header.right(), m_view.size.width());
        QRectF room(left + 18 * unit, header.top(), right - left - 28 * unit, header.height());
        const QFont detail = atLeast(m_detailFont), label = atLeast(m_labelFont);
        const QString time = timeOf(group.kernel);
        if (!time.isEmpty())
            room = drawTime(room, time, fill, detail);
        m_painter.setPen(m_theme.text);
        m_owner.m_texts.draw(m_painter, room, Qt::AlignLeft, group.label, label);
        const double taken = m_owner.m_texts.width(group.label, label) + 10 * unit;
        if (room.width() - taken >= m_owner.m_texts.width(group.detail, detail)) {
            m_painter.setPen(m_colors.muted(fill));
            m_owner.m_texts.draw(m_painter, room.adjusted(taken, 0, 0, 0), Qt::AlignLeft, group.detail, detail);
        }
    }
    QString timeOf(quint32 kernel) const {
        return m_scene.dress && kernel < m_scene.dress->kernelTimes.size() ? m_scene.dress->kernelTimes[kernel]
                                                                           : QString();
    }
    // At the right; what is left of the room. Predicted times are slanted, with a tilde.
    QRectF drawTime(const QRectF& room, const QString& time, const QColor& fill, QFont font) {
        const bool isPredicted = m_scene.dress->areTimesPredicted;
        font.setItalic(isPredicted);
        const QString text = isPredicted && !time.startsWith(u'~') ? u'~' + time : time;
        const double width = m_owner.m_texts.width(text, font);
        if (width > room.width())
            return room;
        m_painter.setPen(m_colors.muted(fill));
        m_owner.m_texts.draw(m_painter, room, Qt::AlignRight, text, font);
        return room.adjusted(0, 0, -width - 8 * m_view.zoom, 0);
    }
    QFont atLeast(const QFont& font) const { return font.pixelSize() >= least_text ? font : scaled(font, least_text); }
    void drawMarker(QPointF at, bool isOpen, const QColor& color) {
        const double r = 3.5 * std::max(m_view.zoom, 0.6);
        const QPolygonF sign =
            isOpen ? QPolygonF({at + QPointF(-r, -r / 2), at + QPointF(r, -r / 2), at + QPointF(0, r * 0.8)})
                   : QPolygonF({at + QPointF(-r / 2, -r), at + QPointF(r * 0.8, 0), at + QPointF(-r / 2, r)});
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(color);
        m_painter.drawPolygon(sign);
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }

    bool isFaint(const PictureEdge& edge) const {
        const BoxDress *from = dressOf(edge.from), *to = dressOf(edge.to);
        return from && to && (from->isFaint || to->isFaint);
    }
    void drawEdges() {
        const bool isFar = m_detail == Detail::Overview;
        EdgeLines plain(m_view, m_bends), faint(m_view, m_bends);
        const double least = isFar ? 3 / m_view.zoom : 0;
        for (quint32 i : m_picture.edgeGrid.touching(m_seen)) {
            const PictureEdge& edge = m_picture.edges[i];
            if (edge.points > 0 && (edge.bounds.height() >= least || edge.bounds.width() >= least))
                (isFaint(edge) ? faint : plain).add(m_picture, edge.first, edge.points, EdgeLines::Which::Own);
        }
        if (!isFar)
            for (quint32 i : m_picture.stubGrid.touching(m_seen))
                plain.add(m_picture, m_picture.stubs[i].first, m_picture.stubs[i].points, EdgeLines::Which::Own);
        m_painter.setRenderHint(QPainter::Antialiasing, !isFar);
        faint.draw(m_painter, QPen(m_colors.faint(m_colors.edge()), m_hair));
        plain.draw(m_painter, QPen(m_colors.edge(), m_hair));
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }

    bool isOfSelection(quint32 id) const {
        const PictureEdge& edge = m_picture.edges[id];
        const GraphItem& item = m_scene.selected;
        if (item.kind == GraphItem::Kind::Edge)
            return edge.value == item.value && (edge.consumer == item.node || m_strongConsumer == edge.to);
        return m_strongBox == edge.from || m_strongBox == edge.to;
    }
    void drawStrongEdges() {
        m_strongBox = boxOfItem(m_picture, m_scene.selected);
        m_strongConsumer = no_box;
        if (m_scene.selected.kind == GraphItem::Kind::Edge)
            if (const auto at = m_picture.boxOfNode.find(m_scene.selected.node); at != m_picture.boxOfNode.end())
                m_strongConsumer = at->second;
        EdgeLines path(m_view, m_bends), own(m_view, m_bends), hovered(m_view, m_bends);
        for (quint32 i : m_picture.edgeGrid.touching(m_seen)) {
            const PictureEdge& edge = m_picture.edges[i];
            if (m_scene.selected && isOfSelection(i))
                own.add(m_picture, edge.first, edge.points, EdgeLines::Which::All);
            else if (m_scene.strongEdges && m_scene.strongEdges->contains(i))
                path.add(m_picture, edge.first, edge.points, EdgeLines::Which::All);
            if (m_scene.hovered.kind == GraphItem::Kind::Edge && edge.value == m_scene.hovered.value)
                hovered.add(m_picture, edge.first, edge.points, EdgeLines::Which::All);
        }
        for (quint32 i : m_picture.stubGrid.touching(m_seen)) {
            const PictureStub& stub = m_picture.stubs[i];
            if (stub.box == m_strongBox && stub.box != no_box)
                own.add(m_picture, stub.first, stub.points, EdgeLines::Which::All);
        }
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        path.draw(m_painter, QPen(mixed(m_theme.accent, m_colors.canvas(), 0.25), 1.5));
        hovered.draw(m_painter, QPen(m_theme.accent, 1.25));
        own.draw(m_painter, QPen(m_theme.accent, 2));
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }

    void drawGone() {
        const GraphMotion& motion = *m_scene.motion;
        const GraphPicture& before = *motion.before;
        m_painter.setOpacity(1 - eased(motion.progress));
        for (quint32 i : before.nodeGrid.touching(m_seen.translated(-motion.shift))) {
            const PictureBox& box = before.nodes[i];
            if (m_picture.nodeOfKey.contains(box.key))
                continue;
            const QRectF rect = onScreen(box.rect.translated(motion.shift));
            const QColor fill = m_colors.plain();
            m_painter.fillRect(rect, m_colors.faint(fill));
            m_painter.setPen(m_colors.border(fill));
            m_painter.setBrush(Qt::NoBrush);
            m_painter.drawRect(rect.adjusted(0, 0, -1, -1));
        }
        m_painter.setOpacity(1);
    }

    void drawBoxes() {
        if (m_detail == Detail::Overview)
            drawBlocks();
        else
            for (quint32 i : m_boxes)
                drawBox(i);
    }
    void drawBlocks() {
        std::unordered_map<QRgb, QList<QRectF>> blocks;
        std::vector<QRgb> order; // as they come: the same from run to run
        const double side = m_view.zoom > 0.16 ? 0 : 0.5;
        for (quint32 i : m_boxes) {
            const QRgb color = m_colors.block(fillOf(i)).rgb();
            const auto [at, isNew] = blocks.try_emplace(color);
            if (isNew)
                order.push_back(color);
            at->second.append(onScreen(rectOf(i)).adjusted(0, 0, side > 0 ? 0 : -1, side > 0 ? 0 : -1));
        }
        m_painter.setPen(Qt::NoPen);
        for (QRgb color : order) {
            m_painter.setBrush(QColor(color));
            m_painter.drawRects(blocks[color]);
        }
        for (quint32 i : m_boxes)
            if (m_picture.nodes[i].role == BoxRole::Closed)
                drawBlockName(i);
    }
    void drawBlockName(quint32 i) {
        const QRectF rect = onScreen(rectOf(i));
        if (rect.height() < least_text + 3 || rect.width() < 24)
            return;
        m_painter.setPen(textOn(m_colors.block(fillOf(i)), false, true));
        m_owner.m_texts.draw(m_painter, rect.adjusted(3, 0, -3, 0), Qt::AlignHCenter, m_picture.nodes[i].label,
                             scaled(m_owner.m_detail, std::min(rect.height() - 3, 11.0)));
    }

    void drawBox(quint32 i) {
        const PictureBox& box = m_picture.nodes[i];
        const QRectF rect = onScreen(rectOf(i));
        const BoxDress* dress = dressOf(i);
        const bool isFaint = dress && dress->isFaint;
        const QColor fill = fillOf(i);
        m_painter.setOpacity(opacityOf(i));
        m_painter.setBrush(fill);
        QColor border = dress && dress->isBeyond ? m_theme.error : m_colors.border(fill);
        m_painter.setPen(QPen(isFaint ? m_colors.faint(border) : border, dress && dress->isBeyond ? 2 : 1));
        drawShape(box, rect);
        if (dress && dress->change != BoxChange::None)
            m_painter.fillRect(QRectF(rect.left(), rect.top(), 3, rect.height()),
                               dress->change == BoxChange::Added ? m_theme.ok : m_theme.warning);
        if (m_detail == Detail::Names)
            drawName(box, rect, fill, isFaint);
        else
            drawTexts(box, rect, fill, dress);
        m_painter.setOpacity(1);
    }
    void drawShape(const PictureBox& box, const QRectF& rect) {
        if (m_detail != Detail::Full) {
            m_painter.drawRect(rect.adjusted(0, 0, -1, -1));
            return;
        }
        const QRectF inner = rect.adjusted(0.5, 0.5, -0.5, -0.5);
        const double round = box.role == BoxRole::Input || box.role == BoxRole::Output
                                 ? std::min(inner.height() / 2, 14 * m_view.zoom)
                                 : corner;
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        if (box.role == BoxRole::Closed) { // a second sheet behind the first
            m_painter.drawRoundedRect(inner.translated(3, 3), corner, corner);
        }
        m_painter.drawRoundedRect(inner, round, round);
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }
    void drawName(const PictureBox& box, const QRectF& rect, const QColor& fill, bool isFaint) {
        const double pixels = std::clamp(pixelsOf(m_owner.m_label) * m_view.zoom * 1.3, least_text, rect.height() - 2);
        m_painter.setPen(textOn(fill, isFaint, true));
        m_owner.m_texts.draw(m_painter, rect.adjusted(2, 0, -2, 0), Qt::AlignHCenter, box.label,
                             scaled(m_owner.m_detail, pixels));
    }
    void drawTexts(const PictureBox& box, const QRectF& rect, const QColor& fill, const BoxDress* dress) {
        const bool isFaint = dress && dress->isFaint;
        const double unit = m_view.zoom;
        const GraphMetrics& metrics = m_picture.metrics;
        const double labelHeight = metrics.height(GraphFace::Label) * unit;
        const double lineHeight = metrics.height(GraphFace::Detail) * unit;
        const double marker = box.role == BoxRole::Closed ? 18 * unit : 0;
        if (marker > 0)
            drawMarker({rect.left() + 11 * unit, rect.top() + 6 * unit + labelHeight / 2}, false, m_colors.muted(fill));
        const double side = (marker > 0 ? marker + 2 * unit : text_side * unit);
        QRectF line(rect.left() + side, rect.top() + 6 * unit, rect.width() - side - text_side * unit + 2, labelHeight);
        const QColor first = textOn(fill, isFaint, true), second = textOn(fill, isFaint, false);
        QString number = dress ? dress->text : QString();
        const bool isPredicted = m_scene.dress && m_scene.dress->isPredicted;
        QFont numberFont = m_detailFont;
        numberFont.setItalic(isPredicted);
        if (!number.isEmpty() && isPredicted && !number.startsWith(u'~'))
            number.prepend(u'~');
        double room = line.width();
        if (!number.isEmpty()) {
            const double width = m_owner.m_texts.width(number, numberFont);
            if (m_owner.m_texts.width(box.label, m_labelFont) + width + 8 * unit <= line.width() ||
                box.details.isEmpty()) {
                m_painter.setPen(first);
                m_owner.m_texts.draw(m_painter, line, Qt::AlignRight, number, numberFont);
                room -= width + 8 * unit;
                number.clear();
            }
        }
        m_painter.setPen(first);
        m_owner.m_texts.draw(m_painter, QRectF(line.topLeft(), QSizeF(room, line.height())), Qt::AlignLeft, box.label,
                             m_labelFont);
        line =
            QRectF(rect.left() + text_side * unit, line.bottom(), rect.width() - 2 * text_side * unit + 2, lineHeight);
        for (qsizetype i = 0; i < box.details.size(); ++i) {
            // A number that found no room beside the name takes the place of the shape.
            const bool isNumber = i == 0 && !number.isEmpty();
            m_painter.setPen(isNumber ? first : second);
            m_owner.m_texts.draw(m_painter, line, Qt::AlignLeft, isNumber ? number : box.details[i],
                                 isNumber ? numberFont : m_detailFont);
            line.translate(0, lineHeight);
        }
        for (quint32 i = box.firstChip; i < box.firstChip + box.chips; ++i)
            drawChip(m_picture.chips[i], rect.topLeft() - m_view.toScreen(box.rect.topLeft()), fill, second);
    }
    void drawChip(const PictureChip& chip, QPointF moved, const QColor& fill, const QColor& text) {
        const QRectF rect = onScreen(chip.rect).translated(moved);
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(mixed(fill, m_theme.panel, 0.6));
        m_painter.drawRoundedRect(rect, 3, 3);
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        m_painter.setPen(text);
        m_owner.m_texts.draw(m_painter, rect.adjusted(2, 0, -1, 0), Qt::AlignHCenter, chip.text, m_detailFont);
    }

    void drawStubs() {
        for (quint32 i : m_picture.stubGrid.touching(m_seen)) {
            const PictureStub& stub = m_picture.stubs[i];
            const QRectF rect = onScreen(stub.rect);
            if (m_detail != Detail::Full) {
                m_painter.fillRect(rect, m_colors.faint(m_colors.edge()));
                continue;
            }
            m_painter.setBrush(m_theme.panel);
            m_painter.setPen(QPen(m_colors.edge(), 1, Qt::DashLine));
            m_painter.drawRect(rect.adjusted(0, 0, -1, -1));
            m_painter.setPen(m_theme.muted);
            m_owner.m_texts.draw(m_painter, rect.adjusted(4, 0, -4, 0), Qt::AlignHCenter, stub.text, m_detailFont);
        }
    }
    void drawLabels() {
        if (m_detail != Detail::Full)
            return;
        m_painter.setPen(m_theme.readable(m_theme.muted, m_colors.canvas()));
        for (quint32 i : m_picture.labelGrid.touching(m_seen))
            m_owner.m_texts.draw(m_painter, onScreen(m_picture.labels[i].rect).adjusted(0, 0, 2, 0), Qt::AlignLeft,
                                 m_picture.labels[i].text, m_detailFont);
    }

    // A ring with two bars that do not meet: these two are not one kernel.
    void drawSigns() {
        if (!m_scene.showsRefusals)
            return;
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        const double r = sign_radius * std::min(m_view.zoom, 1.2);
        for (quint32 i : m_picture.edgeGrid.touching(m_seen)) {
            const PictureEdge& edge = m_picture.edges[i];
            if (edge.refusal == no_refusal || edge.points == 0)
                continue;
            const QPointF at = m_view.toScreen(signOf(m_picture, edge));
            m_painter.setBrush(m_theme.panel);
            m_painter.setPen(QPen(m_theme.warning, 1.5));
            m_painter.drawEllipse(at, r, r);
            m_painter.drawLine(at + QPointF(-r / 2, -r / 4), at + QPointF(r / 2, -r / 4));
            m_painter.drawLine(at + QPointF(-r / 2, r / 3), at + QPointF(r / 2, r / 3));
        }
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }

    // From afar headers are too small: names stand at the corners of hulls that have room, outer ones first.
    void drawGroupNames() {
        const QFont font = scaled(m_owner.m_detail, std::max(pixelsOf(m_owner.m_detail), 11.0));
        const double height = QFontMetricsF(font).height() + 4;
        QList<QRectF> taken;
        for (quint32 i : m_groups) {
            const PictureGroup& group = m_picture.groups[i];
            const QRectF hull = m_view.toScreen(group.rect).intersected(QRectF(QPointF(), m_view.size));
            const double width = m_owner.m_texts.width(group.label, font) + 10;
            if (taken.size() == most_names)
                break;
            if (hull.width() < width + 8 || hull.height() < 3 * height)
                continue;
            const QRectF tag(hull.left() + 3, hull.top() + 3, width, height);
            if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(tag); }))
                continue;
            taken << tag;
            m_painter.fillRect(tag, m_colors.header(hullOf(group)));
            m_painter.setPen(m_theme.text);
            m_owner.m_texts.draw(m_painter, tag.adjusted(5, 0, -3, 0), Qt::AlignLeft, group.label, font);
        }
    }

    // A corner that is turned down.
    void drawBookmarks() {
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.accent);
        for (const GraphItem& item : *m_scene.bookmarks) {
            const quint32 box = boxOfItem(m_picture, item);
            if (box == no_box || !m_picture.nodes[box].rect.intersects(m_seen))
                continue;
            const QPointF at = onScreen(rectOf(box)).topRight();
            const double side = std::max(6.0, 10 * std::min(m_view.zoom, 1.5));
            m_painter.drawPolygon(QPolygonF({at, at - QPointF(side, 0), at + QPointF(0, side)}));
        }
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }
    void drawOutlines() {
        if (m_scene.bookmarks)
            drawBookmarks();
        outline(m_scene.hovered, QPen(mixed(m_theme.accent, m_colors.canvas(), 0.35), 1.5));
        outline(m_scene.selected, QPen(m_theme.accent, 2));
    }
    void outline(const GraphItem& item, const QPen& pen) {
        QRectF rect;
        if (const quint32 box = boxOfItem(m_picture, item); box != no_box)
            rect = rectOf(box);
        else if (item.kind == GraphItem::Kind::Group && m_picture.groupOfKey.contains(item.group))
            rect = m_picture.groups[m_picture.groupOfKey.at(item.group)].rect;
        if (rect.isEmpty() || !rect.intersects(m_seen))
            return;
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(pen);
        m_painter.drawRoundedRect(clipped(onScreen(rect)).adjusted(-1.5, -1.5, 1.5, 1.5), corner, corner);
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }

    static constexpr quint32 no_kernel = session::no_id, no_refusal = session::no_id;

    GraphPainter& m_owner;
    QPainter& m_painter;
    const GraphScene& m_scene;
    const GraphPicture& m_picture;
    const GraphView& m_view;
    const GraphColors& m_colors;
    const Theme& m_theme;
    const Detail m_detail;
    const EdgeLines::Bends m_bends =
        m_detail == Detail::Overview ? EdgeLines::Bends::Straight : EdgeLines::Bends::Round;
    const QRectF m_seen;
    const QFont m_labelFont, m_detailFont;
    std::vector<quint32> m_boxes, m_groups;
    // A pen without width is drawn fastest; where a point has several pixels it would be too thin.
    const double m_hair = m_painter.device()->devicePixelRatio() > 1 ? 1 : 0;
    quint32 m_strongBox = no_box, m_strongConsumer = no_box;
};

void GraphPainter::paint(QPainter& painter, const GraphScene& scene, const GraphView& view) {
    painter.save();
    Frame(*this, painter, scene, view).paint();
    painter.restore();
}

} // namespace hidet::ui
