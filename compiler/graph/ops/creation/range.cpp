// SPDX-License-Identifier: Apache-2.0
// A sequence whose ends are data: how long it is, is known when it runs.
#include <cstring>
#include <type_traits>

#include "compiler/graph/ops/creation/sequence.h"
#include "compiler/graph/ops/transform/move.h"

namespace hidet::graph {

namespace {

template <class T>
T scalar_in(const lang::TensorRef& tensor) {
    T value{};
    std::memcpy(&value, tensor->read(), sizeof value);
    return value;
}

template <class T>
lang::TensorRef sequence(const std::vector<lang::TensorRef>& inputs) {
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
    const Wide start = scalar_in<T>(inputs[0]);
    const Wide step = scalar_in<T>(inputs[2]);
    const std::int64_t count = sequence_length(start, static_cast<Wide>(scalar_in<T>(inputs[1])), step);
    auto result = lang::TensorRef(new lang::Tensor);
    result->dtype = inputs[0]->dtype;
    result->shape = {count};
    result->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(count) * sizeof(T));
    std::byte* out = result->data();
    for (std::int64_t i = 0; i < count; ++i) {
        const T value = static_cast<T>(start + static_cast<Wide>(i) * step);
        std::memcpy(out + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
    }
    return result;
}

std::vector<TensorSpec> infer_range(const OpCall& call, FreshSymbols& symbols) {
    const ir::DType dtype = call.inputs[0].dtype;
    for (const TensorSpec& input : call.inputs)
        if (input.dtype != dtype || !same_dim(element_count(input.shape), dim(1)))
            throw OpError("range wants three numbers of one type, not " + text_of(input));
    const bool is_known = dtype == ir::DType::F32 || dtype == ir::DType::F64 || dtype == ir::DType::I16 ||
                          dtype == ir::DType::I32 || dtype == ir::DType::I64;
    if (!is_known)
        throw OpError(std::string("range does not make ") + ir::info(dtype).name);
    return {{dtype, {symbols.fresh("range")}}};
}

std::vector<lang::TensorRef> run_range(const HostCall& call) {
    switch (call.inputs[0]->dtype) {
    case ir::DType::F32: return {sequence<float>(call.inputs)};
    case ir::DType::F64: return {sequence<double>(call.inputs)};
    case ir::DType::I16: return {sequence<std::int16_t>(call.inputs)};
    case ir::DType::I32: return {sequence<std::int32_t>(call.inputs)};
    default: return {sequence<std::int64_t>(call.inputs)};
    }
}

} // namespace

const OpInfo& op_info::Range() {
    static const OpInfo info = {
        .id = OpId::Range,
        .python = "range",
        .parameters = "start, limit, delta",
        .cls = OpClass::Host,
        .summary = "start, start + delta, ... up to but not including limit, which are tensors of one element",
        .example = "hidet.ops.range(hidet.asarray(0), hidet.asarray(10), hidet.asarray(2))",
        .infer = infer_range,
        .run = run_range,
    };
    return info;
}

} // namespace hidet::graph
