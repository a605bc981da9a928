// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/charts/bar_chart.h"

#include <algorithm>
#include <cmath>

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>

namespace hidet::ui {

namespace {

constexpr double above = 12, right_space = 16, most_zoom = 1e5;

QColor mixed(const QColor& a, const QColor& b, float share) {
    const auto of = [share](float x, float y) { return x + (y - x) * share; };
    return QColor::fromRgbF(of(a.redF(), b.redF()), of(a.greenF(), b.greenF()), of(a.blueF(), b.blueF()));
}

} // namespace

QString Chart::tsv() const {
    QStringList lines{header.join('\t')};
    for (int i = 0; row && i < int(bars.size()); ++i)
        lines << row(i).join('\t');
    return lines.join('\n') + '\n';
}

BarChart::BarChart(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&themes, &ThemeSource::changed, this, &BarChart::stale);
}

void BarChart::show(Chart chart) {
    const bool same = m_chart.x.max == chart.x.max && m_chart.x.min == chart.x.min && m_chart.name == chart.name;
    m_chart = std::move(chart);
    if (!same) {
        m_from = m_chart.x.min;
        m_to = m_chart.x.max;
    }
    if (m_current >= int(m_chart.bars.size()))
        m_current = -1;
    m_hovered = -1;
    m_selected.clear();
    if (!m_chart.name.isEmpty())
        setAccessibleName(m_chart.name);
    describe();
    stale();
}

void BarChart::stale() {
    m_layer = {};
    m_below = 2 * QFontMetricsF(m_themes.smallFont()).height() + 8;
    update();
}

void BarChart::setSelected(const QSet<int>& bars) {
    if (bars == m_selected)
        return;
    m_selected = bars;
    if (!bars.isEmpty()) {
        const ChartBar& first = m_chart.bars[std::size_t(*std::min_element(bars.begin(), bars.end()))];
        if (first.right < m_from || first.left > m_to) {
            const double half = (m_to - m_from) / 2, middle = (first.left + first.right) / 2;
            setView(middle - half, middle + half);
        }
    }
    update();
}

void BarChart::setHovered(int bar) {
    if (bar == m_hovered)
        return;
    m_hovered = bar;
    update();
}

void BarChart::setCurrent(int bar) {
    if (bar == m_current)
        return;
    m_current = bar;
    describe();
    emit hovered(bar);
    update();
}

