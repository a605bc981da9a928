// SPDX-License-Identifier: Apache-2.0
#include "app/session/tensor/tensor_slice.h"

#include <algorithm>
#include <cmath>

namespace hidet::session {

namespace {

using Shape = std::vector<std::int64_t>;

std::int64_t elements_between(const Shape& shape, int dim) {
    std::int64_t out = 1;
    for (std::size_t d = static_cast<std::size_t>(dim) + 1; d < shape.size(); ++d)
        out *= shape[d];
    return out;
}

// A row of the slice: at once where its elements lie one behind the other, or near to each other.
bool read_row(const StoredTensor& tensor, const TensorSlice& slice, std::int64_t row, std::int64_t column,
              std::span<double> out) {
    const Shape& shape = tensor.shape();
    const std::int64_t first = element_at(shape, slice, row, column);
    const std::int64_t step = slice.column_dim < 0 ? 1 : elements_between(shape, slice.column_dim);
    if (step == 1)
        return tensor.read(first, out);
    constexpr std::int64_t near = 64;
    if (step > near) {
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!tensor.read(first + static_cast<std::int64_t>(i) * step, out.subspan(i, 1)))
                return false;
        return true;
    }
    std::vector<double> all(static_cast<std::size_t>(step) * (out.size() - 1) + 1);
    if (!tensor.read(first, all))
        return false;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = all[i * static_cast<std::size_t>(step)];
    return true;
}

} // namespace

std::int64_t rows_of(const Shape& shape, const TensorSlice& slice) {
    return slice.row_dim < 0 ? 1 : shape[static_cast<std::size_t>(slice.row_dim)];
}

std::int64_t columns_of(const Shape& shape, const TensorSlice& slice) {
    return slice.column_dim < 0 ? 1 : shape[static_cast<std::size_t>(slice.column_dim)];
}

std::int64_t element_at(const Shape& shape, const TensorSlice& slice, std::int64_t row, std::int64_t column) {
    std::int64_t out = 0;
    for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
        const std::int64_t index = d == slice.column_dim ? column
                                   : d == slice.row_dim  ? row
                                                         : slice.fixed[static_cast<std::size_t>(d)];
        out = out * shape[static_cast<std::size_t>(d)] + index;
    }
    return out;
}

TensorSlice slice_with(const Shape& shape, TensorSlice slice, std::int64_t element) {
    const std::vector<std::int64_t> index = index_of(shape, element);
    for (int d = 0; d < static_cast<int>(index.size()); ++d)
        if (d != slice.row_dim && d != slice.column_dim)
            slice.fixed[static_cast<std::size_t>(d)] = index[static_cast<std::size_t>(d)];
    return slice;
}

TensorPart part_of(const StoredTensor& tensor, const TensorSlice& slice, std::int64_t row, std::int64_t column,
                   std::int64_t rows, std::int64_t columns, const std::atomic<bool>* cancelled) {
    TensorPart out;
    if (tensor.count() == 0)
        return out;
    out.row = std::clamp<std::int64_t>(row, 0, rows_of(tensor.shape(), slice) - 1);
    out.column = std::clamp<std::int64_t>(column, 0, columns_of(tensor.shape(), slice) - 1);
    out.rows = std::clamp<std::int64_t>(rows, 0, rows_of(tensor.shape(), slice) - out.row);
    out.columns = std::clamp<std::int64_t>(columns, 0, columns_of(tensor.shape(), slice) - out.column);
    out.values.resize(static_cast<std::size_t>(out.rows * out.columns));
    std::span<double> rest = out.values;
    for (std::int64_t r = 0; r < out.rows; ++r) {
        const auto width = static_cast<std::size_t>(out.columns);
        const bool stops = cancelled && cancelled->load(std::memory_order_relaxed);
        if (stops || !read_row(tensor, slice, out.row + r, out.column, rest.first(width))) {
            out.values.clear();
            return out;
        }
        rest = rest.subspan(width);
    }
    return out;
}

namespace {

// Of two values of a cell the one that says more.
double stronger(double a, double b) {
    if (!std::isfinite(a))
        return a;
    return !std::isfinite(b) || std::fabs(b) > std::fabs(a) ? b : a;
}

} // namespace

static void lay_out(TensorMap& out, std::int64_t rows, std::int64_t columns) {
    out.cell_rows = (rows + most_map_cells - 1) / most_map_cells;
    out.cell_columns = (columns + most_map_cells - 1) / most_map_cells;
    out.rows = static_cast<int>((rows + out.cell_rows - 1) / out.cell_rows);
    out.columns = static_cast<int>((columns + out.cell_columns - 1) / out.cell_columns);
    out.values.assign(static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(out.columns), 0);
}

TensorMap map_of_worst(const StoredTensor& other, const ComparedTensors& compared, const TensorSlice& slice,
                       const std::atomic<bool>* cancelled) {
    TensorMap out;
    if (other.count() == 0)
        return out;
    const std::int64_t rows = rows_of(other.shape(), slice), columns = columns_of(other.shape(), slice);
    lay_out(out, rows, columns);
    std::vector<double> worst(out.values.size(), -1);
    for (std::int64_t row = 0; row < rows; ++row) {
        const TensorPart said = part_of(other, slice, row, 0, 1, columns, cancelled);
        const TensorPart got = part_of(compared.got, slice, row, 0, 1, columns, cancelled);
        const TensorPart wanted = part_of(compared.wanted, slice, row, 0, 1, columns, cancelled);
        if (said.values.empty() || got.values.empty() || wanted.values.empty())
            return {};
        for (std::int64_t column = 0; column < columns; ++column) {
            const auto i = static_cast<std::size_t>(column);
            const auto cell = static_cast<std::size_t>(row / out.cell_rows * out.columns + column / out.cell_columns);
            const double error = error_of(got.values[i], wanted.values[i], compared.tolerance);
            if (error > worst[cell])
                worst[cell] = error, out.values[cell] = said.values[i];
        }
    }
    return out;
}

TensorMap map_of(const StoredTensor& tensor, const StoredTensor* wanted, const TensorTolerance& tolerance,
                 const TensorSlice& slice, const std::atomic<bool>* cancelled) {
    TensorMap out;
    if (wanted && wanted->shape() != tensor.shape()) {
        out.refusal = "the other tensor has another shape";
        return out;
    }
    if (tensor.count() == 0)
        return out;
    const std::int64_t rows = rows_of(tensor.shape(), slice), columns = columns_of(tensor.shape(), slice);
    lay_out(out, rows, columns);
    for (std::int64_t row = 0; row < rows; ++row) {
        const TensorPart got = part_of(tensor, slice, row, 0, 1, columns, cancelled);
        const TensorPart other = wanted ? part_of(*wanted, slice, row, 0, 1, columns, cancelled) : TensorPart();
        if (got.values.empty() || (wanted && other.values.empty())) {
            out.refusal = "its file has changed or cannot be read any more";
            return out;
        }
        double* line = out.values.data() + row / out.cell_rows * out.columns;
        for (std::int64_t column = 0; column < columns; ++column) {
            double& cell = line[column / out.cell_columns];
            const auto i = static_cast<std::size_t>(column);
            if (wanted)
                cell = std::max(cell, error_of(got.values[i], other.values[i], tolerance));
            else
                cell = stronger(cell, got.values[i]);
        }
    }
    return out;
}

} // namespace hidet::session
