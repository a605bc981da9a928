// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "app/session/model/view/graph_index.h"
#include "compiler/graph/document/constants.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

namespace {

constexpr std::int64_t most_cells = 64;     // a side
constexpr std::int64_t most_looked_at = 16; // rows and columns of a cell's part

struct Matrix {
    std::int64_t rows = 0, columns = 0;
};

// The first dimension, output channels in most weights, against all others; a list is a row.
Matrix matrix_of(const std::vector<std::int64_t>& shape) {
    if (shape.empty())
        return {1, 1};
    if (shape.size() == 1)
        return {1, shape[0]};
    Matrix matrix{shape[0], 1};
    for (std::size_t i = 1; i < shape.size(); ++i)
        matrix.columns *= shape[i];
    return matrix;
}

double element(const lang::Tensor& tensor, std::int64_t i) {
    return ir::is_float(tensor.dtype) ? lang::element_double(tensor, i)
                                      : static_cast<double>(lang::element_integer(tensor, i));
}

// Every part of a constant is a stretch of rows and columns, of which some are looked at, evenly spread.
float mean_of(const lang::Tensor& tensor, const Matrix& matrix, std::int64_t row, std::int64_t end_row,
              std::int64_t column, std::int64_t end_column) {
    const std::int64_t row_step = std::max<std::int64_t>(1, (end_row - row) / most_looked_at);
    const std::int64_t column_step = std::max<std::int64_t>(1, (end_column - column) / most_looked_at);
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t y = row; y < end_row; y += row_step)
        for (std::int64_t x = column; x < end_column; x += column_step) {
            const double value = element(tensor, y * matrix.columns + x);
            if (!std::isfinite(value))
                continue;
            sum += value;
            ++count;
        }
    return count ? static_cast<float>(sum / static_cast<double>(count)) : NAN;
}

void draw(ConstantPicture& picture, const lang::Tensor& tensor) {
    const Matrix matrix = matrix_of(tensor.shape);
    const std::int64_t rows = std::min(matrix.rows, most_cells);
    const std::int64_t columns = std::min(matrix.columns, most_cells);
    picture.rows = static_cast<std::uint32_t>(rows);
    picture.columns = static_cast<std::uint32_t>(columns);
    picture.cells.reserve(static_cast<std::size_t>(rows * columns));
    for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < columns; ++x)
            picture.cells.push_back(mean_of(tensor, matrix, y * matrix.rows / rows, (y + 1) * matrix.rows / rows,
                                            x * matrix.columns / columns, (x + 1) * matrix.columns / columns));
}

} // namespace

std::optional<ConstantPicture> picture_of_constant(const ModelGraph& graph, std::uint32_t id) {
    if (!graph.index || !graph.value(id))
        return std::nullopt;
    const graph::Value& value = graph.index->graph->value(graph::ValueId{id});
    if (!value.is_constant() || !value.data->has_data() || !lang::holds_numbers(value.data->dtype) ||
        value.data->count() == 0)
        return std::nullopt;
    const graph::ConstantFacts facts = graph::facts_of(*value.data);
    ConstantPicture picture;
    picture.dtype = graph.value(id)->dtype;
    picture.shape = graph.value(id)->shape;
    picture.count = facts.count;
    picture.looked_at = facts.looked_at;
    picture.zeros = facts.zeros;
    picture.not_finite = facts.not_finite;
    if (facts.not_finite < facts.looked_at) {
        picture.least = facts.least;
        picture.greatest = facts.greatest;
        picture.mean = facts.mean;
        picture.deviation = facts.deviation;
    }
    picture.histogram.assign(facts.histogram.begin(), facts.histogram.end());
    draw(picture, *value.data);
    return picture;
}

} // namespace hidet::session
