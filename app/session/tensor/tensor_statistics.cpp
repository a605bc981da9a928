// SPDX-License-Identifier: Apache-2.0
#include "app/session/tensor/tensor_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr std::int64_t at_once = 1 << 16; // elements that are read at once

constexpr const char* unreadable_file = "its file has changed or cannot be read any more";

bool given_up(const std::atomic<bool>* cancelled) {
    return cancelled && cancelled->load(std::memory_order_relaxed);
}

// Calls the body for the elements of [begin, end), part by part; it returns false to end that. False: they cannot be read.
bool each_chunk(const StoredTensor& tensor, std::int64_t begin, std::int64_t end, const std::atomic<bool>* cancelled,
                const std::function<bool(std::int64_t, std::span<const double>)>& body) {
    std::vector<double> values;
    for (std::int64_t first = begin; first < end && !given_up(cancelled); first += at_once) {
        values.resize(static_cast<std::size_t>(std::min(at_once, end - first)));
        if (!tensor.read(first, values))
            return false;
        if (!body(first, values))
            break;
    }
    return true;
}

class Sums {
public:
    void add(std::span<const double> values) {
        for (double value : values) {
            nan += std::isnan(value);
            infinite += std::isinf(value);
            zeros += value == 0;
            if (!std::isfinite(value))
                continue;
            ++finite;
            min = std::min(min, value);
            max = std::max(max, value);
            // Welford's way: no sum of squares that cancels out.
            const double delta = value - mean;
            mean += delta / static_cast<double>(finite);
            squares += delta * (value - mean);
        }
    }
    std::int64_t nan = 0, infinite = 0, zeros = 0, finite = 0;
    double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
    double mean = 0, squares = 0;
};

std::size_t part_of(double value, double min, double max) {
    if (max <= min)
        return 0;
    // Halves, for the distance of two large numbers may be more than a double holds.
    const double share = (value / 2 - min / 2) / (max / 2 - min / 2);
    return static_cast<std::size_t>(std::clamp(share * histogram_parts, 0.0, histogram_parts - 1.0));
}

} // namespace

TensorStatistics statistics_of(const StoredTensor& tensor, const std::atomic<bool>* cancelled,
                               const StoredTensor* written) {
    TensorStatistics out;
    out.count = tensor.count();
    Sums sums;
    std::vector<double> known, marks;
    const auto written_of = [&](std::int64_t first, std::span<const double> values) -> std::span<const double> {
        marks.resize(values.size());
        if (!written || !written->read(first, marks))
            return values;
        known.clear();
        for (std::size_t i = 0; i < values.size(); ++i)
            if (marks[i] != 0)
                known.push_back(values[i]);
        return known;
    };
    if (!each_chunk(tensor, 0, out.count, cancelled, [&](std::int64_t first, std::span<const double> values) {
            const std::span<const double> those = written_of(first, values);
            out.unwritten += static_cast<std::int64_t>(values.size() - those.size());
            sums.add(those);
            return true;
        })) {
        out.refusal = unreadable_file;
        return out;
    }
    out.nan = sums.nan;
    out.infinite = sums.infinite;
    out.zeros = sums.zeros;
    if (sums.finite == 0)
        return out;
    out.min = sums.min;
    out.max = sums.max;
    out.mean = sums.mean;
    out.deviation = std::sqrt(sums.squares / static_cast<double>(sums.finite));
    out.histogram.assign(histogram_parts, 0);
    if (!each_chunk(tensor, 0, out.count, cancelled, [&](std::int64_t first, std::span<const double> values) {
            for (double value : written_of(first, values))
                if (std::isfinite(value))
                    ++out.histogram[part_of(value, sums.min, sums.max)];
            return true;
        }))
        out.refusal = unreadable_file;
    return out;
}

double error_of(double got, double wanted, const TensorTolerance& tolerance) {
    if (got == wanted || (std::isnan(got) && std::isnan(wanted)))
        return 0;
    if (!std::isfinite(got) || !std::isfinite(wanted))
        return std::numeric_limits<double>::infinity();
    const double allowed = tolerance.absolute + tolerance.relative * std::fabs(wanted);
    return std::fabs(got - wanted) / allowed; // of nothing tolerated: infinite
}

TensorDifference difference_of(const StoredTensor& got, const StoredTensor& wanted, const TensorTolerance& tolerance,
                               const std::atomic<bool>* cancelled) {
    TensorDifference out;
    out.count = got.count();
    if (got.count() != wanted.count()) {
        out.refusal = cat("it has ", got.count(), " elements, and the other one ", wanted.count());
        return out;
    }
    std::vector<double> others;
    double worst = 0, most = 0, sum = 0;
    std::int64_t finite = 0;
    bool reads = true;
    reads = each_chunk(got, 0, out.count, cancelled,
                       [&](std::int64_t first, std::span<const double> values) {
                           others.resize(values.size());
                           if (!wanted.read(first, others))
                               return reads = false;
                           for (std::size_t i = 0; i < values.size(); ++i) {
                               const double error = error_of(values[i], others[i], tolerance);
                               out.bad += error > 1;
                               const double apart = std::fabs(values[i] - others[i]);
                               if (std::isfinite(apart)) {
                                   ++finite;
                                   sum += apart;
                                   most = std::max(most, apart);
                               }
                               const double far =
                                   error > 0 && !std::isfinite(apart) ? std::numeric_limits<double>::infinity() : apart;
                               if (error > 0 && far > worst) {
                                   worst = far;
                                   out.worst = first + static_cast<std::int64_t>(i);
                               }
                           }
                           return true;
                       }) &&
            reads;
    if (!reads)
        out.refusal = unreadable_file;
    if (finite > 0) {
        out.max_absolute = most;
        out.mean_absolute = sum / static_cast<double>(finite);
    }
    return out;
}

std::int64_t next_of(TensorSeek what, const StoredTensor& tensor, const StoredTensor* wanted,
                     const TensorTolerance& tolerance, std::int64_t from, const std::atomic<bool>* cancelled) {
    if (what == TensorSeek::Wrong && (!wanted || wanted->count() != tensor.count()))
        return -1;
    std::int64_t found = -1;
    std::vector<double> others;
    const auto look = [&](std::int64_t first, std::span<const double> values) {
        others.resize(values.size());
        if (what == TensorSeek::Wrong && !wanted->read(first, others))
            return false;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool is_it = what == TensorSeek::NotANumber ? !std::isfinite(values[i])
                                                              : error_of(values[i], others[i], tolerance) > 1;
            if (!is_it)
                continue;
            found = first + static_cast<std::int64_t>(i);
            return false;
        }
        return true;
    };
    const std::int64_t begin = std::clamp<std::int64_t>(from + 1, 0, tensor.count());
    if (each_chunk(tensor, begin, tensor.count(), cancelled, look) && found < 0)
        (void)each_chunk(tensor, 0, begin, cancelled, look);
    return found;
}

} // namespace hidet::session
