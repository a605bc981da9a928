// SPDX-License-Identifier: GPL-3.0-only
// What the cells of a mapping's or a layout's picture say and in which colour, without a widget.
#pragma once

#include <memory>

#include <QColor>
#include <QList>

#include "app/session/live/assist.h"
#include "app/session/view/factor_share.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

// What is drawn. Made on another thread, never changed.
struct MappingData {
    session::assist::DocumentRef document;
    session::Canvas canvas;
    int picture = 0; // of the canvas
    session::CanvasGrid grid;
    session::CanvasCount count;
    std::vector<int> rowPasses, columnPasses; // of a layout with known elements, one a row and one a column

    const session::CanvasPicture& shown() const { return canvas.pictures[static_cast<std::size_t>(picture)]; }
    bool isMapping() const { return shown().kind == session::CanvasKind::Mapping; }
    bool hasNumbers() const { return shown().refusal.empty(); }
};

using MappingDataPtr = std::shared_ptr<const MappingData>;

enum class MappingLook {
    Elements, // the grid of elements
    Workers,  // a row for each worker, a column for each of its tasks
    Banks,    // the grid of elements in the colours of their banks, those that meet in one marked
};

enum class MappingMark { // beside the colour
    None,
    Conflict, // lanes along the row or the column meet in a bank
    Now,      // the task that was reached
    Several,  // tasks are this element
    Nobody,   // has it, or a worker that the block has no thread for
};

struct MappingSpot { // a cell
    int row = -1, column = -1;
    explicit operator bool() const { return row >= 0; }
    friend bool operator==(const MappingSpot&, const MappingSpot&) = default;
};

struct MappingLegendRow {
    MappingMark mark = MappingMark::None;
    QList<QColor> colors; // of the mark None: cells of these colours
    QString text;
};

// Colours of the mapping canvas: few enough that they can be told apart, each with a contrast to text that can be read.
class MappingColors {
public:
    explicit MappingColors(const Theme& theme);
    QColor worker(qint64 worker) const;          // neighbours differ; colours come again
    QColor bank(int bank) const;                 // of 32
    QColor slot(qint64 slot, qint64 size) const; // from the first to the last

private:
    QList<QColor> m_workers, m_banks, m_slots;
};

class MappingCells {
public:
    explicit MappingCells(const Theme& theme) : m_theme(&theme), m_colors(theme) {}
    void setTheme(const Theme& theme) { m_theme = &theme, m_colors = MappingColors(theme); }

    MappingDataPtr data; // may be null
    MappingLook look = MappingLook::Elements;
    int step = 0; // 0: all tasks; else those up to the task of this number, from 1 on
    MappingSpot spot;
    // What a factor divides, which stands out; nothing: none is pointed at, or it has no part of this picture.
    std::optional<session::FactorShare> share;

    int rows() const;
    int columns() const;
    bool contains(MappingSpot spot) const { return spot.row < rows() && spot.column < columns(); }
    QString text(int row, int column) const { return text(at(row, column)); }
    QString longestText() const;
    QColor color(int row, int column) const { return color(at(row, column)); }
    bool has(MappingMark mark, int row, int column) const;
    double strength(int row, int column) const; // 1: as it is; less: further back
    qint64 part(int row, int column) const;     // of the share; -1: none
    QList<MappingLegendRow> legend() const;
    QString sentence() const; // of the spot; without one of the whole
    QString sentenceOfWhole() const;

private:
    session::CanvasCell at(int row, int column) const;
    QString text(const session::CanvasCell& cell) const;
    QColor color(const session::CanvasCell& cell) const;
    QString counts() const;
    bool isIdle(qint64 worker) const;

    const Theme* m_theme;
    MappingColors m_colors;
};

} // namespace hidet::ui
