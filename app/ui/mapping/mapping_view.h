// SPDX-License-Identifier: GPL-3.0-only
// The grid of a mapping or a layout: cells in the colour of their worker, their slot or their bank, numbers where there is
// room. The mouse or the arrow keys stand on a cell, and everything that belongs to it is seen.
#pragma once

#include <QAbstractScrollArea>
#include <QImage>
#include <QPainter>

#include "app/ui/mapping/mapping_cells.h"

namespace hidet::ui {

// Draws the cells of a mapping: where each lies, headings that stay at the edges, the marks and what they mean.
class MappingPicture {
public:
    // As large as fits the area, where that can be read.
    void layOut(const MappingCells& cells, const QSize& area, const QFont& font);
    QSize size() const { return m_size; } // without the legend
    QSize cellSize() const { return {m_cellWidth, m_cellHeight}; }
    QSize headings() const { return {m_left, m_top}; }
    QRect rectOf(int row, int column) const;
    MappingSpot spotAt(const MappingCells& cells, const QPoint& place) const; // none: beside the cells
    // What of it lies in the part, the headings at the part's edges.
    void paint(QPainter& painter, const MappingCells& cells, const Theme& theme, const QRect& part) const;

private:
    void paintCell(QPainter& painter, const MappingCells& cells, const Theme& theme, int row, int column) const;
    void paintDots(QPainter& painter, const MappingCells& cells, const QRect& shown) const;
    void paintParts(QPainter& painter, const MappingCells& cells, const Theme& theme, const QRect& shown) const;
    void paintHeadings(QPainter& painter, const MappingCells& cells, const Theme& theme, const QRect& part) const;

    QFont m_font;
    QSize m_size;
    int m_cellWidth = 24, m_cellHeight = 20;
    int m_left = 32, m_top = 16; // of the cells: the headings
    bool m_hasText = false;
};

// The rows of the legend one beside the other; returns the width that they take.
int paintLegend(QPainter& painter, const QList<MappingLegendRow>& rows, const Theme& theme, const QRect& line);

// For files: the whole picture with its sentence and its legend. On any thread.
QByteArray mappingSvg(const MappingCells& cells, const Theme& theme, const QFont& font);
QImage mappingImage(const MappingCells& cells, const Theme& theme, const QFont& font);

class MappingView : public QAbstractScrollArea {
    Q_OBJECT
public:
    MappingView(ThemeSource& themes, QWidget* parent);

    void show(const MappingDataPtr& data);
    using QWidget::show;
    const MappingDataPtr& data() const { return m_cells.data; }
    const MappingCells& cells() const { return m_cells; }
    void setLook(MappingLook look);
    MappingLook look() const { return m_cells.look; }
    void setStep(int task);         // as MappingCells
    void pointAtFactor(int factor); // -1: none
    void setStale(bool stale);
    bool isStale() const { return m_stale; }
    // What is known of the cell that the mouse or the keyboard is on, as a sentence; else of the whole.
    QString sentence() const { return m_cells.sentence(); }

    QSize minimumSizeHint() const override { return {160, 80}; }

signals:
    void sentenceChanged();
    void legendChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void layOut();
    void setSpot(MappingSpot spot);
    void reveal(MappingSpot spot);
    QPoint scrolled() const;

    ThemeSource& m_themes;
    MappingCells m_cells;
    MappingPicture m_picture;
    bool m_stale = false;
    int m_factor = -1; // that is pointed at
};

// What its colours and marks mean, in a line.
class MappingLegend : public QWidget {
    Q_OBJECT
public:
    MappingLegend(ThemeSource& themes, const MappingView& view, QWidget* parent);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();

    ThemeSource& m_themes;
    const MappingView& m_view;
};

} // namespace hidet::ui
