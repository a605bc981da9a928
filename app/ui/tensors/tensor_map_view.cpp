// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/tensors/tensor_map_view.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>

#include "app/ui/core/figures.h"

namespace hidet::ui {

namespace {
constexpr int most_cell = 12; // pixels
}

TensorMapView::TensorMapView(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes) {
    setAccessibleName(tr("Map"));
    setCursor(Qt::PointingHandCursor);
    connect(&themes, &ThemeSource::changed, this, &TensorMapView::draw);
}

void TensorMapView::show(const TensorDataPtr& data, TensorLook look) {
    m_data = data;
    const bool hasOwners = data && data->ownersOfWorst.rows > 0;
    const bool has = look == TensorLook::Owners ? hasOwners : look == TensorLook::Differences && data && data->wanted;
    m_look = has ? look : TensorLook::Values;
    draw();
}

void TensorMapView::setOwnerPart(OwnerPart part) {
    m_part = part;
    draw();
}

const session::TensorMap* TensorMapView::map() const {
    if (!m_data || !m_data->got)
        return nullptr;
    const session::TensorMap& shown = m_look == TensorLook::Values ? m_data->values : m_data->errors;
    return shown.rows > 0 && shown.refusal.empty() ? &shown : nullptr;
}

void TensorMapView::draw() {
    m_picture = {};
    setAccessibleDescription(words());
    setToolTip(words());
    update();
    const session::TensorMap* shown = map();
    if (!shown)
        return;
    double greatest = 0;
    for (const double value : shown->values)
        if (std::isfinite(value))
            greatest = std::max(greatest, std::fabs(value));
    m_picture = QImage(shown->columns, shown->rows, QImage::Format_RGB32);
    for (int row = 0; row < shown->rows; ++row)
        for (int column = 0; column < shown->columns; ++column) {
            const std::size_t cell = std::size_t(row) * std::size_t(shown->columns) + std::size_t(column);
            m_picture.setPixelColor(column, row, colorOf(cell, greatest));
        }
}

QColor TensorMapView::colorOf(std::size_t cell, double greatest) const {
    const TensorColors colors(m_themes.theme());
    const double value = map()->values[cell];
    if (m_look == TensorLook::Values)
        return colors.ofValue(value, greatest);
    if (m_look == TensorLook::Differences)
        return colors.ofError(value);
    const auto owner = session::owner_of(m_data->ownersOfWorst.values[cell], m_data->entry.ownerLaunches);
    return colors.ofOwner(owner ? partOf(*owner, m_part) : -1, value);
}

QString TensorMapView::words() const {
    const session::TensorMap* shown = map();
    if (!shown)
        return {};
    const auto each = shown->cell_rows * shown->cell_columns;
    QString out = m_look == TensorLook::Owners        ? tr("Who wrote what, strong where it is wrong")
                  : m_look == TensorLook::Differences ? tr("Where the slice is wrong")
                                                      : tr("The slice by size");
    if (each > 1)
        out += tr(", %1 elements in a cell").arg(each);
    return out;
}

void TensorMapView::setVisibleCells(const QRect& cells) {
    m_visible = cells;
    update();
}

QRect TensorMapView::area() const {
    const session::TensorMap* shown = map();
    if (!shown)
        return {};
    const int size = std::clamp(std::min(width() / shown->columns, height() / shown->rows), 1, most_cell);
    return {0, 0, std::min(width(), size * shown->columns), std::min(height(), size * shown->rows)};
}

void TensorMapView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = m_themes.theme();
    painter.fillRect(rect(), theme.panel);
    const session::TensorMap* shown = map();
    if (!shown)
        return;
    const QRect whole = area();
    painter.drawImage(whole, m_picture);
    const double across = double(whole.width()) / double(shown->columns * shown->cell_columns);
    const double down = double(whole.height()) / double(shown->rows * shown->cell_rows);
    QRectF seen(m_visible.left() * across, m_visible.top() * down, m_visible.width() * across,
                m_visible.height() * down);
    seen = seen.intersected(QRectF(whole));
    if (seen.width() >= whole.width() - 1 && seen.height() >= whole.height() - 1)
        return; // all of it
    painter.setPen(QPen(theme.accent, 1));
    painter.drawRect(seen.adjusted(0.5, 0.5, -0.5, -0.5));
}

void TensorMapView::choose(const QPoint& place) {
    const session::TensorMap* shown = map();
    const QRect whole = area();
    if (!shown || !whole.contains(place))
        return;
    emit chosen(qint64(place.y()) * shown->rows / whole.height() * shown->cell_rows,
                qint64(place.x()) * shown->columns / whole.width() * shown->cell_columns);
}

void TensorMapView::mousePressEvent(QMouseEvent* event) {
    choose(event->pos());
}

void TensorMapView::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton)
        choose(event->pos());
}

// ---- the histogram --------------------------------------------------------------------------------------------------

TensorHistogram::TensorHistogram(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes) {
    setAccessibleName(tr("Histogram"));
    connect(&themes, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void TensorHistogram::show(const TensorDataPtr& data) {
    m_data = data;
    const bool has = data && data->statistics.min;
    setToolTip(has ? tr("How many elements lie where from %1 to %2")
                         .arg(digitsText(*data->statistics.min, 5), digitsText(*data->statistics.max, 5))
                   : QString());
    setAccessibleDescription(toolTip());
    update();
}

void TensorHistogram::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = m_themes.theme();
    if (!m_data || m_data->statistics.histogram.empty())
        return;
    painter.setFont(m_themes.smallFont());
    const int line = painter.fontMetrics().height();
    const QRect area = rect().adjusted(0, 0, 0, -line);
    const auto& parts = m_data->statistics.histogram;
    const double most = double(std::max<std::int64_t>(1, std::ranges::max(parts)));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const int left = int(double(area.width()) * double(i) / double(parts.size()));
        const int right = int(double(area.width()) * double(i + 1) / double(parts.size()));
        int height = int(std::lround(double(area.height() - 2) * double(parts[i]) / most));
        if (parts[i] > 0)
            height = std::max(height, 1);
        painter.fillRect(QRect(left, area.bottom() - height, std::max(1, right - left - 1), height), theme.accent);
    }
    painter.setPen(theme.line);
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.setPen(theme.muted);
    const QRect labels(0, area.bottom() + 1, width(), line);
    painter.drawText(labels, Qt::AlignLeft, digitsText(*m_data->statistics.min, 4));
    painter.drawText(labels, Qt::AlignRight, digitsText(*m_data->statistics.max, 4));
}

} // namespace hidet::ui
