// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/charts/plot_view.h"

#include <algorithm>
#include <limits>
#include <ranges>

#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>

namespace hidet::ui {

namespace {

constexpr int first_hue = 8; // blue: the first of them is red, which is for what is wrong
constexpr double reach = 24; // pixels from the mouse to a point that it means
constexpr double dot = 4;    // its radius

bool isDots(const PlotSeries& series) {
    return series.mark == PlotMark::Dots || series.mark == PlotMark::Ghost || series.mark == PlotMark::Predicted;
}

} // namespace

// What the keys or the mouse are at stays where the same points are shown again.
void PlotView::show(const PlotData& data) {
    const bool isThere = m_spot.series >= 0 && m_spot.series < data.series.size() &&
                         m_spot.series < m_data.series.size() &&
                         data.series[m_spot.series].points == m_data.series[m_spot.series].points;
    if (!isThere)
        m_spot = {};
    m_data = data;
    m_frame.x = data.x;
    m_frame.y = data.y;
    m_frame.from = data.x.min;
    m_frame.to = data.x.max;
    setAccessibleName(data.title);
    setAccessibleDescription(data.words());
    layOut();
}

void PlotView::layOut() {
    m_frame.layOut(size(), QFontMetricsF(themes().smallFont()));
    update();
}

QColor PlotView::colorOf(const PlotSeries& series) const {
    const Theme& theme = this->theme();
    if (series.color == -1)
        return theme.muted;
    return series.color == -2 ? theme.error : theme.series[std::size_t(series.color + first_hue) % theme.series.size()];
}

QPointF PlotView::placeOf(const QPointF& point) const {
    return {m_frame.xOf(point.x()), m_frame.yOf(point.y())};
}

// ---- painting ------------------------------------------------------------------------------------------------------

void PlotView::paintSeries(QPainter& painter, const PlotSeries& series) const {
    const QColor color = colorOf(series);
    QPolygonF places;
    for (const QPointF& point : series.points)
        places << placeOf(point);
    painter.setBrush(Qt::NoBrush);
    if (isDots(series)) {
        painter.setPen(QPen(color, 1.5));
        painter.setBrush(series.mark == PlotMark::Dots ? color : theme().panel);
        if (series.mark == PlotMark::Predicted) {
            for (const QPointF& place : std::as_const(places))
                painter.drawRect(QRectF(place - QPointF(dot, dot), QSizeF(2 * dot, 2 * dot)));
            return;
        }
        for (const QPointF& place : std::as_const(places))
            painter.drawEllipse(place, dot, dot);
        return;
    }
    if (series.mark == PlotMark::Area && !places.isEmpty()) {
        QColor fill = color;
        fill.setAlphaF(0.35F);
        QPolygonF closed = places;
        closed << QPointF(places.last().x(), m_frame.area.bottom())
               << QPointF(places.first().x(), m_frame.area.bottom());
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawPolygon(closed);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color, 1));
        return painter.drawPolyline(places);
    }
    painter.setPen(QPen(color, 1.5, series.mark == PlotMark::Dashed ? Qt::DashLine : Qt::SolidLine));
    painter.drawPolyline(places);
}

// Beside dots, before and above the end of lines, at the head of dashed ones; where the place is inside of the plot and
// hides least of what is there.
QRectF PlotView::placeOfLabel(const PlotSeries& series, const QSizeF& size, const QList<QRectF>& taken) const {
    const QPointF end = placeOf(series.points.last());
    const double w = size.width(), h = size.height();
    QList<QPointF> corners;
    if (series.mark == PlotMark::Dashed)
        corners << QPointF(end.x() + 4, m_frame.area.top());
    else if (!isDots(series))
        corners << end - QPointF(w + 4, h + 2) << end + QPointF(-w - 4, 2);
    else
        for (const QPointF& point : series.points | std::views::reverse) {
            const QPointF at = placeOf(point);
            corners << at + QPointF(8, -h / 2) << at - QPointF(w + 8, h / 2) << at - QPointF(w / 2, h + 6)
                    << at + QPointF(-w / 2, 6);
        }

    QRectF best;
    qsizetype hidden = std::numeric_limits<qsizetype>::max();
    for (const QPointF& corner : std::as_const(corners)) {
        const QRectF box = m_frame.within(QRectF(corner, size));
        const qsizetype hides = std::ranges::count_if(taken, [&](const QRectF& one) { return one.intersects(box); });
        if (hides < hidden) {
            hidden = hides;
            best = box;
        }
        if (hidden == 0)
            break;
    }
    return best;
}

QList<QRectF> PlotView::dots() const {
    QList<QRectF> out;
    for (const PlotSeries& series : m_data.series)
        if (isDots(series))
            for (const QPointF& point : series.points)
                out << QRectF(placeOf(point) - QPointF(dot, dot), QSizeF(2 * dot, 2 * dot));
    return out;
}

