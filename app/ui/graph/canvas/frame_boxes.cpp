// SPDX-License-Identifier: GPL-3.0-only
// Boxes with their texts, and what is selected.
#include <algorithm>
#include <unordered_map>

#include "app/ui/graph/canvas/graph_frame.h"

namespace hidet::ui {

namespace {
constexpr double text_side = 10;
}

void GraphFrame::drawGone() {
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

void GraphFrame::drawBoxes() {
    if (m_detail == Detail::Overview)
        drawBlocks();
    else
        for (quint32 i : m_boxes)
            drawBox(i);
}

void GraphFrame::drawBlocks() {
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

void GraphFrame::drawBlockName(quint32 i) {
    const QRectF rect = onScreen(rectOf(i));
    if (rect.height() < least_text + 3 || rect.width() < 24)
        return;
    drawText(rect.adjusted(3, 0, -3, 0), Qt::AlignHCenter, m_picture.nodes[i].label,
             scaled(m_tools.detail, std::min(rect.height() - 3, 11.0)), textOn(m_colors.block(fillOf(i)), false, true));
}

void GraphFrame::drawBox(quint32 i) {
    const PictureBox& box = m_picture.nodes[i];
    const QRectF rect = onScreen(rectOf(i));
    const BoxStyle* style = styleOf(i);
    const bool isFaint = style && style->isFaint;
    const QColor fill = fillOf(i);
    m_painter.setOpacity(opacityOf(i));
    m_painter.setBrush(fill);
    QColor border = style && style->isBeyond ? m_theme.error : m_colors.border(fill);
    m_painter.setPen(QPen(isFaint ? m_colors.faint(border) : border, style && style->isBeyond ? 2 : 1));
    drawShape(box, rect);
    if (style && style->change != session::PairState::Same)
        m_painter.fillRect(QRectF(rect.left(), rect.top(), 3, rect.height()), markOfPair(m_theme, style->change));
    if (m_detail == Detail::Names)
        drawName(style && !style->sign.isEmpty() ? style->sign + u' ' + box.label : box.label, rect, fill, isFaint);
    else
        drawTexts(box, rect, fill, style);
    m_painter.setOpacity(1);
}

void GraphFrame::drawShape(const PictureBox& box, const QRectF& rect) {
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

void GraphFrame::drawName(const QString& name, const QRectF& rect, const QColor& fill, bool isFaint) {
    const double pixels = std::clamp(pixelsOf(m_tools.label) * m_view.zoom * 1.3, least_text, rect.height() - 2);
    drawText(rect.adjusted(2, 0, -2, 0), Qt::AlignHCenter, name, scaled(m_tools.detail, pixels),
             textOn(fill, isFaint, true));
}

void GraphFrame::drawTexts(const PictureBox& box, const QRectF& rect, const QColor& fill, const BoxStyle* style) {
    const bool isFaint = style && style->isFaint;
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
    QString number = style ? style->text : QString();
    const bool isPredicted = style && style->isPredicted;
    const QFont numberFont = italic(m_detailFont, isPredicted);
    if (!number.isEmpty() && isPredicted && !number.startsWith(u'~'))
        number.prepend(u'~');
    double room = line.width();
    if (!number.isEmpty()) {
        const double width = m_tools.texts.width(number, numberFont);
        if (m_tools.texts.width(box.label, m_labelFont) + width + 8 * unit <= line.width() || box.details.isEmpty()) {
            drawText(line, Qt::AlignRight, number, numberFont, first);
            room -= width + 8 * unit;
            number.clear();
        }
    }
    drawText({line.topLeft(), QSizeF(room, line.height())}, Qt::AlignLeft, box.label, m_labelFont, first);
    line = QRectF(rect.left() + text_side * unit, line.bottom(), rect.width() - 2 * text_side * unit + 2, lineHeight);
    for (qsizetype i = 0; i < box.details.size(); ++i) {
        // A number that found no room beside the name takes the place of the shape.
        const bool isNumber = i == 0 && !number.isEmpty();
        drawText(line, Qt::AlignLeft, isNumber ? number : box.details[i], isNumber ? numberFont : m_detailFont,
                 isNumber ? first : second);
        line.translate(0, lineHeight);
    }
    for (quint32 i = box.firstChip; i < box.firstChip + box.chips; ++i)
        drawChip(m_picture.chips[i], rect.topLeft() - m_view.toScreen(box.rect.topLeft()), fill, second);
}

void GraphFrame::drawChip(const PictureChip& chip, QPointF moved, const QColor& fill, const QColor& text) {
    const QRectF rect = onScreen(chip.rect).translated(moved);
    m_painter.setRenderHint(QPainter::Antialiasing, true);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(mixed(fill, m_theme.panel, 0.6));
    m_painter.drawRoundedRect(rect, 3, 3);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    drawText(rect.adjusted(2, 0, -1, 0), Qt::AlignHCenter, chip.text, m_detailFont, text);
}

void GraphFrame::drawMarks() {
    for (const DrawnMark& mark : m_scene.marks) {
        const quint32 box = boxOfItem(m_picture, GraphItem::ofNode(mark.node));
        if (box == no_box || !m_picture.nodes[box].rect.intersects(m_seen))
            continue;
        const QRectF rect = onScreen(rectOf(box));
        if (mark.isBookmark)
            drawBookmark(rect);
        if (!mark.note.isEmpty())
            drawNote(rect, mark.note, m_picture.nodes[box].role == BoxRole::Operator);
    }
}

// A corner that is turned down.
void GraphFrame::drawBookmark(const QRectF& box) {
    const QPointF at = box.topRight();
    const double side = std::max(6.0, 10 * std::min(m_view.zoom, 1.5));
    fillPolygon({at, at - QPointF(side, 0), at + QPointF(0, side)}, m_theme.accent);
}

// A slip on the upper edge with the first line; from afar, and of what is inside of a group, its corner alone.
void GraphFrame::drawNote(const QRectF& box, const QString& note, bool isOfBox) {
    const QColor paper = mixed(m_theme.raised, m_theme.warning, m_theme.dark ? 0.30 : 0.24);
    const bool isRead = isOfBox && m_detail == Detail::Full && m_detailFont.pixelSize() >= least_text;
    const double height = isRead ? m_picture.metrics.height(GraphFace::Detail) * m_view.zoom + 2 : 6;
    const QString line = note.section(u'\n', 0, 0);
    const double side = 5 * m_view.zoom;
    const double wanted = isRead ? m_tools.texts.width(line, m_detailFont) + 2 * side + 2 : 10;
    const QRectF slip(box.left(), box.top() - height + 1, std::min(wanted, std::max(box.width() * 1.3, 10.0)), height);
    m_painter.setPen(isRead ? QPen(m_colors.border(paper), 1) : QPen(Qt::NoPen));
    m_painter.setBrush(isRead ? paper : m_theme.warning);
    m_painter.drawRect(slip);
    if (!isRead)
        return;
    drawText(slip.adjusted(side, 0, -side, 0), Qt::AlignLeft, line, m_detailFont, m_theme.text);
}

void GraphFrame::drawOutlines() {
    drawMarks();
    outline(m_scene.hovered, QPen(mixed(m_theme.accent, m_colors.canvas(), 0.35), 1.5));
    outline(m_scene.selected, QPen(m_theme.accent, 2));
}

// A constant is a chip of each operator that reads it.
void GraphFrame::outlineChips(quint32 value, const QPen& pen) {
    if (m_detail != Detail::Full)
        return;
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(pen);
    for (quint32 box : m_boxes) {
        const PictureBox& at = m_picture.nodes[box];
        for (quint32 i = at.firstChip; i < at.firstChip + at.chips; ++i)
            if (m_picture.chips[i].value == value)
                m_painter.drawRoundedRect(onScreen(m_picture.chips[i].rect).adjusted(-1, -1, 1, 1), 3, 3);
    }
}

void GraphFrame::outline(const GraphItem& item, const QPen& pen) {
    QRectF rect;
    if (const quint32 box = boxOfItem(m_picture, item); box != no_box)
        rect = rectOf(box);
    else if (item.kind == GraphItem::Kind::Group && m_picture.groupOfKey.contains(item.group))
        rect = m_picture.groups[m_picture.groupOfKey.at(item.group)].rect;
    if (rect.isEmpty() && item.kind == GraphItem::Kind::Value)
        return outlineChips(item.value, pen);
    if (rect.isEmpty() || !rect.intersects(m_seen))
        return;
    m_painter.setRenderHint(QPainter::Antialiasing, true);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(pen);
    m_painter.drawRoundedRect(clipped(onScreen(rect)).adjusted(-1.5, -1.5, 1.5, 1.5), corner, corner);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace hidet::ui
