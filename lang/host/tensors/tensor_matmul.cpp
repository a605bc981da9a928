// SPDX-License-Identifier: Apache-2.0
// The matrix product in double: the reference that kernels are checked against, and fast enough to be one.
//
// A tile of 4 x 16 results stays in registers while k runs; every result sums over k in order, so neither the tile, the
// vector width nor the number of threads changes a bit of it.
#include <algorithm>
#include <cstring>
#include <thread>

#include "lang/base/helpers.h"
#include "lang/host/interpreter.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

namespace {

constexpr std::int64_t tile_rows = 4;
constexpr std::int64_t tile_columns = 16;

// c[4][16] += a[4][k] * b[k][16], b packed in panels of 16 columns.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void multiply_tile(const double* a, std::int64_t a_stride, const double* panel, std::int64_t depth, double* c, std::int64_t c_stride,
                   std::int64_t rows) {
    double sums[tile_rows][tile_columns] = {};
    for (std::int64_t k = 0; k < depth; ++k) {
        const double* b = panel + k * tile_columns;
        for (std::int64_t r = 0; r < tile_rows; ++r) {
            double x = a[std::min(r, rows - 1) * a_stride + k];
            for (std::int64_t j = 0; j < tile_columns; ++j)
                sums[r][j] += x * b[j];
        }
    }
    for (std::int64_t r = 0; r < rows; ++r)
        std::memcpy(c + r * c_stride, sums[r], sizeof sums[r]);
}

// One matrix product; c has its columns padded to whole tiles.
void multiply(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n, std::int64_t k) {
    std::int64_t panels = (n + tile_columns - 1) / tile_columns, padded = panels * tile_columns;
    Doubles packed(static_cast<std::size_t>(panels * tile_columns * k));
    for (std::int64_t p = 0; p < panels; ++p)
        for (std::int64_t row = 0; row < k; ++row)
            for (std::int64_t j = 0; j < std::min(tile_columns, n - p * tile_columns); ++j)
                packed[static_cast<std::size_t>((p * k + row) * tile_columns + j)] = b[row * n + p * tile_columns + j];
    auto rows_of = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = 0; p < panels; ++p)
            for (std::int64_t i = begin; i < end; i += tile_rows)
                multiply_tile(a + i * k, k, packed.data() + p * k * tile_columns, k, c + i * padded + p * tile_columns,
                              padded, std::min(tile_rows, end - i));
    };
    std::int64_t threads =
        m * n * k > (1 << 22) ? std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, 16) : 1;
    std::int64_t share = ((m + threads - 1) / threads + tile_rows - 1) / tile_rows * tile_rows;
    Helpers helpers;
    for (std::int64_t begin = share; begin < m; begin += share) {
        const auto part = [&rows_of, begin, end = std::min(m, begin + share)] { rows_of(begin, end); };
        if (!helpers.start(part))
            part();
    }
    rows_of(0, std::min(m, share));
}

} // namespace

TensorRef tensor_matmul(Evaluator& evaluator, const TensorRef& a, const TensorRef& b, Span span) {
    if (a->shape.empty() || b->shape.empty())
        fail(DiagId::BadShape, span, "matmul wants tensors of at least one dimension");
    if (a->device != b->device)
        fail(DiagId::DeviceMismatch, span, "matmul", device_name(a->device), device_name(b->device));
    if (a->is_torch && a->dtype != b->dtype)
        fail(DiagId::DTypeMismatch, span, "matmul", ir::info(a->dtype).name, ir::info(b->dtype).name);
    Shape left = a->shape, right = b->shape;
    bool vector_left = left.size() == 1, vector_right = right.size() == 1;
    if (vector_left)
        left.insert(left.begin(), 1);
    if (vector_right)
        right.push_back(1);
    std::int64_t m = left[left.size() - 2], k = left.back(), n = right.back();
    if (right[right.size() - 2] != k)
        fail(DiagId::ShapeMismatch, span, "matmul", shape_text(a->shape), shape_text(b->shape));
    Shape batch = broadcast("matmul", {left.begin(), left.end() - 2}, {right.begin(), right.end() - 2}, span);
    Shape out_shape = batch;
    if (!vector_left)
        out_shape.push_back(m);
    if (!vector_right)
        out_shape.push_back(n);
    TensorKind kind = kind_of(*a);
    kind.dtype = ir::promote(a->dtype, b->dtype).value_or(a->dtype);
    TensorRef out = new_tensor(evaluator, out_shape, kind, span);
    if (!a->has_data() || !b->has_data() || !out->has_data())
        return without_data(out);
    if (out->count() == 0)
        return out;
    double work =
        static_cast<double>(count_of(batch)) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    evaluator.charge_steps(static_cast<std::uint64_t>(work / 2000), span);
    Doubles x = read_doubles(*a), y = read_doubles(*b);
    std::vector<std::int64_t> a_at = broadcast_indices({left.begin(), left.end() - 2}, batch);
    std::vector<std::int64_t> b_at = broadcast_indices({right.begin(), right.end() - 2}, batch);
    std::int64_t padded = (n + tile_columns - 1) / tile_columns * tile_columns;
    Doubles tile(static_cast<std::size_t>(m * padded));
    Doubles result(static_cast<std::size_t>(count_of(out_shape)));
    for (std::size_t i = 0; i < a_at.size(); ++i) {
        evaluator.charge_steps(1, span);
        multiply(x.data() + a_at[i] * m * k, y.data() + b_at[i] * k * n, tile.data(), m, n, k);
        for (std::int64_t row = 0; row < m; ++row)
            std::copy_n(tile.data() + row * padded, n, result.data() + (static_cast<std::int64_t>(i) * m + row) * n);
    }
    if (ir::is_float(kind.dtype)) {
        write_doubles(*out, result);
    } else { // exact below 2^53, which the sums of narrow integers stay
        Integers whole(result.size());
        for (std::size_t i = 0; i < whole.size(); ++i)
            whole[i] = static_cast<std::int64_t>(result[i]);
        write_integers(*out, whole);
    }
    return out;
}

} // namespace hidet::lang
