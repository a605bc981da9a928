// SPDX-License-Identifier: GPL-3.0-only
// Open groups: what is behind their boxes, their headers, and from afar their names.
#include <algorithm>

#include "app/ui/graph/canvas/graph_frame.h"

namespace hidet::ui {

namespace {
constexpr qsizetype most_names = 80; // of groups, from afar
}

QColor GraphFrame::hullOf(const PictureGroup& group) const {
    return group.kernel == no_kernel ? m_colors.hull(group.depth) : m_colors.kernelHull(group.kernel);
}

void GraphFrame::drawHulls() {
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
void GraphFrame::drawHeaders() {
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

void GraphFrame::drawHeaderText(const PictureGroup& group, const QRectF& header, const QColor& fill) {
    const double unit = m_view.zoom;
    drawMarker({header.left() + 10 * unit, header.center().y()}, true, m_theme.muted);
    // The name stays in sight while its group does.
    const double left = std::max(header.left(), 0.0), right = std::min(header.right(), m_view.size.width());
    QRectF room(left + 18 * unit, header.top(), right - left - 28 * unit, header.height());
    const QFont detail = atLeast(m_detailFont), label = atLeast(m_labelFont);
    if (const QString time = timeOf(group.kernel); !time.isEmpty())
        room = drawTime(room, time, fill, detail);
    if (const QString signs = signsOf(group.place); !signs.isEmpty())
        room = drawAside(room, signs, m_theme.text, detail);
    drawText(room, Qt::AlignLeft, group.label, label, m_theme.text);
    const double taken = m_tools.texts.width(group.label, label) + 10 * unit;
    if (room.width() - taken >= m_tools.texts.width(group.detail, detail))
        drawText(room.adjusted(taken, 0, 0, 0), Qt::AlignLeft, group.detail, detail, m_colors.muted(fill));
}

QString GraphFrame::timeOf(quint32 kernel) const {
    return m_scene.style && kernel < m_scene.style->kernelTimes.size() ? m_scene.style->kernelTimes[kernel] : QString();
}

// At the right; what is left of the room. Predicted times are slanted, with a tilde.
QRectF GraphFrame::drawTime(const QRectF& room, const QString& time, const QColor& fill, QFont font) {
    const bool isPredicted = m_scene.style->areTimesPredicted;
    font.setItalic(isPredicted);
    return drawAside(room, isPredicted && !time.startsWith(u'~') ? u'~' + time : time, m_colors.muted(fill), font);
}

// What the passes have changed in the group.
QString GraphFrame::signsOf(quint32 place) const {
    return m_scene.style && place < m_scene.style->groupSigns.size() ? m_scene.style->groupSigns[place] : QString();
}

QRectF GraphFrame::drawAside(const QRectF& room, const QString& text, const QColor& color, const QFont& font) {
    const double width = m_tools.texts.width(text, font);
    if (width > room.width())
        return room;
    drawText(room, Qt::AlignRight, text, font, color);
    return room.adjusted(0, 0, -width - 8 * m_view.zoom, 0);
}

// From afar headers are too small: names stand at the corners of hulls that have room, outer ones first.
void GraphFrame::drawGroupNames() {
    const QFont font = scaled(m_tools.detail, std::max(pixelsOf(m_tools.detail), 11.0));
    const double height = QFontMetricsF(font).height() + 4;
    QList<QRectF> taken;
    for (quint32 i : m_groups) {
        const PictureGroup& group = m_picture.groups[i];
        const QRectF hull = m_view.toScreen(group.rect).intersected(QRectF(QPointF(), m_view.size));
        const double width = m_tools.texts.width(group.label, font) + 10;
        if (taken.size() == most_names)
            break;
        if (hull.width() < width + 8 || hull.height() < 3 * height)
            continue;
        const QRectF tag(hull.left() + 3, hull.top() + 3, width, height);
        if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(tag); }))
            continue;
        taken << tag;
        m_painter.fillRect(tag, m_colors.header(hullOf(group)));
        drawText(tag.adjusted(5, 0, -3, 0), Qt::AlignLeft, group.label, font, m_theme.text);
    }
}

} // namespace hidet::ui
