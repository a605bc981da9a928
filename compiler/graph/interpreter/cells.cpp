// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/interpreter/cells.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/graph/core/shape.h"
#include "lang/base/numeric.h"

namespace hidet::graph::lanes {

namespace {

using ir::DType;

// How elements lie in memory (T), and what they are as cells.
template <class T>
struct Whole {
    using Stored = T;
    static Cell cell(T value) { return {.i = static_cast<std::int64_t>(value)}; }
    static T stored(Cell cell) { return static_cast<T>(cell.i); }
};
template <class T>
struct Real {
    using Stored = T;
    static Cell cell(T value) { return {.d = static_cast<double>(value)}; }
    static T stored(Cell cell) { return static_cast<T>(cell.d); }
};
template <class T, float (*decode)(T), T (*encode)(float)>
struct Small {
    using Stored = T;
    static Cell cell(T value) { return {.d = static_cast<double>(decode(value))}; }
    static T stored(Cell cell) { return encode(static_cast<float>(cell.d)); }
};
// An infinity that came so far is one of the type's own: conversions have been done before.
std::uint8_t e5m2_of(float value) {
    if (std::isinf(value))
        return value < 0 ? 0xFC : 0x7C;
    return f32_to_e5m2(value);
}

template <class Use>
void with_format(DType dtype, Use&& use) {
    switch (dtype) {
    case DType::Bool:
    case DType::U8: return use(Whole<std::uint8_t>());
    case DType::I8: return use(Whole<std::int8_t>());
    case DType::I16: return use(Whole<std::int16_t>());
    case DType::U16: return use(Whole<std::uint16_t>());
    case DType::I32: return use(Whole<std::int32_t>());
    case DType::U32: return use(Whole<std::uint32_t>());
    case DType::I64:
    case DType::U64: return use(Whole<std::int64_t>());
    case DType::F16: return use(Small<std::uint16_t, f16_to_f32, f32_to_f16>());
    case DType::BF16: return use(Small<std::uint16_t, bf16_to_f32, f32_to_bf16>());
    case DType::F8E4M3: return use(Small<std::uint8_t, e4m3_to_f32, f32_to_e4m3>());
    case DType::F8E5M2: return use(Small<std::uint8_t, e5m2_to_f32, e5m2_of>());
    case DType::F64: return use(Real<double>());
    case DType::F32:
    case DType::TF32: return use(Real<float>());
    default: throw OpError("tensors of ", ir::info(dtype).name, " cannot be evaluated here");
    }
}

} // namespace

void fused_loads(DType dtype, const std::byte* data, std::int64_t first, std::int64_t step, int count, Cell* values) {
    with_format(dtype, [&](auto format) {
        using Stored = typename decltype(format)::Stored;
        const std::byte* at = data + first * static_cast<std::int64_t>(sizeof(Stored));
        const std::int64_t bytes = step * static_cast<std::int64_t>(sizeof(Stored));
        const auto value = [](const std::byte* place) {
            Stored stored;
            std::memcpy(&stored, place, sizeof stored);
            return decltype(format)::cell(stored);
        };
        if (step == 0)
            std::fill(values, values + count, value(at));
        else if (step == 1)
            for (int i = 0; i < count; ++i)
                values[i] = value(at + i * static_cast<std::int64_t>(sizeof(Stored)));
        else
            for (int i = 0; i < count; ++i, at += bytes)
                values[i] = value(at);
    });
}

void store_run(DType dtype, std::byte* data, std::int64_t first, int count, const Cell* values) {
    with_format(dtype, [&](auto format) {
        using Stored = typename decltype(format)::Stored;
        std::byte* at = data + first * static_cast<std::int64_t>(sizeof(Stored));
        for (int i = 0; i < count; ++i) {
            const Stored stored = decltype(format)::stored(values[i]);
            std::memcpy(at + i * static_cast<std::int64_t>(sizeof(Stored)), &stored, sizeof stored);
        }
    });
}

Cell load(DType dtype, const std::byte* data, std::int64_t index) {
    Cell cell;
    fused_loads(dtype, data, index, 0, 1, &cell);
    return cell;
}

void store(DType dtype, std::byte* data, std::int64_t index, Cell value) {
    store_run(dtype, data, index, 1, &value);
}

} // namespace hidet::graph::lanes
