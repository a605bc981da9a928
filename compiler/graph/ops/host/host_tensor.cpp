// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/host_tensor.h"

#include <cstring>

#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

std::size_t bytes_each(ir::DType dtype) {
    return static_cast<std::size_t>(ir::bytes_of(dtype));
}

} // namespace

lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape) {
    lang::TensorRef tensor(new lang::Tensor);
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    tensor->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(tensor->count()) * bytes_each(dtype));
    return tensor;
}

lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
    lang::TensorRef tensor = host_tensor(dtype, std::move(shape));
    if (ir::is_float(dtype)) {
        lang::write_doubles(*tensor, values);
        return tensor;
    }
    lang::write_integers(*tensor, std::vector<std::int64_t>(values.begin(), values.end()));
    return tensor;
}

lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape, const std::vector<std::int64_t>& values) {
    lang::TensorRef tensor = host_tensor(dtype, std::move(shape));
    if (ir::is_float(dtype))
        lang::write_doubles(*tensor, std::vector<double>(values.begin(), values.end()));
    else
        lang::write_integers(*tensor, values);
    return tensor;
}

std::vector<double> doubles_of(const lang::TensorRef& tensor) {
    if (ir::is_float(tensor->dtype))
        return lang::read_doubles(*tensor);
    const std::vector<std::int64_t> integers = lang::read_integers(*tensor);
    if (tensor->dtype != ir::DType::U64)
        return {integers.begin(), integers.end()};
    std::vector<double> values;
    for (std::int64_t value : integers)
        values.push_back(static_cast<double>(static_cast<std::uint64_t>(value)));
    return values;
}

std::vector<std::int64_t> integers_of(const lang::TensorRef& tensor) {
    if (!ir::is_float(tensor->dtype))
        return lang::read_integers(*tensor);
    const std::vector<double> doubles = lang::read_doubles(*tensor);
    return {doubles.begin(), doubles.end()};
}

double scalar_double(const lang::TensorRef& tensor) {
    if (tensor->count() != 1)
        throw OpError("a tensor of one element is wanted, not of " + std::to_string(tensor->count()));
    return doubles_of(tensor)[0];
}

std::int64_t scalar_integer(const lang::TensorRef& tensor) {
    if (tensor->count() != 1)
        throw OpError("a tensor of one element is wanted, not of " + std::to_string(tensor->count()));
    return integers_of(tensor)[0];
}

AxisView view_along(const std::vector<std::int64_t>& shape, std::size_t axis) {
    AxisView view;
    for (std::size_t d = 0; d < shape.size(); ++d)
        (d < axis ? view.outer : d == axis ? view.extent : view.inner) *= shape[d];
    return view;
}

lang::TensorRef taken(const lang::TensorRef& tensor, std::size_t axis, const std::vector<std::int64_t>& places) {
    std::vector<std::int64_t> shape = tensor->shape;
    shape[axis] = static_cast<std::int64_t>(places.size());
    lang::TensorRef result = host_tensor(tensor->dtype, shape);
    const AxisView view = view_along(tensor->shape, axis);
    const std::size_t row = static_cast<std::size_t>(view.inner) * bytes_each(tensor->dtype);
    const std::byte* from = tensor->read();
    std::byte* to = result->data();
    for (std::int64_t i = 0; i < view.outer; ++i)
        for (std::int64_t place : places) {
            if (row > 0)
                std::memcpy(to, from + static_cast<std::size_t>(i * view.extent + place) * row, row);
            to += row;
        }
    return result;
}

} // namespace hidet::graph
