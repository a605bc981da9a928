// SPDX-License-Identifier: GPL-3.0-only
// What the tensor viewer shows: files with tensors, and what is known of one of them. Made on another thread, never changed.
#pragma once

#include <optional>

#include <QStringList>

#include "app/session/kernel_bench/kernel_bench.h"
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
    bool isTile = false;    // of the shared memory of a block, or its registers
    bool isBefore = false;  // as it was before the call, which failed
    QString writtenFile;    // which elements were ever written; empty: all of them
    QString ownersFile;     // who wrote each of them; empty: not known
    std::vector<session::OwnerLaunch> ownerLaunches;
    QStringList wrongOwners; // in words, who wrote what is wrong
    QString key() const;     // the same for a tile of whichever block
    QString title() const;   // "c  f32[64, 96]"
    bool isSameTensor(const TensorEntry& other) const;
};

struct TensorData {
    TensorEntry entry;
    session::StoredTensorPtr got, wanted, written, owners; // all but the first may be null
    session::TensorSlice slice;
    session::TensorStatistics statistics;
    std::optional<session::TensorDifference> difference;
    session::TensorMap values, errors; // of the slice; errors without rows where nothing was compared
    session::TensorMap
        ownersOfWorst; // who wrote the element of each cell that is furthest off; without rows: not known
    QString refusal;   // then there is nothing else
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
