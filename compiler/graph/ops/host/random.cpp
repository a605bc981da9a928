// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

#include <bit>

namespace hidet::graph {

lang::Random random_of(const Attributes& attributes) {
    return lang::Random(std::bit_cast<std::uint64_t>(attributes.get<double>("seed")));
}

lang::TensorRef random_tensor_of(ir::DType dtype, const std::vector<std::int64_t>& shape,
                                 const std::function<double()>& next) {
    lang::TensorRef tensor = host_tensor(dtype, shape);
    std::vector<double> values(static_cast<std::size_t>(tensor->count()));
    for (double& value : values)
        value = next();
    return host_tensor(dtype, shape, values);
}

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

lang::TensorRef normal_tensor(const Attributes& attributes, ir::DType dtype, const std::vector<std::int64_t>& shape) {
    const double mean = attributes.get<double>("mean");
    const double scale = attributes.get<double>("scale");
    lang::Random random = random_of(attributes);
    return random_tensor_of(dtype, shape, [&] { return mean + scale * random.normal(); });
}

lang::TensorRef uniform_tensor(const Attributes& attributes, ir::DType dtype, const std::vector<std::int64_t>& shape) {
    const double low = attributes.get<double>("low");
    const double high = attributes.get<double>("high");
    lang::Random random = random_of(attributes);
    return random_tensor_of(dtype, shape, [&] { return low + (high - low) * random.uniform(); });
}

} // namespace hidet::graph
