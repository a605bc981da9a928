// SPDX-License-Identifier: Apache-2.0
// What spectra are made with: windows, and the bins of the mel scale.
#include <algorithm>
#include <cmath>

#include "runtime/operators/table.h"

namespace hidet::operators::host_operator {

namespace {

constexpr std::int64_t largest_matrix = std::int64_t{1} << 28;

struct MelScale {
    std::int64_t bins = 0, length = 0, sample_rate = 0;
    double lowest = 0, highest = 0;

    std::int64_t rows() const { return length / 2 + 1; }
    static double to_mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
    // The row of the spectrum where a bin begins.
    std::int64_t row_of(std::int64_t bin) const {
        const double low = to_mel(lowest), step = (to_mel(highest) - low) / static_cast<double>(bins + 2);
        const double hertz = 700 * (std::pow(10, (static_cast<double>(bin) * step + low) / 2595) - 1);
        const double row = std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(sample_rate));
        const auto limit = static_cast<double>(4 * largest_matrix);
        return row == row ? static_cast<std::int64_t>(std::min(std::max(row, -limit), limit)) : -1;
    }
};

// Five tensors of one element, or attributes of the same names.
bool read_scale(Call& call, MelScale& mel) {
    mel = {call.integer("num_mel_bins"), call.integer("dft_length"), call.integer("sample_rate"),
           call.real("lower_edge_hertz"), call.real("upper_edge_hertz")};
    if (call.inputs.size() == 5 &&
        !(call.read_one(call.inputs[0], mel.bins) && call.read_one(call.inputs[1], mel.length) &&
          call.read_one(call.inputs[2], mel.sample_rate) && call.read_one(call.inputs[3], mel.lowest) &&
          call.read_one(call.inputs[4], mel.highest)))
        return false;
    const bool is_small = mel.bins >= 0 && mel.bins < largest_matrix && mel.length >= 0 &&
                          mel.length < largest_matrix && mel.bins * mel.rows() < largest_matrix;
    return (is_small && mel.sample_rate >= 1) ||
           call.refuse("mel_weight_matrix wants small extents that are not negative, and a positive sample rate");
}

constexpr std::int64_t largest_window = 1 << 30;
constexpr double pi = 3.14159265358979323846;

// w(n) = a - b cos(t) + c cos(2 t), where t goes round once.
bool window(Call& call, double a, double b, double c) {
    std::int64_t size = call.integer("size");
    Element element = Element::F32;
    List<double> values;
    if (!call.takes(0, 1, 1) || !call.element("dtype", element) ||
        (!call.inputs.empty() && !call.read_one(call.inputs[0], size)))
        return false;
    if (size < 0 || size > largest_window)
        return call.refuse("a window wants a size from 0 to ", largest_window, ", not ", size);
    if (!call.make(values, size))
        return false;
    const auto period = static_cast<double>(call.integer("periodic", 1) != 0 ? size : size - 1);
    for (std::size_t n = 0; n < values.size(); ++n) {
        const double t = period > 0 ? 2 * pi * static_cast<double>(n) / period : pi;
        values[n] = a - b * std::cos(t) + c * std::cos(2 * t);
    }
    return call.give(0, element, {{size}, 1}, values);
}

} // namespace

bool HannWindow(Call& call) {
    return window(call, 0.5, 0.5, 0);
}

bool HammingWindow(Call& call) {
    return window(call, 25.0 / 46, 21.0 / 46, 0);
}

bool BlackmanWindow(Call& call) {
    return window(call, 0.42, 0.5, 0.08);
}

bool MelWeightMatrix(Call& call) {
    MelScale mel;
    Element element = Element::F32;
    List<double> values;
    if (!call.takes(0, 5, 1) || !call.element("dtype", element) || !read_scale(call, mel) ||
        !call.make(values, mel.rows() * mel.bins))
        return false;
    const auto set = [&](std::int64_t row, std::int64_t column, double value) {
        if (row >= 0 && row < mel.rows())
            values[static_cast<std::size_t>(row * mel.bins + column)] = value;
    };
    const auto limited = [&](std::int64_t row) { return std::min(std::max<std::int64_t>(row, 0), mel.rows()); };
    for (std::int64_t i = 0; i < mel.bins; ++i) {
        const std::int64_t left = mel.row_of(i), centre = mel.row_of(i + 1), right = mel.row_of(i + 2);
        if (left == centre)
            set(centre, i, 1);
        else
            for (std::int64_t j = limited(left); j < limited(centre + 1); ++j)
                set(j, i, static_cast<double>(j - left) / static_cast<double>(centre - left));
        for (std::int64_t j = limited(centre); j < limited(right); ++j)
            set(j, i, static_cast<double>(right - j) / static_cast<double>(right - centre));
    }
    return call.give(0, element, {{mel.rows(), mel.bins}, 2}, values);
}

} // namespace hidet::operators::host_operator
