// SPDX-License-Identifier: GPL-3.0-only
// Open groups: what is behind their boxes, their headers, and from afar their names.
#include <algorithm>

#include "app/ui/graph/canvas/graph_frame.h"

namespace hidet::ui {

namespace {
constexpr qsizetype most_names = 80; // of groups, from afar
}

void FrameHulls::draw() {
    for (quint32 i : m_frame.groups) {
        const PictureGroup& group = m_frame.picture.groups[i];
        const QColor fill = m_frame.hullOf(group);
        const QRectF rect = m_frame.clipped(m_frame.onScreen(group.rect));
        m_frame.painter.setBrush(fill);
        m_frame.painter.setPen(QPen(mixed(fill, m_frame.theme.text, 0.16), 1));
        m_frame.painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
}

// The header covers the edges that go into the group.
void FrameHulls::drawHeaders() {
    for (quint32 i : m_frame.groups) {
        const PictureGroup& group = m_frame.picture.groups[i];
        if (group.header.height() * m_frame.view.zoom < 1)
            continue;
        const QRectF header = m_frame.onScreen(group.header);
        const QColor fill = m_frame.colors.header(m_frame.hullOf(group));
        m_frame.painter.fillRect(m_frame.clipped(header).adjusted(1, 1, -1, 0), fill);
        if (group.header.height() * m_frame.view.zoom >= least_header)
            drawHeaderText(group, header, fill);
    }
}

void FrameHulls::drawHeaderText(const PictureGroup& group, const QRectF& header, const QColor& fill) {
    const double unit = m_frame.view.zoom;
    m_frame.drawMarker({header.left() + 10 * unit, header.center().y()}, true, m_frame.theme.muted);
    // The name stays in sight while its group does.
    const double left = std::max(header.left(), 0.0), right = std::min(header.right(), m_frame.view.size.width());
    QRectF room(left + 18 * unit, header.top(), right - left - 28 * unit, header.height());
    const QFont detail = m_frame.atLeast(m_frame.detailFont), label = m_frame.atLeast(m_frame.labelFont);
    if (const QString time = timeOf(group.kernel); !time.isEmpty())
        room = drawTime(room, time, fill, detail);
    if (const QString signs = signsOf(group.place); !signs.isEmpty())
        room = drawAside(room, signs, m_frame.theme.text, detail);
    m_frame.drawText(room, Qt::AlignLeft, group.label, label, m_frame.theme.text);
    const double taken = m_frame.tools.texts.width(group.label, label) + 10 * unit;
    if (room.width() - taken >= m_frame.tools.texts.width(group.detail, detail))
        m_frame.drawText(room.adjusted(taken, 0, 0, 0), Qt::AlignLeft, group.detail, detail,
                         m_frame.colors.muted(fill));
}

QString FrameHulls::timeOf(quint32 kernel) const {
    return m_frame.scene.style && kernel < m_frame.scene.style->kernelTimes.size()
               ? m_frame.scene.style->kernelTimes[kernel]
               : QString();
}

// At the right; what is left of the room. Predicted times are slanted, with a tilde.
QRectF FrameHulls::drawTime(const QRectF& room, const QString& time, const QColor& fill, QFont font) {
    const bool isPredicted = m_frame.scene.style->areTimesPredicted;
    font.setItalic(isPredicted);
    return drawAside(room, isPredicted && !time.startsWith(u'~') ? u'~' + time : time, m_frame.colors.muted(fill),
                     font);
}

// What the passes have changed in the group.
QString FrameHulls::signsOf(quint32 place) const {
    return m_frame.scene.style && place < m_frame.scene.style->groupSigns.size()
               ? m_frame.scene.style->groupSigns[place]
               : QString();
}

QRectF FrameHulls::drawAside(const QRectF& room, const QString& text, const QColor& color, const QFont& font) {
    const double width = m_frame.tools.texts.width(text, font);
    if (width > room.width())
        return room;
    m_frame.drawText(room, Qt::AlignRight, text, font, color);
    return room.adjusted(0, 0, -width - 8 * m_frame.view.zoom, 0);
}

// From afar headers are too small: names stand at the corners of hulls that have room, outer ones first.
void FrameHulls::drawNames() {
    const QFont font = scaled(m_frame.tools.detail, std::max(pixelsOf(m_frame.tools.detail), 11.0));
    const double height = QFontMetricsF(font).height() + 4;
    QList<QRectF> taken;
    for (quint32 i : m_frame.groups) {
        const PictureGroup& group = m_frame.picture.groups[i];
        const QRectF hull = m_frame.view.toScreen(group.rect).intersected(QRectF(QPointF(), m_frame.view.size));
        const double width = m_frame.tools.texts.width(group.label, font) + 10;
        if (taken.size() == most_names)
            break;
        if (hull.width() < width + 8 || hull.height() < 3 * height)
            continue;
        const QRectF tag(hull.left() + 3, hull.top() + 3, width, height);
        if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(tag); }))
            continue;
        taken << tag;
        m_frame.painter.fillRect(tag, m_frame.colors.header(m_frame.hullOf(group)));
        m_frame.drawText(tag.adjusted(5, 0, -3, 0), Qt::AlignLeft, group.label, font, m_frame.theme.text);
    }
}

} // namespace hidet::ui
