// SPDX-License-Identifier: GPL-3.0-only
// The tiles of a result, or the blocks of a grid, in the colours of the waves in which they run. The mouse or the arrow keys
// stand on one and say which; a click or Return chooses its wave.
#pragma once

#include <memory>

#include "app/session/explain/explain.h"
#include "app/ui/charts/spot_chart.h"

namespace hidet::ui {

class WavesPicture : public SpotChart {
    Q_OBJECT
public:
    explicit WavesPicture(ThemeSource& themes, QWidget* parent = nullptr);

    void show(std::shared_ptr<const session::WavesView> waves); // null: there are none
    using QWidget::show;
    void setWave(std::int64_t number); // the waves up to this one, which stands out; 0: all
    std::int64_t wave() const { return m_wave; }
    QRect rectOf(int row, int column) const;
    QString tsv() const override;
    QByteArray svg() const override;
    QSize minimumSizeHint() const override { return {200, 96}; }
    QSize sizeHint() const override { return {480, 220}; }

signals:
    void chosen(qint64 wave);

protected:
    void layOut() override;
    void paintPlaces(QPainter& painter) const override;
    std::vector<QRectF> framesOf(int spot) const override;
    int spotAt(const QPointF& place) const override;
    std::optional<int> spotByKey(int key) const override;
    bool choose(int spot) override;
    QString wordsOfAll() const override;
    QString wordsOf(int spot) const override;

private:
    struct Tile {
        int row = 0, column = 0;
    };
    int rows() const { return m_waves ? static_cast<int>(m_waves->grid.size()) : 0; }
    int columns() const { return rows() > 0 ? static_cast<int>(m_waves->grid.front().size()) : 0; }
    std::int64_t at(Tile tile) const {
        return m_waves->grid[static_cast<std::size_t>(tile.row)][static_cast<std::size_t>(tile.column)];
    }
    QString unit() const;
    QColor colorOf(std::int64_t wave) const;
    Tile tileOf(int spot) const { return {spot / columns(), spot % columns()}; }
    void paintTile(QPainter& painter, Tile tile) const;
    void paintHeadings(QPainter& painter) const;

    std::shared_ptr<const session::WavesView> m_waves;
    std::int64_t m_wave = 0;
    int m_cellWidth = 24, m_cellHeight = 20, m_left = 32, m_top = 16;
};

} // namespace hidet::ui
