// SPDX-License-Identifier: Apache-2.0
// What moves between registers and tensor memory, and the descriptors of its products.
#pragma once

#include <array>
#include <optional>

#include "compiler/ir/intrinsic.h"

namespace hidet::ir {

inline constexpr int tensor_memory_columns = 512;

// Registers of 32 bits of a thread that a shape repeated so many times takes; 0: more than there are.
constexpr int registers_of(TensorMemoryShape shape, int times) {
    const int once = shape == TensorMemoryShape::s16x256b ? 4 : shape == TensorMemoryShape::s16x128b ? 2 : 1;
    return once * times <= 128 ? once * times : 0;
}

// The 32 bits that say what a product multiplies.
struct ProductDescriptor {
    std::uint32_t bits = 0;

    int rows() const { return static_cast<int>(field(24, 5) * 16); }
    int columns() const { return static_cast<int>(field(17, 6) * 8); }
    std::uint32_t sums() const { return field(4, 2); } // 0: f16, 1: f32, 2: i32
    std::uint32_t left() const { return field(7, 3); }
    std::uint32_t right() const { return field(10, 3); }
    void set(int at, std::uint32_t value) { bits |= value << at; }

private:
    std::uint32_t field(int at, int size) const { return bits >> at & ((1u << size) - 1); }
};

// How a kind of product calls a type of its operands in a descriptor; nothing: it does not take it. 4- and 6-bit floats are
// types that the language does not have.
constexpr std::optional<std::uint32_t> operand_code(Tcgen05Kind kind, DType dtype) {
    struct Row {
        Tcgen05Kind kind;
        DType dtype;
        std::uint32_t code;
    };
    constexpr std::array<Row, 7> rows = {{{Tcgen05Kind::f16, DType::F16, 0},
                                          {Tcgen05Kind::f16, DType::BF16, 1},
                                          {Tcgen05Kind::tf32, DType::TF32, 2},
                                          {Tcgen05Kind::f8f6f4, DType::F8E4M3, 0},
                                          {Tcgen05Kind::f8f6f4, DType::F8E5M2, 1},
                                          {Tcgen05Kind::i8, DType::U8, 0},
                                          {Tcgen05Kind::i8, DType::I8, 1}}};
    for (const Row& row : rows)
        if (row.kind == kind && row.dtype == dtype)
            return row.code;
    return std::nullopt;
}

constexpr std::optional<std::uint32_t> sum_code(Tcgen05Kind kind, DType dtype) {
    if (kind == Tcgen05Kind::i8)
        return dtype == DType::I32 ? std::optional(2u) : std::nullopt;
    if (dtype == DType::F32)
        return 1u;
    const bool has_short_sums = kind == Tcgen05Kind::f16 || kind == Tcgen05Kind::f8f6f4;
    return dtype == DType::F16 && has_short_sums ? std::optional(0u) : std::nullopt;
}

// The tiles of sums that blocks alone, or two together, have.
constexpr bool is_product_tile(Tcgen05Kind kind, std::int64_t rows, std::int64_t columns, int group) {
    const bool has_fine_steps = rows == 64 && (kind != Tcgen05Kind::i8 || columns <= 24);
    const int step = has_fine_steps ? 8 : 16;
    const bool has_rows = rows == 64 * group || rows == 128 * group;
    return has_rows && columns >= step && columns <= 256 && columns % step == 0;
}
inline constexpr const char* product_tiles(int group) {
    return group == 1 ? "64xN with N in steps of 8 (of integers, of 16 above 24), 128xN in steps of 16, N up to 256"
                      : "128xN, 256xN with N in steps of 16 up to 256";
}

} // namespace hidet::ir
