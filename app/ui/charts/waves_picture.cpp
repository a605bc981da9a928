// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/charts/waves_picture.h"

#include <algorithm>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "app/session/picture/pictures.h"
#include "app/ui/charts/chart_frame.h"
#include "app/ui/charts/grid_keys.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

constexpr int waves_margin = 8, least_tile = 6, widest_tile = 56, highest_tile = 30;
constexpr int waves_between_hues = 137; // degrees: neighbours in time differ, and no two soon meet

} // namespace

WavesPicture::WavesPicture(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Tiles by their waves"));
    connect(&themes, &ThemeSource::changed, this, &WavesPicture::layOut);
}

void WavesPicture::show(std::shared_ptr<const session::WavesView> waves) {
    m_waves = std::move(waves);
    if (m_spot.row >= rows() || m_spot.column >= columns())
        m_spot = {};
    setAccessibleDescription(words());
    layOut();
    emit wordsChanged();
}

void WavesPicture::setWave(std::int64_t number) {
    if (number == m_wave)
        return;
    m_wave = number;
    update();
}

void WavesPicture::setStale(bool isStale) {
    if (isStale == m_isStale)
        return;
    m_isStale = isStale;
    update();
}

// ---- where everything is -------------------------------------------------------------------------------------------

void WavesPicture::layOut() {
    const QFontMetrics metrics(m_themes.smallFont());
    m_left = waves_margin + metrics.horizontalAdvance(QString::number(std::max(rows() - 1, 0))) + 6;
    m_top = waves_margin + metrics.height() + 2;
    if (rows() > 0 && columns() > 0) {
        m_cellWidth = std::clamp((width() - m_left - waves_margin) / columns(), least_tile, widest_tile);
        m_cellHeight = std::clamp((height() - m_top - waves_margin) / rows(), least_tile, highest_tile);
    }
    update();
}

QRect WavesPicture::rectOf(int row, int column) const {
    return {m_left + column * m_cellWidth, m_top + row * m_cellHeight, m_cellWidth - 1, m_cellHeight - 1};
}

// ---- words ---------------------------------------------------------------------------------------------------------

QString WavesPicture::unit() const {
    return m_waves->rounds_of.empty() ? tr("wave") : tr("turn of %1").arg(text(m_waves->rounds_of));
}

QString WavesPicture::words() const {
    if (rows() == 0)
        return {};
    const bool areBlocks = m_waves->grid_of.empty();
    if (m_spot.row < 0) {
        QString out = areBlocks ? tr("Blocks, blockIdx.y down and blockIdx.x across, by their %1").arg(unit())
                                : tr("Tiles of %1 by their %2").arg(text(m_waves->grid_of), unit());
        if (m_waves->rows > rows() || m_waves->columns > columns())
            out += tr("; the first of %1 x %2").arg(m_waves->rows).arg(m_waves->columns);
        return out;
    }
    const QString which = areBlocks ? tr("Block (%1, %2)").arg(m_spot.column).arg(m_spot.row)
                                    : tr("Tile at row %1, column %2").arg(m_spot.row).arg(m_spot.column);
    const std::int64_t wave = at(m_spot);
    if (wave == 0)
        return tr("%1: in none of those that were looked at").arg(which);
    const auto found = std::ranges::find(m_waves->waves, wave, &session::WaveView::number);
    const QString out = tr("%1: %2 %3").arg(which, unit()).arg(wave);
    return found == m_waves->waves.end() ? out : tr("%1, of %2 blocks").arg(out).arg(found->blocks);
}

QString WavesPicture::tsv() const {
    QStringList lines{QStringList{"row", "column", "wave"}.join('\t')};
    for (int row = 0; row < rows(); ++row)
        for (int column = 0; column < columns(); ++column)
            lines << QString("%1\t%2\t%3").arg(row).arg(column).arg(at({row, column}));
    return lines.join('\n') + '\n';
}

SavedPicture WavesPicture::saved() {
    SavedPicture out = pictureOf(*this, "waves", tsv());
    out.svg = [waves = m_waves] { return QByteArray::fromStdString(session::picture_of(*waves).document()); };
    return out;
}

// ---- painting ------------------------------------------------------------------------------------------------------

QColor WavesPicture::colorOf(std::int64_t wave) const {
    const bool isDark = m_themes.theme().dark;
    return oklch(isDark ? 0.46 : 0.83, isDark ? 0.1 : 0.1, double((250 + (wave - 1) * waves_between_hues) % 360));
}

