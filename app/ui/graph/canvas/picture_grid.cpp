// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/picture_grid.h"

#include <algorithm>
#include <cmath>

namespace hidet::ui {

void PictureGrid::start(const QRectF& bounds, std::size_t expected) {
    m_bounds = bounds.adjusted(-1, -1, 1, 1);
    const double area = m_bounds.width() * m_bounds.height();
    const double side = std::max(64.0, std::sqrt(area / double(std::max<std::size_t>(expected, 1))));
    m_columns = std::max(1, int(std::ceil(m_bounds.width() / side)));
    m_rows = std::max(1, int(std::ceil(m_bounds.height() / side)));
    m_cellWidth = m_bounds.width() / m_columns;
    m_cellHeight = m_bounds.height() / m_rows;
    m_entries.clear();
    m_entries.reserve(expected * 2);
}

PictureGrid::Span PictureGrid::cellsOf(const QRectF& rect) const {
    const auto column = [this](double x) {
        return int(std::clamp((x - m_bounds.left()) / m_cellWidth, 0.0, double(m_columns - 1)));
    };
    const auto row = [this](double y) {
        return int(std::clamp((y - m_bounds.top()) / m_cellHeight, 0.0, double(m_rows - 1)));
    };
    return {column(rect.left()), row(rect.top()), column(rect.right()), row(rect.bottom())};
}

void PictureGrid::add(const QRectF& rect, quint32 id) {
    const Span cells = cellsOf(rect);
    for (int row = cells.top; row <= cells.bottom; ++row)
        for (int column = cells.left; column <= cells.right; ++column)
            m_entries.push_back({quint32(row * m_columns + column), id});
}

void PictureGrid::finish() {
    m_first.assign(std::size_t(m_columns) * std::size_t(m_rows) + 1, 0);
    for (const Entry& entry : m_entries)
        ++m_first[entry.cell + 1];
    for (std::size_t i = 1; i < m_first.size(); ++i)
        m_first[i] += m_first[i - 1];
    std::vector<quint32> next(m_first.begin(), m_first.end() - 1);
    m_ids.resize(m_entries.size());
    for (const Entry& entry : m_entries)
        m_ids[next[entry.cell]++] = entry.id;
    m_entries = {};
}

std::vector<quint32> PictureGrid::touching(const QRectF& rect) const {
    std::vector<quint32> found;
    if (m_first.empty() || rect.right() < m_bounds.left() || rect.left() > m_bounds.right() ||
        rect.bottom() < m_bounds.top() || rect.top() > m_bounds.bottom())
        return found;
    const Span cells = cellsOf(rect);
    for (int row = cells.top; row <= cells.bottom; ++row) {
        const std::size_t first = std::size_t(row) * std::size_t(m_columns);
        found.insert(found.end(), m_ids.begin() + m_first[first + std::size_t(cells.left)],
                     m_ids.begin() + m_first[first + std::size_t(cells.right) + 1]);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::size_t PictureGrid::bytes() const {
    return m_first.capacity() * sizeof(quint32) + m_ids.capacity() * sizeof(quint32);
}

} // namespace hidet::ui
