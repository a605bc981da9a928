// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

namespace hidet::graph {

std::vector<std::int64_t> shape_attribute(const Attributes& attributes) {
    const Shape& shape = attributes.get<Shape>("shape");
    const auto extents = constant_shape(shape);
    if (!extents)
        throw OpError("random numbers want a constant shape, not " + text_of(shape));
    return *extents;
}

ir::DType dtype_attribute(const Attributes& attributes, ir::DType otherwise) {
    return attributes.get_or("dtype", otherwise);
}

} // namespace hidet::graph
