// SPDX-License-Identifier: GPL-3.0-only
// Which of many rectangles are near a place: a grid of cells, filled once.
#pragma once

#include <vector>

#include <QRectF>

namespace hidet::ui {

class PictureGrid {
public:
    // About as many cells as `expected` things.
    void start(const QRectF& bounds, std::size_t expected);
    void add(const QRectF& rect, quint32 id); // several times for one of several parts
    void finish();

    // Ids of what may touch the rectangle, ascending, each once.
    std::vector<quint32> touching(const QRectF& rect) const;
    std::size_t bytes() const;

private:
    struct Span {
        int left, top, right, bottom;
    };
    Span cellsOf(const QRectF& rect) const;

    QRectF m_bounds;
    double m_cellWidth = 1, m_cellHeight = 1;
    int m_columns = 0, m_rows = 0;
    struct Entry {
        quint32 cell, id;
    };
    std::vector<Entry> m_entries; // until it is finished
    std::vector<quint32> m_first; // of every cell, in m_ids
    std::vector<quint32> m_ids;
};

} // namespace hidet::ui
