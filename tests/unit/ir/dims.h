// SPDX-License-Identifier: Apache-2.0
// Shapes of layouts and mappings, written as numbers.
#pragma once

#include <initializer_list>

#include "compiler/ir/ops.h"

namespace hidet::test {

inline ir::ExprVec dims(std::initializer_list<int> extents) {
    ir::ExprVec shape;
    for (int extent : extents)
        shape.push_back(ir::int_constant(extent));
    return shape;
}

} // namespace hidet::test
