// SPDX-License-Identifier: GPL-3.0-only
// The tiles of a result, or the blocks of a grid, in the colours of the waves in which they run. The mouse or the arrow keys
// stand on one and say which; a click or Return chooses its wave.
#pragma once

#include <QPainter>
#include <algorithm>
#include <memory>

#include "app/session/explain/explain.h"
#include "app/session/figure/svg.h"
#include "app/session/picture/pictures.h"
#include "app/ui/charts/grid_keys.h"
#include "app/ui/charts/spot_chart.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

class WavesPicture : public SpotChart {
    Q_OBJECT
public:
    explicit WavesPicture(ThemeSource& themes, QWidget* parent = nullptr) : SpotChart(themes, "waves", parent) {
        setAccessibleName(tr("Tiles by their waves"));
    }

    // null: there are none
    void show(std::shared_ptr<const session::WavesView> waves) {
        const bool hasSpot = spot() != nowhere;
        const Tile before = hasSpot ? tileOf(spot()) : Tile{};
        m_waves = std::move(waves);
        const bool isThere = hasSpot && before.row < rows() && before.column < columns();
        renew(isThere ? before.row * columns() + before.column : nowhere);
    }

    using QWidget::show;
    // the waves up to this one, which stands out; 0: all
    void setWave(std::int64_t number) {
        if (number == m_wave)
            return;
        m_wave = number;
        update();
    }

    std::int64_t wave() const { return m_wave; }
    QRect rectOf(int row, int column) const {
        return {m_left + column * m_cellWidth, m_top + row * m_cellHeight, m_cellWidth - 1, m_cellHeight - 1};
    }

    QString tsv() const override {
        QStringList lines{QStringList{"row", "column", "wave"}.join('\t')};
        for (int row = 0; row < rows(); ++row)
            for (int column = 0; column < columns(); ++column)
                lines << QString("%1\t%2\t%3").arg(row).arg(column).arg(at({row, column}));
        return lines.join('\n') + '\n';
    }

    QByteArray svg() const override {
        return m_waves ? QByteArray::fromStdString(session::svg_document(session::picture_of(*m_waves))) : QByteArray();
    }

    QSize minimumSizeHint() const override { return {200, 96}; }
    QSize sizeHint() const override { return {480, 220}; }

signals:
    void chosen(qint64 wave);

protected:
    void layOut() override {
        const QFontMetrics metrics(themes().smallFont());
        m_left = waves_margin + metrics.horizontalAdvance(QString::number(std::max(rows() - 1, 0))) + 6;
        m_top = waves_margin + metrics.height() + 2;
        if (rows() > 0 && columns() > 0) {
            m_cellWidth = std::clamp((width() - m_left - waves_margin) / columns(), least_tile, widest_tile);
            m_cellHeight = std::clamp((height() - m_top - waves_margin) / rows(), least_tile, highest_tile);
        }
        update();
    }

    void paintPlaces(QPainter& painter) const override {
        if (rows() == 0)
            return;
        paintHeadings(painter);
        for (int row = 0; row < rows(); ++row)
            for (int column = 0; column < columns(); ++column)
                paintTile(painter, {row, column});
    }

    std::vector<QRectF> framesOf(int spot) const override {
        const Tile tile = tileOf(spot);
        return {QRectF(rectOf(tile.row, tile.column)).adjusted(0.5, 0.5, -1, -1)};
    }

    int spotAt(const QPointF& where) const override {
        const QPoint place = where.toPoint();
        const int row = (place.y() - m_top) / m_cellHeight, column = (place.x() - m_left) / m_cellWidth;
        const bool isOnTile = place.y() >= m_top && place.x() >= m_left && row < rows() && column < columns();
        return isOnTile ? row * columns() + column : nowhere;
    }

    std::optional<int> spotByKey(int key) const override {
        if (rows() == 0)
            return std::nullopt;
        const Tile from = spot() == nowhere ? Tile{-1, -1} : tileOf(spot());
        GridStep to{from.row, from.column};
        if (!moveByKey(key, columns(), to))
            return std::nullopt;
        return std::clamp(to.row, 0, rows() - 1) * columns() + std::clamp(to.column, 0, columns() - 1);
    }

    bool choose(int spot) override {
        const std::int64_t wave = at(tileOf(spot));
        if (wave > 0)
            emit chosen(wave);
        return wave > 0;
    }