void BarChart::describe() {
    const bool some = m_current >= 0 && m_chart.words;
    setAccessibleDescription(some ? m_chart.words(m_current) : m_chart.summary);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

// ---- where things are ----------------------------------------------------------------------------------------------

QRectF BarChart::area() const {
    return QRectF(QPointF(m_left, above),
                  QPointF(std::max(m_left + 8, width() - right_space), std::max(above + 8, height() - m_below)));
}

double BarChart::xOf(double value) const {
    const QRectF all = area();
    return all.left() + (value - m_from) / (m_to - m_from) * all.width();
}

double BarChart::valueAt(double x) const {
    const QRectF all = area();
    return m_from + (x - all.left()) / all.width() * (m_to - m_from);
}

double BarChart::yOf(double value) const {
    const QRectF all = area();
    if (!m_chart.lanes.isEmpty())
        return all.top() + value * all.height() / double(m_chart.lanes.size());
    return all.bottom() - shareOf(m_chart.y, value) * all.height();
}

// On whole pixels of the screen, so that edges are sharp at any scale.
QRectF BarChart::rectOf(int bar) const {
    const ChartBar& it = m_chart.bars[std::size_t(bar)];
    const double scale = devicePixelRatioF(), pixel = 1 / scale;
    const auto sharp = [scale](double at) { return std::round(at * scale) / scale; };
    const double left = sharp(xOf(it.left)), right = std::max(sharp(xOf(it.right)), left + pixel);
    if (!m_chart.lanes.isEmpty()) {
        const double gap = std::min(8.0, area().height() / double(m_chart.lanes.size()) / 6);
        return {QPointF(left, sharp(yOf(it.bottom) + gap)), QPointF(right, sharp(yOf(it.bottom + 1) - gap))};
    }
    const double bottom = sharp(yOf(it.bottom)), top = std::min(sharp(yOf(it.top)), bottom - pixel);
    return {QPointF(left, top), QPointF(right, bottom)};
}

int BarChart::barAt(const QPointF& place) const {
    if (!area().adjusted(0, -2, 0, 2).contains(place))
        return -1;
    int best = -1;
    double nearest = 4; // pixels: what is thinner than that can be hit too
    for (int i = 0; i < int(m_chart.bars.size()); ++i) {
        const ChartBar& bar = m_chart.bars[std::size_t(i)];
        if (bar.right < m_from || bar.left > m_to)
            continue;
        const QRectF box = rectOf(i);
        if (place.y() < box.top() - 3 || place.y() > box.bottom() + 3)
            continue;
        const double distance = std::max({0.0, box.left() - place.x(), place.x() - box.right()});
        if (distance < nearest) {
            nearest = distance;
            best = i;
        }
    }
    return best;
}

void BarChart::setView(double from, double to) {
    const double whole = m_chart.x.max - m_chart.x.min;
    const double width = std::clamp(to - from, whole / most_zoom, whole);
    m_from = std::clamp(from, m_chart.x.min, m_chart.x.max - width);
    m_to = m_from + width;
    stale();
}

void BarChart::zoom(double factor, double around) {
    setView(around - (around - m_from) / factor, around + (m_to - around) / factor);
}

void BarChart::fit() {
    setView(m_chart.x.min, m_chart.x.max);
}

// ---- painting ------------------------------------------------------------------------------------------------------

void BarChart::paintAxes(QPainter& painter) const {
    const Theme& theme = m_themes.theme();
    const QRectF all = area();
    const QFontMetricsF metrics(painter.font());
    const int most = std::max(2, int(all.width() / 80));
    const double step = tickStep(m_chart.x, m_from, m_to, most);
    for (const double tick : ticksOf(m_chart.x, m_from, m_to, most)) {
        const double x = std::round(xOf(tick)) + 0.5;
        painter.setPen(QPen(theme.line, 1));
        painter.drawLine(QPointF(x, all.top()), QPointF(x, all.bottom()));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(x - 40, all.bottom() + 2, 80, metrics.height()), Qt::AlignCenter,
                         textOf(m_chart.x, tick, step));
    }
    painter.drawText(QRectF(all.left(), all.bottom() + 2 + metrics.height(), all.width(), metrics.height() + 2),
                     Qt::AlignCenter, metrics.elidedText(m_chart.x.title, Qt::ElideRight, all.width()));
    if (!m_chart.lanes.isEmpty()) {
        for (int lane = 0; lane < m_chart.lanes.size(); ++lane)
            painter.drawText(QRectF(8, yOf(lane), m_left - 16, yOf(lane + 1) - yOf(lane)),
                             Qt::AlignLeft | Qt::AlignVCenter, m_chart.lanes[lane]);
        return;
    }
    const int rows = std::max(2, int(all.height() / 32));
    const double height = tickStep(m_chart.y, m_chart.y.min, m_chart.y.max, rows);
    for (const double tick : ticksOf(m_chart.y, m_chart.y.min, m_chart.y.max, rows)) {
        const double y = std::round(yOf(tick)) + 0.5;
        painter.setPen(QPen(theme.line, 1));
        painter.drawLine(QPointF(all.left(), y), QPointF(all.right(), y));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(24, y - metrics.height() / 2, m_left - 30, metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter, textOf(m_chart.y, tick, height));
    }
    painter.save();
    painter.translate(4, all.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-all.height() / 2 - above, 0, all.height() + 2 * above, metrics.height()), Qt::AlignCenter,
                     metrics.elidedText(m_chart.y.title, Qt::ElideRight, all.height() + 2 * above));
    painter.restore();
}

QColor BarChart::fillOf(const ChartBar& bar) const {
    const Theme& theme = m_themes.theme();
    if (bar.hue == ChartBar::error)
        return theme.error;
    return bar.hue >= 0 && bar.hue < int(m_palette.size()) ? m_palette[std::size_t(bar.hue)] : theme.hover;
}

