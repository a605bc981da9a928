// SPDX-License-Identifier: GPL-3.0-only
// The tiles of a result, or the blocks of a grid, in the colours of the waves in which they run. The mouse or the arrow keys
// stand on one and say which; a click or Return chooses its wave.
#pragma once

#include <memory>

#include <QWidget>

#include "app/session/explain/explain.h"
#include "app/ui/charts/saved_picture.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class WavesPicture : public QWidget {
    Q_OBJECT
public:
    explicit WavesPicture(ThemeSource& themes, QWidget* parent = nullptr);

    void show(std::shared_ptr<const session::WavesView> waves); // null: there are none
    using QWidget::show;
    void setWave(std::int64_t number); // the waves up to this one, which stands out; 0: all
    std::int64_t wave() const { return m_wave; }
    void setStale(bool isStale);
    QRect rectOf(int row, int column) const;
    QString words() const; // of the tile that the mouse or the keyboard is on; else of all
    QString tsv() const;
    SavedPicture saved();
    QSize minimumSizeHint() const override { return {200, 96}; }
    QSize sizeHint() const override { return {480, 220}; }

signals:
    void chosen(qint64 wave);
    void wordsChanged();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Spot {
        int row = -1, column = -1;
        friend bool operator==(const Spot&, const Spot&) = default;
    };
    int rows() const { return m_waves ? static_cast<int>(m_waves->grid.size()) : 0; }
    int columns() const { return rows() > 0 ? static_cast<int>(m_waves->grid.front().size()) : 0; }
    std::int64_t at(Spot spot) const {
        return m_waves->grid[static_cast<std::size_t>(spot.row)][static_cast<std::size_t>(spot.column)];
    }
    QString unit() const;
    QColor colorOf(std::int64_t wave) const;
    void layOut();
    void setSpot(Spot spot);
    void paintTile(QPainter& painter, Spot spot) const;
    void paintHeadings(QPainter& painter) const;

    ThemeSource& m_themes;
    std::shared_ptr<const session::WavesView> m_waves;
    std::int64_t m_wave = 0;
    Spot m_spot;
    bool m_isStale = false;
    int m_cellWidth = 24, m_cellHeight = 20, m_left = 32, m_top = 16;
};

} // namespace hidet::ui