    QString wordsOfAll() const override {
        if (rows() == 0)
            return {};
        QString out = m_waves->grid_of.empty()
                          ? tr("Blocks, blockIdx.y down and blockIdx.x across, by their %1").arg(unit())
                          : tr("Tiles of %1 by their %2").arg(text(m_waves->grid_of), unit());
        if (m_waves->rows > rows() || m_waves->columns > columns())
            out += tr("; the first of %1 x %2").arg(m_waves->rows).arg(m_waves->columns);
        return out;
    }

    QString wordsOf(int spot) const override {
        const Tile tile = tileOf(spot);
        const QString which = m_waves->grid_of.empty() ? tr("Block (%1, %2)").arg(tile.column).arg(tile.row)
                                                       : tr("Tile at row %1, column %2").arg(tile.row).arg(tile.column);
        const std::int64_t wave = at(tile);
        if (wave == 0)
            return tr("%1: in none of those that were looked at").arg(which);
        const auto found = std::ranges::find(m_waves->waves, wave, &session::WaveView::number);
        const QString out = tr("%1: %2 %3").arg(which, unit()).arg(wave);
        return found == m_waves->waves.end() ? out : tr("%1, of %2 blocks").arg(out).arg(found->blocks);
    }

private:
    static constexpr int waves_margin = 8, least_tile = 6, widest_tile = 56, highest_tile = 30;
    static constexpr int waves_between_hues = 137; // degrees: neighbours in time differ, and no two soon meet

    struct Tile {
        int row = 0, column = 0;
    };
    int rows() const { return m_waves ? static_cast<int>(m_waves->grid.size()) : 0; }
    int columns() const { return rows() > 0 ? static_cast<int>(m_waves->grid.front().size()) : 0; }
    std::int64_t at(Tile tile) const {
        return m_waves->grid[static_cast<std::size_t>(tile.row)][static_cast<std::size_t>(tile.column)];
    }

    QString unit() const {
        return m_waves->rounds_of.empty() ? tr("wave") : tr("turn of %1").arg(text(m_waves->rounds_of));
    }

    QColor colorOf(std::int64_t wave) const {
        const bool isDark = theme().dark;
        return oklch(isDark ? 0.46 : 0.83, isDark ? 0.1 : 0.1, double((250 + (wave - 1) * waves_between_hues) % 360));
    }

    Tile tileOf(int spot) const { return {spot / columns(), spot % columns()}; }
    void paintTile(QPainter& painter, Tile tile) const {
        const Theme& theme = this->theme();
        const QRect rect = rectOf(tile.row, tile.column);
        const std::int64_t wave = at(tile);
        if (wave == 0 || (m_wave > 0 && wave > m_wave)) {
            painter.setPen(theme.line);
            painter.setBrush(Qt::NoBrush);
            return painter.drawRect(rect.adjusted(0, 0, -1, -1));
        }
        const bool isBefore = m_wave > 0 && wave < m_wave;
        const QColor fill = colorOf(wave);
        painter.fillRect(rect, isStale() || isBefore ? theme.stale(fill) : fill);
        const QFontMetrics metrics(painter.font());
        const QString number = QString::number(wave);
        if (rect.height() >= metrics.height() - 2 && rect.width() >= metrics.horizontalAdvance(number) + 2) {
            painter.setPen(isStale() || isBefore ? theme.muted : theme.text);
            painter.drawText(rect, Qt::AlignCenter, number);
        }
        if (m_wave > 0 && wave == m_wave) {
            painter.setPen(QPen(theme.accent, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(QRectF(rect).adjusted(0.5, 0.5, -1, -1));
        }
    }

    void paintHeadings(QPainter& painter) const {
        const QFontMetrics metrics(painter.font());
        painter.setPen(theme().muted);
        const int every = m_cellWidth < metrics.horizontalAdvance("00") + 4 ? 4 : 1;
        for (int column = 0; column < columns(); column += every)
            painter.drawText(QRect(rectOf(0, column).left(), waves_margin, m_cellWidth * every, metrics.height()),
                             every == 1 ? Qt::AlignCenter : Qt::AlignLeft, QString::number(column));
        const int step = std::max(1, (metrics.height() + m_cellHeight - 1) / m_cellHeight);
        for (int row = 0; row < rows(); row += step)
            painter.drawText(QRect(0, rectOf(row, 0).top(), m_left - 6, m_cellHeight * step),
                             Qt::AlignRight | (step == 1 ? Qt::AlignVCenter : Qt::AlignTop), QString::number(row));
    }

    std::shared_ptr<const session::WavesView> m_waves;
    std::int64_t m_wave = 0;
    int m_cellWidth = 24, m_cellHeight = 20, m_left = 32, m_top = 16;
};

} // namespace hidet::ui