void BarChart::paintBar(QPainter& painter, int bar, const QRectF& box) const {
    const Theme& theme = m_themes.theme();
    const int hue = m_chart.bars[std::size_t(bar)].hue;
    QColor fill = fillOf(m_chart.bars[std::size_t(bar)]);
    QColor edge = hue == ChartBar::error ? fill : mixed(fill, theme.text, 0.45F);
    if (m_chart.isStale) {
        edge = theme.stale(edge);
        fill = theme.stale(fill);
    }
    if (box.width() < 4 || box.height() < 4)
        return painter.fillRect(box, edge);
    painter.fillRect(box, edge);
    const double pixel = 1 / devicePixelRatioF();
    painter.fillRect(box.adjusted(pixel, pixel, -pixel, -pixel), fill);
    const QFontMetricsF metrics(painter.font());
    if (!m_chart.label || box.width() < 48 || box.height() < metrics.height() || hue == ChartBar::error)
        return;
    const QString text = metrics.elidedText(m_chart.label(bar), Qt::ElideRight, box.width() - 8);
    if (text.size() < 4)
        return;
    painter.setPen(m_chart.isStale ? theme.muted : theme.text);
    painter.drawText(box.adjusted(4, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
}

void BarChart::paintBars(QPainter& painter) const {
    // Of those that share a pixel of a lane one is enough.
    std::vector<double> last(std::size_t(m_chart.lanes.size()), -1);
    for (int i = 0; i < int(m_chart.bars.size()); ++i) {
        const ChartBar& bar = m_chart.bars[std::size_t(i)];
        if (bar.right < m_from || bar.left > m_to)
            continue;
        const QRectF box = rectOf(i);
        if (!last.empty()) {
            double& end = last[std::size_t(bar.bottom)];
            if (box.right() <= end)
                continue;
            end = box.right();
        }
        paintBar(painter, i, box);
    }
}

void BarChart::paintLines(QPainter& painter) const {
    const Theme& theme = m_themes.theme();
    const QRectF all = area();
    const QFontMetricsF metrics(painter.font());
    double taken = all.top() - 2 * metrics.height();
    for (const ChartLine& line : m_chart.lines) {
        const double y = std::round(yOf(line.at)) + 0.5;
        painter.setPen(QPen(theme.text, 1, line.isDashed ? Qt::DashLine : Qt::SolidLine));
        painter.drawLine(QPointF(all.left(), y), QPointF(all.right(), y));
        const double width = metrics.horizontalAdvance(line.label) + 8;
        double top = y - metrics.height() - 1;
        if (top < 0 || std::abs(top - taken) < metrics.height())
            top = std::max(y, taken + metrics.height()) + 2;
        taken = top;
        const QRectF box(all.right() - width, top, width, metrics.height());
        QColor behind = theme.panel;
        behind.setAlphaF(0.85F);
        painter.fillRect(box, behind);
        painter.setPen(theme.text);
        painter.drawText(box, Qt::AlignCenter, line.label);
    }
}

void BarChart::paintLayer() {
    const QFontMetricsF metrics(m_themes.smallFont());
    m_left = 16;
    for (const QString& lane : m_chart.lanes)
        m_left = std::max(m_left, metrics.horizontalAdvance(lane) + 24);
    if (m_chart.lanes.isEmpty()) {
        const int rows = std::max(2, int(area().height() / 32));
        const double step = tickStep(m_chart.y, m_chart.y.min, m_chart.y.max, rows);
        for (const double tick : ticksOf(m_chart.y, m_chart.y.min, m_chart.y.max, rows))
            m_left = std::max(m_left, metrics.horizontalAdvance(textOf(m_chart.y, tick, step)) + 32);
    }
    m_palette = m_chart.palette ? m_chart.palette(m_themes.theme()) : std::vector<QColor>();
    m_layer = QPixmap(size() * devicePixelRatioF());
    m_layer.setDevicePixelRatio(devicePixelRatioF());
    m_layer.fill(m_themes.theme().panel);
    QPainter painter(&m_layer);
    painter.setFont(m_themes.smallFont());
    paintAxes(painter);
    painter.setClipRect(area().adjusted(0, -above, 1, 1));
    paintBars(painter);
    painter.setClipping(false);
    paintLines(painter);
}

void BarChart::paintFrame(QPainter& painter, int bar, const QColor& color, double width) const {
    const QRectF all = area();
    const QRectF box = rectOf(bar).intersected(all);
    if (box.isEmpty() && (m_chart.bars[std::size_t(bar)].right < m_from || m_chart.bars[std::size_t(bar)].left > m_to))
        return;
    painter.setPen(QPen(color, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(-width / 2, -width / 2, width / 2, width / 2));
}

void BarChart::paintCard(QPainter& painter) const {
    if (m_current < 0 || !m_chart.words)
        return;
    const Theme& theme = m_themes.theme();
    const QStringList lines = m_chart.words(m_current).split('\n');
    const QFontMetricsF metrics(painter.font());
    double widest = 0;
    for (const QString& line : lines)
        widest = std::max(widest, metrics.horizontalAdvance(line));
    QRectF box(0, 0, std::min(widest, std::max(64.0, width() - 40.0)) + 16,
               double(lines.size()) * metrics.height() + 8);
    const QRectF bar = rectOf(m_current);
    box.moveTopLeft({std::max(bar.left(), area().left()), bar.bottom() + 6});
    if (box.bottom() > height() - 2)
        box.moveBottom(bar.top() - 6);
    if (box.top() < 2)
        box.moveTopLeft({std::min(bar.right(), area().right()) + 8, 2});
    box.moveLeft(std::clamp(box.left(), 2.0, std::max(2.0, width() - box.width() - 2)));
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
}

void BarChart::paintEvent(QPaintEvent*) {
    if (m_layer.isNull() || m_layer.devicePixelRatioF() != devicePixelRatioF())
        paintLayer();
    const Theme& theme = m_themes.theme();
    QPainter painter(this);
    painter.setFont(m_themes.smallFont());
    painter.drawPixmap(0, 0, m_layer);
    int framed = 0;
    for (const int bar : std::as_const(m_selected)) {
        if (++framed > 2000)
            break;
        paintFrame(painter, bar, theme.accent, 2);
    }
    if (m_hovered >= 0 && m_hovered < int(m_chart.bars.size()))
        paintFrame(painter, m_hovered, theme.text, 1);
    if (m_current >= 0)
        paintFrame(painter, m_current, theme.text, 1);
    if (hasFocus())
        painter.fillRect(QRectF(0, 0, 2, height()), theme.accent);
    paintCard(painter);
}

void BarChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    stale();
}

// ---- what the user does --------------------------------------------------------------------------------------------

void BarChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    m_pressed = event->position();
    m_pressedFrom = m_from;
    m_dragged = false;
}

void BarChart::mouseMoveEvent(QMouseEvent* event) {
    if (m_pressed) {
        const double moved = event->position().x() - m_pressed->x();
        if (std::abs(moved) > QApplication::startDragDistance())
            m_dragged = true;
        if (m_dragged) {
            const double width = m_to - m_from;
            const double from = m_pressedFrom - moved / area().width() * width;
            setView(from, from + width);
            return;
        }
    }
    setCurrent(barAt(event->position()));
}

void BarChart::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = m_pressed && !m_dragged;
    m_pressed.reset();
    if (!click || event->button() != Qt::LeftButton)
        return;
    setCurrent(barAt(event->position()));
    if (m_current >= 0)
        emit picked(m_current);
}

