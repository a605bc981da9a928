// SPDX-License-Identifier: Apache-2.0
// Loops by hand, over all indices of a shape: what operators that move or combine elements are compared with.
#pragma once

#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <vector>

#include "tests/unit/graph/interpret.h"

namespace hidet::test {

using Index = std::vector<std::int64_t>;

inline std::size_t slot(const Index& shape, const Index& index) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (index[i] < 0 || index[i] >= shape[i])
            FAIL("the loops of a test leave the tensor");
        at = at * shape[i] + index[i];
    }
    return static_cast<std::size_t>(at);
}

inline double at(const lang::TensorRef& x, const Index& index) {
    return values_of(x)[slot(x->shape, index)];
}

// In row-major order.
inline void for_each(const Index& shape, const std::function<void(const Index&)>& visit) {
    std::int64_t count = 1;
    for (std::int64_t extent : shape)
        count *= extent;
    for (std::int64_t at = 0; at < count; ++at) {
        Index index(shape.size());
        std::int64_t rest = at;
        for (std::size_t i = shape.size(); i-- > 0; rest /= shape[i])
            index[i] = rest % shape[i];
        visit(index);
    }
}

// 1, 2, 3, ...: every element tells where it came from.
inline lang::TensorRef counted(ir::DType dtype, const Index& shape) {
    std::vector<double> values;
    for_each(shape, [&](const Index&) { values.push_back(static_cast<double>(values.size() + 1)); });
    return tensor(dtype, shape, values);
}

// The result has that shape, and at each index what `expected` says.
inline void expect_elements(const lang::TensorRef& result, const Index& shape,
                            const std::function<double(const Index&)>& expected, double tolerance = 0) {
    REQUIRE(result->shape == shape);
    std::vector<double> values;
    for_each(shape, [&](const Index& index) { values.push_back(expected(index)); });
    expect_close(result, values, tolerance);
}

// The element of an operand at an index of what it is broadcast to.
inline double broadcast_at(const lang::TensorRef& operand, const Index& index) {
    const std::vector<double> values = values_of(operand);
    Index own;
    const std::size_t shift = index.size() - operand->shape.size();
    for (std::size_t i = 0; i < operand->shape.size(); ++i)
        own.push_back(operand->shape[i] == 1 ? 0 : index[shift + i]);
    return values[slot(operand->shape, own)];
}

} // namespace hidet::test
