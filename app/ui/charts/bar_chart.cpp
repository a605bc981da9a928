// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/charts/bar_chart.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace hidet::ui {

namespace {

constexpr double most_zoom = 1e5;

} // namespace

QString Chart::tsv() const {
    QStringList lines{header.join('\t')};
    for (int i = 0; row && i < int(bars.size()); ++i)
        lines << row(i).join('\t');
    return lines.join('\n') + '\n';
}

void BarChart::show(Chart chart) {
    const bool same = m_chart.x.max == chart.x.max && m_chart.x.min == chart.x.min && m_chart.name == chart.name;
    m_chart = std::move(chart);
    m_frame.x = m_chart.x;
    m_frame.y = m_chart.y;
    m_frame.lanes = m_chart.lanes;
    if (!same) {
        m_frame.from = m_chart.x.min;
        m_frame.to = m_chart.x.max;
    }
    if (m_current >= int(m_chart.bars.size()))
        m_current = -1;
    if (m_rangeBar >= int(m_chart.bars.size()))
        m_rangeBar = -1;
    m_hovered = -1;
    m_selected.clear();
    if (!m_chart.name.isEmpty())
        setAccessibleName(m_chart.name);
    selectRange(same ? m_range : Range());
    layOut();
}

int BarChart::wholeHeight() const {
    const QFontMetricsF metrics(themes().smallFont());
    return int(
        std::ceil(ChartFrame::above + ChartFrame::below(metrics) + double(m_chart.lanes.size()) * metrics.height()));
}

void BarChart::layOut() {
    m_layer = {};
    m_frame.layOut(size(), QFontMetricsF(themes().smallFont()));
    update();
}

