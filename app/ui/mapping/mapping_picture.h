// SPDX-License-Identifier: GPL-3.0-only
// Draws the cells of a mapping: where each lies, headings that stay at the edges, the marks and what they mean.
#pragma once

#include <QImage>
#include <QPainter>

#include "app/ui/mapping/mapping_cells.h"

namespace hidet::ui {

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

} // namespace hidet::ui