void PlotView::paintLabels(QPainter& painter) const {
    const QFont upright = painter.font();
    const QFont slanted = italic(upright);
    const QFontMetricsF metrics(upright);
    QList<QRectF> taken = dots();
    const qsizetype first = taken.size();
    for (const PlotSeries& series : m_data.series) {
        if (!series.labelled || series.points.isEmpty())
            continue;
        const QSizeF size(metrics.horizontalAdvance(series.name) + 4, metrics.height());
        QRectF box = placeOfLabel(series, size, taken);
        for (const QRectF& other : taken.sliced(first))
            if (other.intersects(box))
                box.moveTop(other.bottom() + 1);
        taken << box;
        painter.setPen(series.color == -1 ? theme().text : colorOf(series));
        painter.setFont(series.mark == PlotMark::Predicted ? slanted : upright);
        painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft, series.name);
    }
}

void PlotView::paintSpot(QPainter& painter) const {
    if (m_spot.series < 0)
        return;
    const PlotSeries& series = m_data.series[m_spot.series];
    const QPointF at = placeOf(series.points[m_spot.point]);
    painter.setPen(QPen(theme().text, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(at, 6, 6);
    const QString words = m_spot.point < series.words.size() ? series.words[m_spot.point] : series.name;
    paintCard(painter, theme(), words, QRectF(at - QPointF(6, 6), QSizeF(12, 12)), rect());
}

void PlotView::paint(QPainter& painter) const {
    const Theme& theme = this->theme();
    painter.fillRect(rect(), theme.panel);
    if (!hasPlot()) {
        painter.setPen(theme.muted);
        painter.setFont(font());
        return painter.drawText(rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap, m_data.empty);
    }
    painter.setFont(themes().smallFont());
    m_frame.paint(painter, theme);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(m_frame.area.adjusted(-dot, -dot, dot, dot));
    for (const PlotSeries& series : m_data.series)
        paintSeries(painter, series);
    if (m_data.marked.series >= 0) {
        painter.setPen(QPen(theme.text, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(placeOf(m_data.series[m_data.marked.series].points[m_data.marked.point]), dot + 3, dot + 3);
    }
    painter.setClipping(false);
    paintLabels(painter);
    paintSpot(painter);
}

void PlotView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paint(painter);
    paintFocus(painter);
}

// ---- what the user does --------------------------------------------------------------------------------------------

std::vector<PlotView::Spot> PlotView::spots() const {
    std::vector<Spot> out;
    for (int s = 0; s < m_data.series.size(); ++s)
        for (int p = 0; p < m_data.series[s].points.size(); ++p)
            out.push_back({s, p});
    std::stable_sort(out.begin(), out.end(), [this](const Spot& a, const Spot& b) {
        return m_data.series[a.series].points[a.point].x() < m_data.series[b.series].points[b.point].x();
    });
    return out;
}

void PlotView::setSpot(Spot spot) {
    if (spot == m_spot)
        return;
    m_spot = spot;
    const bool some = spot.series >= 0 && spot.point < m_data.series[spot.series].words.size();
    describeChart(*this, some ? m_data.series[spot.series].words[spot.point] : m_data.words());
}

PlotView::Spot PlotView::spotAt(const QPointF& place) const {
    Spot nearest;
    double best = reach;
    if (hasPlot())
        for (const Spot& spot : spots()) {
            const double distance = QLineF(placeOf(m_data.series[spot.series].points[spot.point]), place).length();
            if (distance < best) {
                best = distance;
                nearest = spot;
            }
        }
    return nearest;
}

QPoint PlotView::placeOf(PlotSpot spot) const {
    return placeOf(m_data.series[spot.series].points[spot.point]).toPoint();
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
    setSpot(spotAt(event->position()));
}

void PlotView::mousePressEvent(QMouseEvent* event) {
    QWidget::mousePressEvent(event);
    const Spot spot = spotAt(event->position());
    setSpot(spot);
    if (event->button() == Qt::LeftButton && spot.series >= 0)
        emit chosen(spot.series, spot.point);
}

void PlotView::mouseDoubleClickEvent(QMouseEvent* event) {
    const Spot spot = spotAt(event->position());
    if (event->button() == Qt::LeftButton && spot.series >= 0)
        emit activated(spot.series, spot.point);
}

void PlotView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return copy();
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_spot.series >= 0) {
        emit activated(m_spot.series, m_spot.point);
        return;
    }
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step == 0 || !hasPlot())
        return QWidget::keyPressEvent(event);
    const std::vector<Spot> all = spots();
    if (all.empty())
        return;
    const auto found = std::find(all.begin(), all.end(), m_spot);
    const int at = found == all.end() ? (step > 0 ? -1 : int(all.size())) : int(found - all.begin());
    const Spot spot = all[std::size_t(std::clamp(at + step, 0, int(all.size()) - 1))];
    setSpot(spot);
    emit chosen(spot.series, spot.point);
}

QByteArray PlotView::svg() const {
    return svgOf(size(), m_data.title, [this](QPainter& painter) { paint(painter); });
}

void PlotView::copy() {
    copyChart(*this, m_data.tsv(), svg());
}

SavedPicture PlotView::saved() {
    return pictureOf(*this, "plot", m_data.tsv(), svg());
}

} // namespace hidet::ui