void BarChart::setSelected(const QSet<int>& bars) {
    if (bars == m_selected)
        return;
    m_selected = bars;
    if (!bars.isEmpty()) {
        const ChartBar& first = m_chart.bars[std::size_t(*std::min_element(bars.begin(), bars.end()))];
        if (first.right < m_frame.from || first.left > m_frame.to) {
            const double half = (m_frame.to - m_frame.from) / 2, middle = (first.left + first.right) / 2;
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
    describeChart(*this, m_range ? m_sum : some ? m_chart.words(m_current) : m_chart.summary);
}

// ---- where things are ----------------------------------------------------------------------------------------------

// What is not on a logarithmic axis stands at its edge.
double BarChart::yOf(double value) const {
    if (!m_chart.lanes.isEmpty())
        return m_frame.yOf(value);
    return m_frame.area.bottom() - shareOf(m_chart.y, value) * m_frame.area.height();
}

// On whole pixels of the screen, so that edges are sharp at any scale.
QRectF BarChart::rectOf(int bar) const {
    const ChartBar& it = m_chart.bars[std::size_t(bar)];
    const double scale = devicePixelRatioF(), pixel = 1 / scale;
    const auto sharp = [scale](double at) { return std::round(at * scale) / scale; };
    const double left = sharp(m_frame.xOf(it.left)), right = std::max(sharp(m_frame.xOf(it.right)), left + pixel);
    if (!m_chart.lanes.isEmpty()) {
        const double gap = std::min(8.0, m_frame.area.height() / double(m_chart.lanes.size()) / 6);
        const double top = yOf(it.bottom) + gap, height = yOf(it.bottom + 1) - gap - top;
        return {QPointF(left, sharp(top + it.from * height)), QPointF(right, sharp(top + it.to * height))};
    }
    const double bottom = sharp(yOf(it.bottom)), top = std::min(sharp(yOf(it.top)), bottom - pixel);
    return {QPointF(left, top), QPointF(right, bottom)};
}

int BarChart::barAt(const QPointF& place) const {
    if (!m_frame.area.adjusted(0, -2, 0, 2).contains(place))
        return -1;
    int best = -1;
    double nearest = 4; // pixels: what is thinner than that can be hit too
    for (int i = 0; i < int(m_chart.bars.size()); ++i) {
        const ChartBar& bar = m_chart.bars[std::size_t(i)];
        if (bar.right < m_frame.from || bar.left > m_frame.to)
            continue;
        const QRectF box = rectOf(i);
        if (place.y() < box.top() - 3 || place.y() > box.bottom() + 3)
            continue;
        const double distance = std::max({0.0, box.left() - place.x(), place.x() - box.right()});
        if (distance < nearest || box.contains(place)) { // what lies on top counts
            nearest = distance;
            best = i;
        }
    }
    return best;
}

void BarChart::setView(double from, double to) {
    const double whole = m_chart.x.max - m_chart.x.min;
    const double width = std::clamp(to - from, whole / most_zoom, whole);
    m_frame.from = std::clamp(from, m_chart.x.min, m_chart.x.max - width);
    m_frame.to = m_frame.from + width;
    layOut();
}

void BarChart::zoom(double factor, double around) {
    setView(around - (around - m_frame.from) / factor, around + (m_frame.to - around) / factor);
}

// ---- painting ------------------------------------------------------------------------------------------------------

QColor BarChart::fillOf(const ChartBar& bar) const {
    const Theme& theme = this->theme();
    if (bar.hue == ChartBar::error)
        return theme.error;
    return bar.hue >= 0 && bar.hue < int(m_palette.size()) ? m_palette[std::size_t(bar.hue)] : theme.hover;
}

void BarChart::paintBar(QPainter& painter, int bar, const QRectF& box) const {
    const Theme& theme = this->theme();
    const int hue = m_chart.bars[std::size_t(bar)].hue;
    QColor fill = fillOf(m_chart.bars[std::size_t(bar)]);
    QColor edge = hue == ChartBar::error ? fill : mixed(fill, theme.text, 0.45);
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
    // Of those of one colour that share a pixel of a lane one is enough.
    std::map<std::pair<double, int>, double> last;
    for (int i = 0; i < int(m_chart.bars.size()); ++i) {
        const ChartBar& bar = m_chart.bars[std::size_t(i)];
        if (bar.right < m_frame.from || bar.left > m_frame.to)
            continue;
        const QRectF box = rectOf(i);
        if (!m_chart.lanes.isEmpty()) {
            double& end = last.try_emplace({bar.bottom, bar.hue}, -1).first->second;
            if (box.right() <= end)
                continue;
            end = box.right();
        }
        paintBar(painter, i, box);
    }
}

void BarChart::paintLines(QPainter& painter) const {
    const Theme& theme = this->theme();
    const QRectF all = m_frame.area;
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
    m_palette = m_chart.palette ? m_chart.palette(theme()) : std::vector<QColor>();
    m_layer = QPixmap(size() * devicePixelRatioF());
    m_layer.setDevicePixelRatio(devicePixelRatioF());
    m_layer.fill(theme().panel);
    QPainter painter(&m_layer);
    painter.setFont(themes().smallFont());
    m_frame.paint(painter, theme());
    painter.setClipRect(m_frame.area.adjusted(0, -ChartFrame::above, 1, 1));
    paintBars(painter);
    painter.setClipping(false);
    paintLines(painter);
}

void BarChart::paintFrame(QPainter& painter, int bar, const QColor& color, double width) const {
    const QRectF all = m_frame.area;
    const QRectF box = rectOf(bar).intersected(all);
    if (box.isEmpty() &&
        (m_chart.bars[std::size_t(bar)].right < m_frame.from || m_chart.bars[std::size_t(bar)].left > m_frame.to))
        return;
    painter.setPen(QPen(color, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(-width / 2, -width / 2, width / 2, width / 2));
}

void BarChart::paintEvent(QPaintEvent*) {
    if (m_layer.isNull() || m_layer.devicePixelRatioF() != devicePixelRatioF())
        paintLayer();
    const Theme& theme = this->theme();
    QPainter painter(this);
    painter.setFont(themes().smallFont());
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
    paintFocus(painter);
    if (m_range)
        return paintRange(painter);
    if (m_current < 0 || !m_chart.words)
        return;
    QRectF bar = rectOf(m_current);
    bar.setLeft(std::max(bar.left(), m_frame.area.left()));
    bar.setRight(std::min(bar.right(), m_frame.area.right()));
    paintCard(painter, theme, m_chart.words(m_current), bar, rect());
}

void BarChart::paintRange(QPainter& painter) const {
    const double left = std::max(m_frame.xOf(m_range->first), m_frame.area.left());
    const double right = std::min(m_frame.xOf(m_range->second), m_frame.area.right());
    if (left > right)
        return;
    const Theme& theme = this->theme();
    const QRectF box(QPointF(left, m_frame.area.top()), QPointF(right, m_frame.area.bottom()));
    QColor fill = theme.accent;
    fill.setAlphaF(0.15F);
    painter.fillRect(box, fill);
    painter.setPen(theme.accent);
    painter.drawLine(box.topLeft(), box.bottomLeft());
    painter.drawLine(box.topRight(), box.bottomRight());
    paintCard(painter, theme, m_sum, box, rect());
}

// ---- what the user does --------------------------------------------------------------------------------------------

void BarChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    if (event->modifiers() & Qt::ShiftModifier && m_chart.sum) {
        m_rangeFrom = m_frame.valueAt(event->position().x());
        return selectRange({});
    }
    m_pressed = event->position();
    m_pressedFrom = m_frame.from;
    m_dragged = false;
}

void BarChart::mouseMoveEvent(QMouseEvent* event) {
    if (m_rangeFrom) {
        const double to =
            std::clamp(m_frame.valueAt(event->position().x()), std::max(m_frame.from, m_chart.x.min), m_frame.to);
        return selectRange(std::minmax(*m_rangeFrom, to));
    }
    if (m_pressed) {
        const double moved = event->position().x() - m_pressed->x();
        if (std::abs(moved) > QApplication::startDragDistance())
            m_dragged = true;
        if (m_dragged) {
            const double width = m_frame.to - m_frame.from;
            const double from = m_pressedFrom - moved / m_frame.area.width() * width;
            setView(from, from + width);
            return;
        }
    }
    setCurrent(barAt(event->position()));
}

void BarChart::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = m_pressed && !m_dragged;
    m_pressed.reset();
    m_rangeFrom.reset();
    if (!click || event->button() != Qt::LeftButton)
        return;
    selectRange({});
    setCurrent(barAt(event->position()));
    if (m_current >= 0)
        emit picked(m_current);
}

void BarChart::wheelEvent(QWheelEvent* event) {
    const QPoint turned = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        zoom(std::pow(1.25, turned.y() / 120.0), m_frame.valueAt(event->position().x()));
    } else {
        const int along = turned.x() != 0 ? turned.x() : turned.y();
        const double by = -along / 120.0 * (m_frame.to - m_frame.from) / 8;
        setView(m_frame.from + by, m_frame.to + by);
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
    const double width = m_frame.to - m_frame.from;
    if (bar.left < m_frame.from)
        setView(bar.left - width / 8, bar.left + width * 7 / 8);
    else if (bar.right > m_frame.to)
        setView(bar.right - width * 7 / 8, bar.right + width / 8);
}

void BarChart::selectRange(Range range) {
    if (range && (range->first == range->second || !m_chart.sum))
        range.reset();
    if (!range)
        m_rangeBar = -1;
    m_range = range;
    m_sum = range ? m_chart.sum(range->first, range->second) : QString();
    describe();
    update();
}

void BarChart::extendRange(int from) {
    const ChartBar& one = m_chart.bars[std::size_t(from)];
    const ChartBar& other = m_chart.bars[std::size_t(m_current)];
    selectRange(std::pair(std::min(one.left, other.left), std::max(one.right, other.right)));
    m_rangeBar = from;
}

bool BarChart::moveBy(const QKeyEvent& event) {
    const int every = int(m_chart.bars.size());
    int by = 0;
    switch (event.key()) {
    case Qt::Key_Left: by = -1; break;
    case Qt::Key_Right: by = 1; break;
    case Qt::Key_PageUp: by = -10; break;
    case Qt::Key_PageDown: by = 10; break;
    case Qt::Key_Home: by = -every; break;
    case Qt::Key_End: by = every; break;
    default: return false;
    }
    if (every == 0)
        return false;
    const int before = m_rangeBar >= 0 ? m_rangeBar : std::max(m_current, 0);
    step(by);
    if (event.modifiers() & Qt::ShiftModifier && m_chart.sum)
        extendRange(before);
    else
        selectRange({});
    return true;
}

// Esc is a shortcut of the window; here it lets go of the range first.
bool BarChart::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && m_range && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape)
        event->accept();
    return QWidget::event(event);
}

void BarChart::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return copy();
    if (moveBy(*event))
        return;
    const double around = m_current < 0
                              ? (m_frame.from + m_frame.to) / 2
                              : std::clamp(m_chart.bars[std::size_t(m_current)].left, m_frame.from, m_frame.to);
    switch (event->key()) {
    case Qt::Key_Escape:
        if (!m_range)
            return QWidget::keyPressEvent(event);
        return selectRange({});
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

void BarChart::focusOutEvent(QFocusEvent* event) {
    PaintedChart::focusOutEvent(event);
    m_rangeFrom.reset();
}

SavedPicture BarChart::saved(const QString& name) {
    return pictureOf(*this, name, m_chart.tsv());
}

void BarChart::copy() {
    copyChart(*this, m_chart.tsv(), {});
}

} // namespace hidet::ui
