// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "runtime/operators/table.h"

namespace hidet::operators::host_operator {

namespace {

// Gauss with the largest pivot of each column.
double determinant(double* a, std::size_t n) {
    double product = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k]))
                pivot = i;
        if (a[pivot * n + k] == 0)
            return 0;
        if (pivot != k) {
            product = -product;
            for (std::size_t j = 0; j < n; ++j)
                std::swap(a[k * n + j], a[pivot * n + j]);
        }
        product *= a[k * n + k];
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (std::size_t j = k; j < n; ++j)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return product;
}

} // namespace

bool Det(Call& call) {
    if (!call.takes(1, 1, 1))
        return false;
    const Tensor& x = call.inputs[0];
    if (x.rank < 2 || x.extents[x.rank - 1] != x.extents[x.rank - 2])
        return call.refuse("det wants square matrices");
    Extents shape = extents_of(x);
    shape.rank -= 2;
    std::int64_t count = 1;
    for (std::size_t d = 0; d < shape.rank; ++d)
        count *= shape[d];
    List<double> elements, results;
    if (!call.read(x, elements) || !call.make(results, count))
        return false;
    const auto n = static_cast<std::size_t>(x.extents[x.rank - 1]);
    for (std::size_t i = 0; i < results.size(); ++i)
        results[i] = determinant(elements.items + i * n * n, n);
    return call.give(0, x.element, shape, results);
}

} // namespace hidet::operators::host_operator
