// SPDX-License-Identifier: GPL-3.0-only
// What the tensor viewer shows: files with tensors, and what is known of one of them. Made on another thread, never changed.
#pragma once

#include <optional>

#include <QString>

#include "app/session/tensor/tensor_text.h"

namespace hidet::ui {

struct TensorEntry {
    QString name, dtype;
    QString shape; // "[64, 96]"
    QString file;
    session::StoredTensorPtr held;   // in the place of a file: it is in memory
    QString wantedFile, wantedDtype; // what it should be; empty: not known
    session::TensorTolerance tolerance;
    bool isWritten = false; // by the call
    QString refusal;        // why there is no file
    QString title() const;  // "c  f32[64, 96]"
    bool isSameTensor(const TensorEntry& other) const;
};

struct TensorData {
    TensorEntry entry;
    session::StoredTensorPtr got, wanted; // wanted may be null
    session::TensorSlice slice;
    session::TensorStatistics statistics;
    std::optional<session::TensorDifference> difference;
    session::TensorMap values, errors; // of the slice; errors without rows where nothing was compared
    QString refusal;                   // then there is nothing else
    std::int64_t rows() const { return got && got->count() > 0 ? session::rows_of(got->shape(), slice) : 0; }
    std::int64_t columns() const { return got && got->count() > 0 ? session::columns_of(got->shape(), slice) : 0; }
};
using TensorDataPtr = std::shared_ptr<const TensorData>;

struct TensorQuery {
    TensorEntry entry;
    TensorDataPtr before;                      // what is known of the same file is taken over
    std::optional<session::TensorSlice> slice; // nothing: the usual one
};
// Null: nobody waits any more.
TensorDataPtr makeTensorData(const TensorQuery& query, const std::atomic<bool>& stopped);

} // namespace hidet::ui
