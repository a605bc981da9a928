// SPDX-License-Identifier: Apache-2.0
// Two dimensions of a tensor, the others held: parts of it as numbers, and all of it folded into few cells.
#pragma once

#include "app/session/tensor/tensor_statistics.h"
#include "app/session/view/slice_text.h"

namespace hidet::session {

std::int64_t rows_of(const std::vector<std::int64_t>& shape, const TensorSlice& slice);
std::int64_t columns_of(const std::vector<std::int64_t>& shape, const TensorSlice& slice);
// The row-major number of an element.
std::int64_t element_at(const std::vector<std::int64_t>& shape, const TensorSlice& slice, std::int64_t row,
                        std::int64_t column);
TensorSlice slice_with(const std::vector<std::int64_t>& shape, TensorSlice slice, std::int64_t element);

struct TensorPart {                   // of a slice
    std::int64_t row = 0, column = 0; // where it begins
    std::int64_t rows = 0, columns = 0;
    std::vector<double> values; // row after row; empty: they cannot be read
    double at(std::int64_t r, std::int64_t c) const {
        return values[static_cast<std::size_t>((r - row) * columns + (c - column))];
    }
    bool contains(std::int64_t r, std::int64_t c) const {
        return r >= row && r < row + rows && c >= column && c < column + columns && !values.empty();
    }
};
TensorPart part_of(const StoredTensor& tensor, const TensorSlice& slice, std::int64_t row, std::int64_t column,
                   std::int64_t rows, std::int64_t columns, const std::atomic<bool>* cancelled = nullptr);

// The whole slice in at most `most` x `most` cells. Where a map has stripes, a stride is wrong.
struct TensorMap {
    std::int64_t cell_rows = 1, cell_columns = 1; // of the slice, in a cell
    int rows = 0, columns = 0;                    // of cells
    std::vector<double>
        values; // of the first element that is not finite, else of the greatest magnitude; of differences
                // the greatest error over what is tolerated
    std::string refusal;
};
inline constexpr int most_map_cells = 128;
// What `other` says of the element of each cell that is furthest off.
struct ComparedTensors {
    const StoredTensor &got, &wanted;
    TensorTolerance tolerance;
};
TensorMap map_of_worst(const StoredTensor& other, const ComparedTensors& compared, const TensorSlice& slice,
                       const std::atomic<bool>* cancelled = nullptr);
TensorMap map_of(const StoredTensor& tensor, const StoredTensor* wanted, const TensorTolerance& tolerance,
                 const TensorSlice& slice, const std::atomic<bool>* cancelled = nullptr);

} // namespace hidet::session
