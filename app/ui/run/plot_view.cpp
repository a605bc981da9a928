// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/plot_view.h"

#include <algorithm>
#include <cmath>

#include <QAccessible>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QtCharts/QAreaSeries>
#include <QtCharts/QLineSeries>
#include <QtCharts/QLogValueAxis>
#include <QtCharts/QScatterSeries>
#include <QtCharts/QValueAxis>

namespace hidet::ui {

namespace {

constexpr int first_hue = 8; // blue: the first of them is red, which is for what is wrong
constexpr double reach = 24; // pixels from the mouse to a point that it means

// 1, 2 or 5 times a power of ten, not below `least`.
double roundStep(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (double step : {1.0, 2.0, 5.0})
        if (step * power >= least * (1 - 1e-9))
            return step * power;
    return 10 * power;
}

QAbstractAxis* axisOf(const PlotAxis& axis, const Theme& theme, const QFont& font, int most) {
    QAbstractAxis* out = nullptr;
    if (axis.isLog) {
        auto* log = new QLogValueAxis;
        log->setBase(axis.base);
        log->setRange(axis.min * (1 - 1e-9), axis.max * (1 + 1e-9)); // or 0.1, which no double is, has no tick
        log->setLabelFormat("%g");
        log->setMinorTickCount(0);
        out = log;
    } else {
        auto* value = new QValueAxis;
        value->setRange(axis.min, axis.max);
        const double step = roundStep((axis.max - axis.min) / most);
        value->setTickType(QValueAxis::TicksDynamic);
        value->setTickAnchor(0);
        value->setTickInterval(step);
        value->setLabelFormat(QString("%.%1f").arg(std::clamp(int(std::ceil(-std::log10(step) - 1e-9)), 0, 6)));
        out = value;
    }
    out->setTitleText(axis.title);
    out->setTitleFont(font);
    out->setLabelsFont(font);
    out->setTitleBrush(theme.muted);
    out->setLabelsColor(theme.muted);
    out->setLinePen(QPen(theme.line, 1));
    out->setGridLinePen(QPen(theme.line, 1));
    return out;
}

} // namespace

PlotView::PlotView(ThemeSource& themes, QWidget* parent) : QChartView(parent), m_themes(themes) {
    chart()->setAnimationOptions(QChart::NoAnimation);
    chart()->legend()->hide();
    chart()->setBackgroundRoundness(0);
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    chart()->setMargins(QMargins(8, 16, 16, 4));
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(160, 96);
    connect(&themes, &ThemeSource::changed, this, &PlotView::rebuild);
}

void PlotView::show(const PlotData& data) {
    m_data = data;
    m_spot = {};
    setAccessibleName(data.title);
    setAccessibleDescription(data.words());
    rebuild();
}

QColor PlotView::colorOf(const PlotSeries& series) const {
    const Theme& theme = m_themes.theme();
    if (series.color == -1)
        return theme.muted;
    return series.color == -2 ? theme.error : theme.series[std::size_t(series.color + first_hue) % theme.series.size()];
}

void PlotView::addSeries(const PlotSeries& series) {
    const QColor color = colorOf(series);
    QXYSeries* made = nullptr;
    if (series.mark == PlotMark::Dots || series.mark == PlotMark::Ghost) {
        auto* dots = new QScatterSeries;
        dots->setMarkerSize(8);
        dots->setPen(QPen(color, 1.5));
        dots->setBrush(series.mark == PlotMark::Ghost ? QBrush(m_themes.theme().panel) : QBrush(color));
        made = dots;
    } else {
        auto* line = new QLineSeries;
        line->setPen(QPen(color, 1.5, series.mark == PlotMark::Dashed ? Qt::DashLine : Qt::SolidLine));
        made = line;
    }
    made->append(series.points);
    QAbstractSeries* added = made;
    if (series.mark == PlotMark::Area) {
        auto* area = new QAreaSeries(static_cast<QLineSeries*>(made));
        QColor fill = color;
        fill.setAlphaF(0.35F);
        area->setBrush(fill);
        area->setPen(QPen(color, 1));
        made->setParent(area);
        added = area;
    }
    chart()->addSeries(added);
    for (QAbstractAxis* axis : chart()->axes())
        added->attachAxis(axis);
    m_frame = added;
}

void PlotView::rebuild() {
    const Theme& theme = m_themes.theme();
    chart()->removeAllSeries();
    m_frame = nullptr;
    for (QAbstractAxis* axis : chart()->axes()) {
        chart()->removeAxis(axis);
        delete axis;
    }
    setBackgroundBrush(theme.panel);
    chart()->setBackgroundBrush(theme.panel);
    chart()->setPlotAreaBackgroundVisible(false);
    if (hasPlot()) {
        const QFont font = m_themes.smallFont();
        chart()->addAxis(axisOf(m_data.x, theme, font, 8), Qt::AlignBottom);
        chart()->addAxis(axisOf(m_data.y, theme, font, 5), Qt::AlignLeft);
        for (const PlotSeries& series : m_data.series)
            addSeries(series);
    }
    scene()->update();
}

QPointF PlotView::placeOf(const PlotSeries& series, int point) const {
    return chart()->mapToScene(chart()->mapToPosition(series.points[point], m_frame));
}

void PlotView::drawForeground(QPainter* painter, const QRectF&) {
    const Theme& theme = m_themes.theme();
    painter->save();
    painter->setClipping(false);
    const QRectF all = sceneRect();
    if (!hasPlot()) {
        painter->setPen(theme.muted);
        painter->setFont(font());
        painter->drawText(all.adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap, m_data.empty);
        painter->restore();
        return;
    }
    const QRectF area = chart()->mapRectToScene(chart()->plotArea());
    painter->setFont(m_themes.smallFont());
    const QFontMetricsF metrics(painter->font());
    QList<QRectF> taken;
    for (const PlotSeries& series : m_data.series) {
        if (!series.labelled || series.points.isEmpty() || !m_frame)
            continue;
        QPointF at = placeOf(series, int(series.points.size()) - 1);
        const bool dot = series.mark == PlotMark::Dots || series.mark == PlotMark::Ghost;
        const QSizeF size(metrics.horizontalAdvance(series.name) + 4, metrics.height());
        // Beside dots, before and above the end of lines; inside of the plot whatever happens, and below what is there.
        QRectF box(dot ? at + QPointF(8, -size.height() / 2) : at - QPointF(size.width() + 4, size.height() + 2), size);
        if (series.mark == PlotMark::Dashed)
            box.moveTopLeft(QPointF(at.x() + 4, area.top()));
        box.moveLeft(std::clamp(box.left(), area.left() + 2, std::max(area.left() + 2, area.right() - size.width())));
        box.moveTop(std::clamp(box.top(), area.top() - size.height(), area.bottom() - size.height()));
        for (const QRectF& other : taken)
            if (other.intersects(box))
                box.moveTop(other.bottom() + 1);
        taken << box;
        painter->setPen(series.color == -1 ? theme.text : colorOf(series));
        painter->drawText(box, Qt::AlignVCenter | Qt::AlignLeft, series.name);
    }
    if (m_spot.series >= 0 && m_frame) {
        const PlotSeries& series = m_data.series[m_spot.series];
        const QPointF at = placeOf(series, m_spot.point);
        const QString words = m_spot.point < series.words.size() ? series.words[m_spot.point] : series.name;
        painter->setPen(QPen(theme.text, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawEllipse(at, 6, 6);
        QRectF box(QPointF(), QSizeF(metrics.horizontalAdvance(words) + 16, metrics.height() + 8));
        box.moveTopLeft(at + QPointF(12, -box.height() - 4));
        box.moveLeft(std::max(all.left() + 4, std::min(box.left(), all.right() - box.width() - 4)));
        box.moveTop(std::max(all.top() + 2, box.top()));
        painter->setBrush(theme.raised);
        painter->setPen(QPen(theme.line, 1));
        painter->drawRoundedRect(box, 4, 4);
        painter->setPen(theme.text);
        painter->drawText(box, Qt::AlignCenter, words);
    }
    if (hasFocus()) {
        painter->setPen(QPen(theme.accent, 2));
        painter->drawLine(QPointF(1, all.top()), QPointF(1, all.bottom()));
    }
    painter->restore();
}

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
    setAccessibleDescription(some ? m_data.series[spot.series].words[spot.point] : m_data.words());
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
    scene()->update();
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
    Spot nearest;
    double best = reach;
    if (hasPlot() && m_frame)
        for (const Spot& spot : spots()) {
            const double distance =
                QLineF(placeOf(m_data.series[spot.series], spot.point), mapToScene(event->pos())).length();
            if (distance < best) {
                best = distance;
                nearest = spot;
            }
        }
    setSpot(nearest);
    QChartView::mouseMoveEvent(event);
}

void PlotView::leaveEvent(QEvent* event) {
    if (!hasFocus())
        setSpot({});
    QChartView::leaveEvent(event);
}

void PlotView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return copy();
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step == 0 || !hasPlot())
        return QChartView::keyPressEvent(event);
    const std::vector<Spot> all = spots();
    if (all.empty())
        return;
    const auto found = std::find(all.begin(), all.end(), m_spot);
    const int at = found == all.end() ? (step > 0 ? -1 : int(all.size())) : int(found - all.begin());
    setSpot(all[std::size_t(std::clamp(at + step, 0, int(all.size()) - 1))]);
}

void PlotView::focusInEvent(QFocusEvent* event) {
    QChartView::focusInEvent(event);
    scene()->update();
}

void PlotView::focusOutEvent(QFocusEvent* event) {
    QChartView::focusOutEvent(event);
    setSpot({});
    scene()->update();
}

QByteArray PlotView::svg() {
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size());
    generator.setViewBox(QRect(QPoint(), size()));
    generator.setTitle(m_data.title);
    QPainter painter(&generator);
    scene()->render(&painter, QRectF(QPointF(), QSizeF(size())), sceneRect());
    painter.end();
    return buffer.data();
}

void PlotView::copy() {
    auto* data = new QMimeData;
    data->setImageData(grab().toImage());
    data->setData("image/svg+xml", svg());
    data->setText(m_data.tsv());
    QApplication::clipboard()->setMimeData(data);
}

bool PlotView::save(const QString& path) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return false;
    if (path.endsWith(".svg"))
        file.write(svg());
    else if (path.endsWith(".tsv"))
        file.write(m_data.tsv().toUtf8());
    else if (!grab().save(&file, "PNG"))
        return false;
    return file.commit();
}

} // namespace hidet::ui