void BarChart::leaveEvent(QEvent* event) {
    if (!hasFocus())
        setCurrent(-1);
    QWidget::leaveEvent(event);
}

void BarChart::wheelEvent(QWheelEvent* event) {
    const QPoint turned = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        zoom(std::pow(1.25, turned.y() / 120.0), valueAt(event->position().x()));
    } else {
        const int along = turned.x() != 0 ? turned.x() : turned.y();
        const double by = -along / 120.0 * (m_to - m_from) / 8;
        setView(m_from + by, m_to + by);
    }
    event->accept();
}

void BarChart::step(int by) {
    const int count = int(m_chart.bars.size());
    if (count == 0)
        return;
    const int start = m_current >= 0 ? m_current : by > 0 ? -1 : count;
    setCurrent(std::clamp(start + by, 0, count - 1));
    const ChartBar& bar = m_chart.bars[std::size_t(m_current)];
    const double width = m_to - m_from;
    if (bar.left < m_from)
        setView(bar.left - width / 8, bar.left + width * 7 / 8);
    else if (bar.right > m_to)
        setView(bar.right - width * 7 / 8, bar.right + width / 8);
}

void BarChart::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return copy();
    const double around =
        m_current < 0 ? (m_from + m_to) / 2 : std::clamp(m_chart.bars[std::size_t(m_current)].left, m_from, m_to);
    const int every = int(m_chart.bars.size());
    switch (event->key()) {
    case Qt::Key_Left: return step(-1);
    case Qt::Key_Right: return step(1);
    case Qt::Key_PageUp: return step(-10);
    case Qt::Key_PageDown: return step(10);
    case Qt::Key_Home: return step(-every);
    case Qt::Key_End: return step(every);
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoom(1.5, around);
    case Qt::Key_Minus: return zoom(1 / 1.5, around);
    case Qt::Key_0: return fit();
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_current >= 0)
            emit picked(m_current);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void BarChart::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void BarChart::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    setCurrent(-1);
    update();
}

void BarChart::copy() const {
    auto* data = new QMimeData;
    data->setImageData(const_cast<BarChart*>(this)->grab().toImage());
    data->setText(m_chart.tsv());
    QApplication::clipboard()->setMimeData(data);
}

} // namespace hidet::ui
