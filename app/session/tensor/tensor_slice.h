// SPDX-License-Identifier: Apache-2.0
// Two dimensions of a tensor, the others held: parts of it as numbers, and all of it folded into few cells.
#pragma once

#include "app/session/tensor/tensor_statistics.h"

namespace hidet::session {

struct TensorSlice {
    int row_dim = -1;                // -1: a single row
    int column_dim = -1;             // -1: a single column
    std::vector<std::int64_t> fixed; // an index for each dimension; those that are shown do not count
};
TensorSlice usual_slice(const std::vector<std::int64_t>& shape); // the last two dimensions, at index 0 of the others
// "0,*,*": an index or a star for each dimension, one or two of them stars. Else a sentence that says what is wrong.
std::string read_slice(const std::string& text, const std::vector<std::int64_t>& shape, TensorSlice& out);

std::int64_t rows_of(const std::vector<std::int64_t>& shape, const TensorSlice& slice);
std::int64_t columns_of(const std::vector<std::int64_t>& shape, const TensorSlice& slice);
// The row-major number of an element, and the other way round.
std::int64_t element_at(const std::vector<std::int64_t>& shape, const TensorSlice& slice, std::int64_t row,
                        std::int64_t column);
std::vector<std::int64_t> index_of(const std::vector<std::int64_t>& shape, std::int64_t element);
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
