// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/charts/chart_frame.h"

#include <algorithm>
#include <cmath>

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QPainter>

namespace hidet::ui {

namespace {

constexpr double right_space = 16;
constexpr double tick_width = 80, tick_height = 32; // that a number takes at least

} // namespace

ChartFrame::Ticks ChartFrame::xTicks() const {
    const int most = std::max(2, int(area.width() / tick_width));
    return {ticksOf(x, from, to, most), tickStep(x, from, to, most)};
}

ChartFrame::Ticks ChartFrame::yTicks() const {
    const int most = std::max(2, int(area.height() / tick_height));
    return {ticksOf(y, y.min, y.max, most), tickStep(y, y.min, y.max, most)};
}

void ChartFrame::layOut(const QSizeF& size, const QFontMetricsF& metrics) {
    area.setTop(above);
    area.setBottom(std::max(above + 8, size.height() - below(metrics)));
    double left = 16;
    for (const QString& lane : lanes)
        left = std::max(left, metrics.horizontalAdvance(lane) + 24);
    if (lanes.isEmpty()) {
        const Ticks ticks = yTicks();
        for (const double tick : ticks.values)
            left = std::max(left, metrics.horizontalAdvance(textOf(y, tick, ticks.step)) + 32);
    }
    area.setLeft(left);
    area.setRight(std::max(left + 8, size.width() - right_space));
}

double ChartFrame::xOf(double value) const {
    const double share = x.isLog ? positionOf(x, value) : (value - from) / (to - from);
    return area.left() + share * area.width();
}

double ChartFrame::yOf(double value) const {
    if (!lanes.isEmpty())
        return area.top() + value * area.height() / double(lanes.size());
    return area.bottom() - positionOf(y, value) * area.height();
}

double ChartFrame::valueAt(double at) const {
    return from + (at - area.left()) / area.width() * (to - from);
}

QRectF ChartFrame::within(QRectF label) const {
    const double left = area.left() + 2, highest = std::max(0.0, area.top() - label.height());
    label.moveLeft(std::clamp(label.left(), left, std::max(left, area.right() - label.width())));
    label.moveTop(std::clamp(label.top(), highest, std::max(highest, area.bottom() - label.height())));
    return label;
}

void ChartFrame::paintBelow(QPainter& painter, const Theme& theme) const {
    const QFontMetricsF metrics(painter.font());
    const Ticks ticks = xTicks();
    for (const double tick : ticks.values) {
        const double at = std::round(xOf(tick)) + 0.5;
        painter.setPen(QPen(theme.line, 1));
        painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(at - tick_width / 2, area.bottom() + 2, tick_width, metrics.height()), Qt::AlignCenter,
                         textOf(x, tick, ticks.step));
    }
    painter.setPen(theme.muted);
    painter.drawText(QRectF(area.left(), area.bottom() + 2 + metrics.height(), area.width(), metrics.height() + 2),
                     Qt::AlignCenter, metrics.elidedText(x.title, Qt::ElideRight, area.width()));
}

void ChartFrame::paintBeside(QPainter& painter, const Theme& theme) const {
    const QFontMetricsF metrics(painter.font());
    const Ticks ticks = yTicks();
    for (const double tick : ticks.values) {
        const double at = std::round(yOf(tick)) + 0.5;
        painter.setPen(QPen(theme.line, 1));
        painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(24, at - metrics.height() / 2, area.left() - 30, metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter, textOf(y, tick, ticks.step));
    }
    painter.save();
    painter.setPen(theme.muted);
    painter.translate(4, area.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-area.height() / 2 - above, 0, area.height() + 2 * above, metrics.height()),
                     Qt::AlignCenter, metrics.elidedText(y.title, Qt::ElideRight, area.height() + 2 * above));
    painter.restore();
}

void ChartFrame::paint(QPainter& painter, const Theme& theme) const {
    paintBelow(painter, theme);
    if (lanes.isEmpty())
        return paintBeside(painter, theme);
    painter.setPen(theme.muted);
    const QFontMetricsF metrics(painter.font());
    const double height = metrics.height(), letters = metrics.capHeight() + metrics.descent();
    double free = 0; // from there on downwards no name stands
    for (int lane = 0; lane < lanes.size(); ++lane) {
        const double middle = (yOf(lane) + yOf(lane + 1)) / 2;
        if (middle - letters / 2 < free)
            continue;
        free = middle + letters / 2;
        painter.drawText(QRectF(8, middle - height / 2, area.left() - 16, height), Qt::AlignLeft | Qt::AlignVCenter,
                         lanes[lane]);
    }
}

PaintedChart::PaintedChart(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&themes, &ThemeSource::changed, this, [this] { layOut(); });
}

void PaintedChart::paintFocus(QPainter& painter) const {
    if (hasFocus())
        painter.fillRect(QRectF(0, 0, 2, height()), theme().accent);
}

void PaintedChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layOut();
}

void PaintedChart::leaveEvent(QEvent* event) {
    if (!hasFocus())
        leaveSpots();
    QWidget::leaveEvent(event);
}

void PaintedChart::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void PaintedChart::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    leaveSpots();
    update();
}

void paintCard(QPainter& painter, const Theme& theme, const QString& words, const QRectF& about, const QRectF& bounds) {
    const QStringList lines = words.split('\n');
    const QFontMetricsF metrics(painter.font());
    double widest = 0;
    for (const QString& line : lines)
        widest = std::max(widest, metrics.horizontalAdvance(line));
    QRectF box(0, 0, std::min(widest, std::max(64.0, bounds.width() - 40.0)) + 16,
               double(lines.size()) * metrics.height() + 8);
    box.moveTopLeft({about.left(), about.bottom() + 6});
    if (box.bottom() > bounds.bottom() - 2)
        box.moveBottom(about.top() - 6);
    if (box.top() < bounds.top() + 2)
        box.moveTopLeft({about.right() + 8, bounds.top() + 2});
    const double leftmost = bounds.left() + 2;
    box.moveLeft(std::clamp(box.left(), leftmost, std::max(leftmost, bounds.right() - box.width() - 2)));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(theme.text);
    double y = box.top() + 4;
    for (const QString& line : lines) {
        painter.drawText(QRectF(box.left() + 8, y, box.width() - 16, metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(line, Qt::ElideMiddle, box.width() - 16));
        y += metrics.height();
    }
    painter.restore();
}

void describeChart(QWidget& chart, const QString& words) {
    chart.setAccessibleDescription(words);
    QAccessibleEvent event(&chart, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
    chart.update();
}

void copyChart(QWidget& chart, const QString& tsv, const QByteArray& svg) {
    auto* data = new QMimeData;
    data->setImageData(chart.grab().toImage());
    if (!svg.isEmpty())
        data->setData("image/svg+xml", svg);
    data->setText(tsv);
    QGuiApplication::clipboard()->setMimeData(data);
}

} // namespace hidet::ui