void WavesPicture::paintTile(QPainter& painter, Spot spot) const {
    const Theme& theme = m_themes.theme();
    const QRect rect = rectOf(spot.row, spot.column);
    const std::int64_t wave = at(spot);
    if (wave == 0 || (m_wave > 0 && wave > m_wave)) {
        painter.setPen(theme.line);
        painter.setBrush(Qt::NoBrush);
        return painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
    const bool isBefore = m_wave > 0 && wave < m_wave;
    const QColor fill = colorOf(wave);
    painter.fillRect(rect, m_isStale || isBefore ? theme.stale(fill) : fill);
    const QFontMetrics metrics(painter.font());
    const QString number = QString::number(wave);
    if (rect.height() >= metrics.height() - 2 && rect.width() >= metrics.horizontalAdvance(number) + 2) {
        painter.setPen(m_isStale || isBefore ? theme.muted : theme.text);
        painter.drawText(rect, Qt::AlignCenter, number);
    }
    if (m_wave > 0 && wave == m_wave) {
        painter.setPen(QPen(theme.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect).adjusted(0.5, 0.5, -1, -1));
    }
}

void WavesPicture::paintHeadings(QPainter& painter) const {
    const QFontMetrics metrics(painter.font());
    painter.setPen(m_themes.theme().muted);
    const int every = m_cellWidth < metrics.horizontalAdvance("00") + 4 ? 4 : 1;
    for (int column = 0; column < columns(); column += every)
        painter.drawText(QRect(rectOf(0, column).left(), waves_margin, m_cellWidth * every, metrics.height()),
                         every == 1 ? Qt::AlignCenter : Qt::AlignLeft, QString::number(column));
    const int step = std::max(1, (metrics.height() + m_cellHeight - 1) / m_cellHeight);
    for (int row = 0; row < rows(); row += step)
        painter.drawText(QRect(0, rectOf(row, 0).top(), m_left - 6, m_cellHeight * step),
                         Qt::AlignRight | (step == 1 ? Qt::AlignVCenter : Qt::AlignTop), QString::number(row));
}

void WavesPicture::paintEvent(QPaintEvent*) {
    const Theme& theme = m_themes.theme();
    QPainter painter(this);
    painter.fillRect(rect(), theme.panel);
    painter.setFont(m_themes.smallFont());
    if (rows() == 0)
        return;
    paintHeadings(painter);
    for (int row = 0; row < rows(); ++row)
        for (int column = 0; column < columns(); ++column)
            paintTile(painter, {row, column});
    if (hasFocus())
        painter.fillRect(QRectF(0, 0, 2, height()), theme.accent);
    if (m_spot.row < 0)
        return;
    const QRect about = rectOf(m_spot.row, m_spot.column);
    painter.setPen(QPen(theme.text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(about).adjusted(0.5, 0.5, -1, -1));
    paintCard(painter, theme, words(), about, rect());
}

void WavesPicture::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layOut();
}

// ---- what the user does --------------------------------------------------------------------------------------------

void WavesPicture::setSpot(Spot spot) {
    if (spot == m_spot)
        return;
    m_spot = spot;
    describeChart(*this, words());
    emit wordsChanged();
}

void WavesPicture::mouseMoveEvent(QMouseEvent* event) {
    const QPoint place = event->pos();
    const int row = (place.y() - m_top) / m_cellHeight, column = (place.x() - m_left) / m_cellWidth;
    const bool isOnTile = place.y() >= m_top && place.x() >= m_left && row < rows() && column < columns();
    setSpot(isOnTile ? Spot{row, column} : Spot{});
}

void WavesPicture::mousePressEvent(QMouseEvent* event) {
    mouseMoveEvent(event);
    if (m_spot.row >= 0 && at(m_spot) > 0)
        emit chosen(at(m_spot));
}

void WavesPicture::leaveEvent(QEvent* event) {
    if (!hasFocus())
        setSpot({});
    QWidget::leaveEvent(event);
}

void WavesPicture::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return copyChart(*this, tsv(), {});
    if (rows() == 0)
        return QWidget::keyPressEvent(event);
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && m_spot.row >= 0 && at(m_spot) > 0)
        emit chosen(at(m_spot));
    GridStep to{m_spot.row, m_spot.column};
    if (moveByKey(event->key(), columns(), to))
        return setSpot({std::clamp(to.row, 0, rows() - 1), std::clamp(to.column, 0, columns() - 1)});
    if (!isEnter)
        QWidget::keyPressEvent(event);
}

void WavesPicture::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    setSpot({});
    update();
}

} // namespace hidet::ui
