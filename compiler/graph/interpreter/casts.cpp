// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/interpreter/casts.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "lang/base/helpers.h"

namespace hidet::graph {

namespace {

using ir::DType;

constexpr std::int64_t least_share = 1 << 17; // elements for which a thread is worth starting

// Without branches, so that loops over them become vectors.
std::uint16_t half_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t u = bits & 0x7FFFFFFFu;
    const std::uint32_t special = u > 0x7F800000u ? 0x7FFFu : 0x7C00u;
    // The sum aligns the digits of a subnormal number, and rounds them.
    const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(u) + 0.5f) - 0x3F000000u;
    const std::uint32_t normal = (u + 0xC8000FFFu + (u >> 13 & 1u)) >> 13;
    const std::uint32_t finite = u < 0x38800000u ? small : normal;
    return static_cast<std::uint16_t>((u >= 0x477FF000u ? special : finite) | (bits >> 16 & 0x8000u));
}
std::uint16_t bfloat_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    return static_cast<std::uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFu : rounded);
}
std::uint32_t quiet(std::uint32_t bits) {
    return (bits & 0x7FFFFFFFu) > 0x7F800000u ? bits | 0x00400000u : bits;
}
float from_half(std::uint16_t half) {
    const std::uint32_t magnitude = half & 0x7FFFu;
    const std::uint32_t special = quiet(magnitude << 13 | 0x7F800000u);
    const std::uint32_t normal = (magnitude << 13) + 0x38000000u;
    const auto small =
        std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
    const std::uint32_t finite = magnitude < 0x400u ? small : normal;
    return std::bit_cast<float>((magnitude >= 0x7C00u ? special : finite) | (half & 0x8000u) << 16);
}
float from_bfloat(std::uint16_t half) {
    return std::bit_cast<float>(quiet(std::uint32_t{half} << 16));
}

// Elements of a file may lie anywhere.
template <class T>
T element(const std::byte* data, std::int64_t i) {
    T value;
    std::memcpy(&value, data + i * static_cast<std::int64_t>(sizeof value), sizeof value);
    return value;
}

template <auto convert, class From, class To>
void convert_run(const std::byte* from, std::byte* to, std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) {
        const To value = convert(element<From>(from, i));
        std::memcpy(to + i * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
    }
}

using Run = void (*)(const std::byte*, std::byte*, std::int64_t, std::int64_t);

Run run_for(DType from, DType to) {
    if (from == DType::F32)
        return to == DType::F16    ? convert_run<half_of, float, std::uint16_t>
               : to == DType::BF16 ? convert_run<bfloat_of, float, std::uint16_t>
                                   : nullptr;
    if (to != DType::F32)
        return nullptr;
    return from == DType::F16    ? convert_run<from_half, std::uint16_t, float>
           : from == DType::BF16 ? convert_run<from_bfloat, std::uint16_t, float>
                                 : nullptr;
}

} // namespace

lang::TensorRef cast_natively(const OpCall& call, const Tensors& inputs) {
    if (call.op->id != OpId::Cast)
        return nullptr;
    const lang::Tensor& from = *inputs[0];
    const DType to = call.attributes.get<DType>("dtype");
    const Run run = run_for(from.dtype, to);
    if (!run)
        return nullptr;
    const lang::TensorRef result = make_tensor(to, from.shape);
    const std::byte* source = from.read();
    std::byte* target = result->data();
    in_parts(result->count(), least_share,
             [&](std::int64_t first, std::int64_t end) { run(source, target, first, end); });
    return result;
}

bool has_larger(const lang::Tensor& tensor, float limit) {
    const std::byte* data = tensor.read();
    const std::int64_t count = tensor.count();
    bool found = false;
    for (std::int64_t i = 0; i < count; ++i)
        found |= std::fabs(element<float>(data, i)) > limit;
    return found;
}

} // namespace hidet::graph
