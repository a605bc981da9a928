// SPDX-License-Identifier: Apache-2.0
// A picture of the mapping canvas as a grid of cells: two dimensions of it, the others held; who has which element, where
// it lies, and which elements of a row or a column meet in one bank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/session/view/slice_text.h"
#include "lang/service/canvas/canvas.h"

namespace hidet::session {

using lang::service::added_factors;
using lang::service::Canvas;
using lang::service::CanvasChange;
using lang::service::CanvasFactor;
using lang::service::CanvasKind;
using lang::service::CanvasNumber;
using lang::service::CanvasPicture;

struct CanvasCell {
    std::int64_t element = 0; // row-major number in the shape
    // Of a mapping: the first worker that has it and the place among its tasks; -1: none has. How many tasks are it.
    std::int64_t worker = -1;
    std::int64_t task = 0;
    std::int64_t tasks = 0;
    std::int64_t slot = -1; // of a layout
    int bank = -1;          // of shared memory, where the size of an element is known
};

constexpr int bank_count = 32;
constexpr int bank_bits = 32; // of a word of a bank

class CanvasGrid {
public:
    CanvasGrid() = default;
    CanvasGrid(const CanvasPicture& picture, TensorSlice slice);

    const TensorSlice& slice() const { return m_slice; }
    int rows() const { return m_rows; }
    int columns() const { return m_columns; }
    const CanvasCell& at(int row, int column) const {
        return m_cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns) +
                       static_cast<std::size_t>(column)];
    }

private:
    TensorSlice m_slice;
    int m_rows = 0, m_columns = 0;
    std::vector<CanvasCell> m_cells;
};

// How a picture counts its elements.
struct CanvasCount {
    std::int64_t unmapped = 0; // elements that no worker has
    std::int64_t repeated = 0; // elements that are more than one task, or share a slot with others
    std::int64_t unused = 0;   // slots that hold no element
};
CanvasCount count_of(const CanvasPicture& picture);

// Of the 32 lanes of a warp that read neighbours along a row (or a column) of the grid: how many passes the worst of them
// takes, for each row (or column). 1: no conflict.
std::vector<int> passes_of_rows(const CanvasGrid& grid, int element_bits);
std::vector<int> passes_of_columns(const CanvasGrid& grid, int element_bits);

std::string index_text(const CanvasPicture& picture, std::int64_t element); // "(2, 5)"
std::string shape_text(const CanvasPicture& picture);                       // "(16, 16)"
// "16 workers with 4 tasks each", "256 slots, 16 bits each".
std::string summary_of(const CanvasPicture& picture);

} // namespace hidet::session
