// SPDX-License-Identifier: Apache-2.0
// A tensor as text: its statistics, and a slice of it as a grid.
#pragma once

#include <array>

#include "app/session/tensor/tensor_slice.h"

namespace hidet::session {

struct TensorRequest {
    std::string file, dtype; // as StoredTensor::open takes them
    std::string against;     // a file with what it should be; empty: none
    std::string written;     // a file that is 0 where nothing was written to an element; empty: all of them were
    std::string slice;       // as read_slice takes it; empty: the usual one
    TensorTolerance tolerance;
    std::int64_t most_rows = 16, most_columns = 10; // of the grid
    const std::atomic<bool>* cancelled = nullptr;
};

struct TensorView {
    std::string file, dtype;
    std::vector<std::int64_t> shape;
    TensorStatistics statistics;
    std::optional<TensorDifference> difference;
    std::vector<std::int64_t> worst;                // index; empty: nothing was compared, or all are the same
    std::string slice;                              // "0,*,*"
    std::int64_t rows = 0, columns = 0;             // of the slice
    std::vector<std::vector<std::string>> values;   // of its first rows and columns, as text
    std::vector<std::array<std::int64_t, 2>> wrong; // rows and columns of those of them outside of the tolerance
    std::string where;                              // of a shared tensor: "of block (0, 1, 0) of 'f'"; empty: a file's
};

// Error codes: those of StoredTensor, and "wrong-usage".
Result<TensorView> view_tensor(const TensorRequest& request);
Result<TensorView> view_tensor(const TensorRequest& request, const StoredTensorPtr& tensor); // in the place of its file
std::string tensor_text(const TensorView& view);

// "5120 elements, min -3.1, max 2.9, mean 0.01, deviation 1; 2 NaN"
std::string statistics_text(const TensorStatistics& statistics);
std::string difference_text(const TensorDifference& difference);
// Parts of a slice as columns for spreadsheets: all of it.
std::string tensor_tsv(const StoredTensor& tensor, const TensorSlice& slice,
                       const std::atomic<bool>* cancelled = nullptr);

} // namespace hidet::session
