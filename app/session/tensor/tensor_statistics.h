// SPDX-License-Identifier: Apache-2.0
// What the elements of a tensor are like as a whole, how far they are from those of another, and where the next one of a
// kind is.
#pragma once

#include <atomic>
#include <optional>

#include "app/session/tensor/stored_tensor.h"

namespace hidet::session {

struct TensorStatistics {
    std::int64_t count = 0;
    std::int64_t unwritten = 0; // of them, which count nowhere below
    std::int64_t nan = 0, infinite = 0, zeros = 0;
    // Of those that are finite; nothing where there are none.
    std::optional<double> min, max, mean, deviation;
    // How many of them lie in each of equal parts from min to max.
    std::vector<std::int64_t> histogram;
    std::string refusal; // why there is nothing above
};
inline constexpr int histogram_parts = 32;
// `written`: of the same shape, 0 where nothing was ever written to an element; null: all of them were.
TensorStatistics statistics_of(const StoredTensor& tensor, const std::atomic<bool>* cancelled = nullptr,
                               const StoredTensor* written = nullptr);

struct TensorTolerance { // an element is right when |got - wanted| <= absolute + relative * |wanted|
    double absolute = 0;
    double relative = 0;
};

struct TensorDifference {
    std::int64_t count = 0;
    std::int64_t bad = 0;                              // outside of the tolerance
    std::optional<double> max_absolute, mean_absolute; // of those that are finite on both sides
    std::int64_t worst = -1; // the number of the element that is furthest off; -1: all are the same
    std::string refusal;     // why they cannot be compared
};
TensorDifference difference_of(const StoredTensor& got, const StoredTensor& wanted, const TensorTolerance& tolerance,
                               const std::atomic<bool>* cancelled = nullptr);
// How far an element is off, over what is tolerated: up to 1 is right. Infinite: NaN or infinity on one side, or all
// that differs at all is wrong.
double error_of(double got, double wanted, const TensorTolerance& tolerance);

enum class TensorSeek : std::uint8_t {
    NotANumber, // NaN or infinity
    Wrong,      // outside of the tolerance; needs the other tensor
};
// The number of the first such element behind `from`, from the beginning after the last one; -1: there is none.
std::int64_t next_of(TensorSeek what, const StoredTensor& tensor, const StoredTensor* wanted,
                     const TensorTolerance& tolerance, std::int64_t from, const std::atomic<bool>* cancelled = nullptr);

} // namespace hidet::session
