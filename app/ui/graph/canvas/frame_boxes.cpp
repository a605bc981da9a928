// SPDX-License-Identifier: GPL-3.0-only
// Boxes with their texts, and what is selected.
#include <algorithm>
#include <unordered_map>

#include "app/ui/graph/canvas/graph_frame.h"

namespace hidet::ui {

namespace {
constexpr double text_side = 10;
}

void FrameBoxes::drawGone() {
    const GraphMotion& motion = *m_frame.scene.motion;
    const GraphPicture& before = *motion.before;
    m_frame.painter.setOpacity(1 - eased(motion.progress));
    for (quint32 i : before.nodeGrid.touching(m_frame.seen.translated(-motion.shift))) {
        const PictureBox& box = before.nodes[i];
        if (m_frame.picture.nodeOfKey.contains(box.key))
            continue;
        const QRectF rect = m_frame.onScreen(box.rect.translated(motion.shift));
        const QColor fill = m_frame.colors.plain();
        m_frame.painter.fillRect(rect, m_frame.colors.faint(fill));
        m_frame.painter.setPen(m_frame.colors.border(fill));
        m_frame.painter.setBrush(Qt::NoBrush);
        m_frame.painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
    m_frame.painter.setOpacity(1);
}

void FrameBoxes::draw() {
    if (m_frame.detail == Detail::Overview)
        drawBlocks();
    else
        for (quint32 i : m_frame.boxes)
            drawBox(i);
}

void FrameBoxes::drawBlocks() {
    std::unordered_map<QRgb, QList<QRectF>> blocks;
    std::vector<QRgb> order; // as they come: the same from run to run
    const double side = m_frame.view.zoom > 0.16 ? 0 : 0.5;
    for (quint32 i : m_frame.boxes) {
        const QRgb color = m_frame.colors.block(m_frame.fillOf(i)).rgb();
        const auto [at, isNew] = blocks.try_emplace(color);
        if (isNew)
            order.push_back(color);
        at->second.append(m_frame.onScreen(m_frame.rectOf(i)).adjusted(0, 0, side > 0 ? 0 : -1, side > 0 ? 0 : -1));
    }
    m_frame.painter.setPen(Qt::NoPen);
    for (QRgb color : order) {
        m_frame.painter.setBrush(QColor(color));
        m_frame.painter.drawRects(blocks[color]);
    }
    for (quint32 i : m_frame.boxes)
        if (m_frame.picture.nodes[i].role == BoxRole::Closed)
            drawBlockName(i);
}

void FrameBoxes::drawBlockName(quint32 i) {
    const QRectF rect = m_frame.onScreen(m_frame.rectOf(i));
    if (rect.height() < least_text + 3 || rect.width() < 24)
        return;
    m_frame.drawText(rect.adjusted(3, 0, -3, 0), Qt::AlignHCenter, m_frame.picture.nodes[i].label,
                     scaled(m_frame.tools.detail, std::min(rect.height() - 3, 11.0)),
                     m_frame.textOn(m_frame.colors.block(m_frame.fillOf(i)), false, true));
}

void FrameBoxes::drawBox(quint32 i) {
    const PictureBox& box = m_frame.picture.nodes[i];
    const QRectF rect = m_frame.onScreen(m_frame.rectOf(i));
    const BoxStyle* style = m_frame.styleOf(i);
    const bool isFaint = style && style->isFaint;
    const QColor fill = m_frame.fillOf(i);
    m_frame.painter.setOpacity(m_frame.opacityOf(i));
    m_frame.painter.setBrush(fill);
    QColor border = style && style->isBeyond ? m_frame.theme.error : m_frame.colors.border(fill);
    m_frame.painter.setPen(QPen(isFaint ? m_frame.colors.faint(border) : border, style && style->isBeyond ? 2 : 1));
    drawShape(box, rect);
    if (style && style->change != session::PairState::Same)
        m_frame.painter.fillRect(QRectF(rect.left(), rect.top(), 3, rect.height()),
                                 markOfPair(m_frame.theme, style->change));
    if (m_frame.detail == Detail::Names)
        drawName(style && !style->sign.isEmpty() ? style->sign + u' ' + box.label : box.label, rect, fill, isFaint);
    else
        drawTexts(box, rect, fill, style);
    m_frame.painter.setOpacity(1);
}

void FrameBoxes::drawShape(const PictureBox& box, const QRectF& rect) {
    if (m_frame.detail != Detail::Full) {
        m_frame.painter.drawRect(rect.adjusted(0, 0, -1, -1));
        return;
    }
    const QRectF inner = rect.adjusted(0.5, 0.5, -0.5, -0.5);
    const double round = box.role == BoxRole::Input || box.role == BoxRole::Output
                             ? std::min(inner.height() / 2, 14 * m_frame.view.zoom)
                             : corner;
    m_frame.painter.setRenderHint(QPainter::Antialiasing, true);
    if (box.role == BoxRole::Closed) { // a second sheet behind the first
        m_frame.painter.drawRoundedRect(inner.translated(3, 3), corner, corner);
    }
    m_frame.painter.drawRoundedRect(inner, round, round);
    m_frame.painter.setRenderHint(QPainter::Antialiasing, false);
}

void FrameBoxes::drawName(const QString& name, const QRectF& rect, const QColor& fill, bool isFaint) {
    const double pixels =
        std::clamp(pixelsOf(m_frame.tools.label) * m_frame.view.zoom * 1.3, least_text, rect.height() - 2);
    m_frame.drawText(rect.adjusted(2, 0, -2, 0), Qt::AlignHCenter, name, scaled(m_frame.tools.detail, pixels),
                     m_frame.textOn(fill, isFaint, true));
}

void FrameBoxes::drawTexts(const PictureBox& box, const QRectF& rect, const QColor& fill, const BoxStyle* style) {
    const bool isFaint = style && style->isFaint;
    const double unit = m_frame.view.zoom;
    const GraphMetrics& metrics = m_frame.picture.metrics;
    const double labelHeight = metrics.height(GraphFace::Label) * unit;
    const double lineHeight = metrics.height(GraphFace::Detail) * unit;
    const double marker = box.role == BoxRole::Closed ? 18 * unit : 0;
    if (marker > 0)
        m_frame.drawMarker({rect.left() + 11 * unit, rect.top() + 6 * unit + labelHeight / 2}, false,
                           m_frame.colors.muted(fill));
    const double side = (marker > 0 ? marker + 2 * unit : text_side * unit);
    QRectF line(rect.left() + side, rect.top() + 6 * unit, rect.width() - side - text_side * unit + 2, labelHeight);
    const QColor first = m_frame.textOn(fill, isFaint, true), second = m_frame.textOn(fill, isFaint, false);
    QString number = style ? style->text : QString();
    const bool isPredicted = style && style->isPredicted;
    const QFont numberFont = italic(m_frame.detailFont, isPredicted);
    if (!number.isEmpty() && isPredicted && !number.startsWith(u'~'))
        number.prepend(u'~');
    double room = line.width();
    if (!number.isEmpty()) {
        const double width = m_frame.tools.texts.width(number, numberFont);
        if (m_frame.tools.texts.width(box.label, m_frame.labelFont) + width + 8 * unit <= line.width() ||
            box.details.isEmpty()) {
            m_frame.drawText(line, Qt::AlignRight, number, numberFont, first);
            room -= width + 8 * unit;
            number.clear();
        }
    }
    m_frame.drawText({line.topLeft(), QSizeF(room, line.height())}, Qt::AlignLeft, box.label, m_frame.labelFont, first);
    line = QRectF(rect.left() + text_side * unit, line.bottom(), rect.width() - 2 * text_side * unit + 2, lineHeight);
    for (qsizetype i = 0; i < box.details.size(); ++i) {
        // A number that found no room beside the name takes the place of the shape.
        const bool isNumber = i == 0 && !number.isEmpty();
        m_frame.drawText(line, Qt::AlignLeft, isNumber ? number : box.details[i],
                         isNumber ? numberFont : m_frame.detailFont, isNumber ? first : second);
        line.translate(0, lineHeight);
    }
    for (quint32 i = box.firstChip; i < box.firstChip + box.chips; ++i)
        drawChip(m_frame.picture.chips[i], rect.topLeft() - m_frame.view.toScreen(box.rect.topLeft()), fill, second);
}

void FrameBoxes::drawChip(const PictureChip& chip, QPointF moved, const QColor& fill, const QColor& text) {
    const QRectF rect = m_frame.onScreen(chip.rect).translated(moved);
    m_frame.painter.setRenderHint(QPainter::Antialiasing, true);
    m_frame.painter.setPen(Qt::NoPen);
    m_frame.painter.setBrush(mixed(fill, m_frame.theme.panel, 0.6));
    m_frame.painter.drawRoundedRect(rect, 3, 3);
    m_frame.painter.setRenderHint(QPainter::Antialiasing, false);
    m_frame.drawText(rect.adjusted(2, 0, -1, 0), Qt::AlignHCenter, chip.text, m_frame.detailFont, text);
}

void FrameBoxes::drawMarks() {
    for (const DrawnMark& mark : m_frame.scene.marks) {
        const quint32 box = boxOfItem(m_frame.picture, GraphItem::ofNode(mark.node));
        if (box == no_box || !m_frame.picture.nodes[box].rect.intersects(m_frame.seen))
            continue;
        const QRectF rect = m_frame.onScreen(m_frame.rectOf(box));
        if (mark.isBookmark)
            drawBookmark(rect);
        if (!mark.note.isEmpty())
            drawNote(rect, mark.note, m_frame.picture.nodes[box].role == BoxRole::Operator);
    }
}

// A corner that is turned down.
void FrameBoxes::drawBookmark(const QRectF& box) {
    const QPointF at = box.topRight();
    const double side = std::max(6.0, 10 * std::min(m_frame.view.zoom, 1.5));
    m_frame.fillPolygon({at, at - QPointF(side, 0), at + QPointF(0, side)}, m_frame.theme.accent);
}

// A slip on the upper edge with the first line; from afar, and of what is inside of a group, its corner alone.
void FrameBoxes::drawNote(const QRectF& box, const QString& note, bool isOfBox) {
    const QColor paper = mixed(m_frame.theme.raised, m_frame.theme.warning, m_frame.theme.dark ? 0.30 : 0.24);
    const bool isRead = isOfBox && m_frame.detail == Detail::Full && m_frame.detailFont.pixelSize() >= least_text;
    const double height = isRead ? m_frame.picture.metrics.height(GraphFace::Detail) * m_frame.view.zoom + 2 : 6;
    const QString line = note.section(u'\n', 0, 0);
    const double side = 5 * m_frame.view.zoom;
    const double wanted = isRead ? m_frame.tools.texts.width(line, m_frame.detailFont) + 2 * side + 2 : 10;
    const QRectF slip(box.left(), box.top() - height + 1, std::min(wanted, std::max(box.width() * 1.3, 10.0)), height);
    m_frame.painter.setPen(isRead ? QPen(m_frame.colors.border(paper), 1) : QPen(Qt::NoPen));
    m_frame.painter.setBrush(isRead ? paper : m_frame.theme.warning);
    m_frame.painter.drawRect(slip);
    if (!isRead)
        return;
    m_frame.drawText(slip.adjusted(side, 0, -side, 0), Qt::AlignLeft, line, m_frame.detailFont, m_frame.theme.text);
}

void FrameBoxes::drawOutlines() {
    drawMarks();
    outline(m_frame.scene.hovered, QPen(mixed(m_frame.theme.accent, m_frame.colors.canvas(), 0.35), 1.5));
    outline(m_frame.scene.selected, QPen(m_frame.theme.accent, 2));
}

// A constant is a chip of each operator that reads it.
void FrameBoxes::outlineChips(quint32 value, const QPen& pen) {
    if (m_frame.detail != Detail::Full)
        return;
    m_frame.painter.setBrush(Qt::NoBrush);
    m_frame.painter.setPen(pen);
    for (quint32 box : m_frame.boxes) {
        const PictureBox& at = m_frame.picture.nodes[box];
        for (quint32 i = at.firstChip; i < at.firstChip + at.chips; ++i)
            if (m_frame.picture.chips[i].value == value)
                m_frame.painter.drawRoundedRect(m_frame.onScreen(m_frame.picture.chips[i].rect).adjusted(-1, -1, 1, 1),
                                                3, 3);
    }
}

void FrameBoxes::outline(const GraphItem& item, const QPen& pen) {
    QRectF rect;
    if (const quint32 box = boxOfItem(m_frame.picture, item); box != no_box)
        rect = m_frame.rectOf(box);
    else if (item.kind == GraphItem::Kind::Group && m_frame.picture.groupOfKey.contains(item.group))
        rect = m_frame.picture.groups[m_frame.picture.groupOfKey.at(item.group)].rect;
    if (rect.isEmpty() && item.kind == GraphItem::Kind::Value)
        return outlineChips(item.value, pen);
    if (rect.isEmpty() || !rect.intersects(m_frame.seen))
        return;
    m_frame.painter.setRenderHint(QPainter::Antialiasing, true);
    m_frame.painter.setBrush(Qt::NoBrush);
    m_frame.painter.setPen(pen);
    m_frame.painter.drawRoundedRect(m_frame.clipped(m_frame.onScreen(rect)).adjusted(-1.5, -1.5, 1.5, 1.5), corner,
                                    corner);
    m_frame.painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace hidet::ui
