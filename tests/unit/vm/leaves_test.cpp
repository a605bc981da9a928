// SPDX-License-Identifier: Apache-2.0
// Leaves that move tiles do with each instruction set what their plain definition says.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "runtime/vm/async/swizzle.h"
#include "runtime/vm/code.h"
#include "runtime/vm/machine.h"
#include "runtime/vm/matrix/mma.h"
#include "runtime/vm/vector/table.h"

using namespace hidet;

namespace {

constexpr std::size_t row_bytes = 16, pieces = 2; // of a row of a tile along k

std::vector<std::byte> random_bytes(std::size_t count) {
    std::mt19937 random(7);
    std::vector<std::byte> out(count);
    for (std::byte& each : out)
        each = static_cast<std::byte>(random());
    return out;
}

template <class F>
void for_each_isa(F&& f) {
    for (vm::VectorIsa isa : {vm::VectorIsa::V2, vm::VectorIsa::V3, vm::VectorIsa::V4})
        if (vm::has_isa(isa))
            f(vm::best_table(isa));
}

// A tile whose pieces lie apart and in no order.
struct Tile {
    explicit Tile(std::size_t rows) : bytes(random_bytes(2 * rows * pieces * row_bytes)) {
        for (std::size_t i = 0; i < rows * pieces; ++i)
            places.push_back(bytes.data() + (i * 5 % (rows * pieces)) * 2 * row_bytes);
    }
    // Eight rows, as a register has them.
    std::array<std::uint32_t, 32> words(std::size_t row, std::size_t piece) const {
        std::array<std::uint32_t, 32> out{};
        for (std::size_t i = 0; i < 8; ++i)
            std::memcpy(out.data() + 4 * i, places[(row + i) * pieces + piece], row_bytes);
        return out;
    }
    std::vector<std::byte> bytes;
    std::vector<const std::byte*> places;
};

} // namespace

TEST_CASE("operands in shared memory are spread as those in registers are") {
    constexpr int tiles = 3;
    for (const char* name : {"m16n8k16_f16_f32", "m16n8k16_bf16_f32", "m16n8k8_tf32_f32", "m16n8k32_f8e4m3_f32",
                             "m16n8k32_f8e5m2_f32", "m16n8k32_i8_i32", "m16n8k32_u8_i32"}) {
        INFO(name);
        const vm::MmaShape& shape = *vm::find_mma(name);
        const Tile a(16), b(8 * tiles);
        const auto a_words = static_cast<std::size_t>(16 * shape.k), b_words = static_cast<std::size_t>(8 * shape.k);
        for_each_isa([&](const vm::VectorTable& table) {
            INFO(table.name);
            std::array<std::uint32_t, 32> registers[4];
            const std::uint32_t* const operands[4] = {registers[0].data(), registers[1].data(), registers[2].data(),
                                                      registers[3].data()};
            alignas(64) std::uint32_t expected[vm::mma_a_words + tiles * vm::mma_b_words] = {};
            alignas(64) std::uint32_t spread[vm::mma_a_words + tiles * vm::mma_b_words] = {};
            for (std::size_t r = 0; r < 4; ++r)
                registers[r] = a.words(r % 2 * 8, r / 2);
            table.spread_mma_a(shape, operands, expected);
            for (std::size_t tile = 0; tile < tiles; ++tile) {
                for (std::size_t r = 0; r < 2; ++r)
                    registers[r] = b.words(8 * tile, r);
                table.spread_mma_b(shape, operands, expected + vm::mma_a_words + tile * b_words);
            }
            table.spread_rows_a(shape, a.places.data(), pieces, spread);
            table.spread_rows_b(shape, b.places.data(), pieces, tiles, spread + vm::mma_a_words);
            CHECK(std::memcmp(spread, expected, a_words * sizeof *spread) == 0);
            CHECK(std::memcmp(spread + vm::mma_a_words, expected + vm::mma_a_words, tiles * b_words * sizeof *spread) ==
                  0);
        });
    }
}

TEST_CASE("operands that ldmatrix would load are spread as those that it loaded are") {
    const Tile a(16), b(16);
    for (const char* name : {"m16n8k16_f16_f32", "m16n8k16_f16_f16", "m16n8k16_bf16_f32", "m16n8k8_f16_f32",
                             "m16n8k8_tf32_f32", "m16n8k32_f8e4m3_f32", "m16n8k32_i8_i32"})
        for (const bool turned : {false, true}) {
            INFO(name, turned ? " turned" : "");
            const vm::MmaShape* const shape = vm::find_mma(name);
            REQUIRE(shape);
            const auto a_words = static_cast<std::size_t>(16 * shape->k),
                       b_words = static_cast<std::size_t>(8 * shape->k);
            for_each_isa([&](const vm::VectorTable& table) {
                INFO(table.name);
                alignas(64) std::uint32_t registers[4][32] = {};
                const std::uint32_t* const operands[4] = {registers[0], registers[1], registers[2], registers[3]};
                alignas(64) std::uint32_t expected[vm::mma_a_words] = {}, spread[vm::mma_a_words] = {};
                const auto tiles_of = [&](const Tile& from) {
                    std::array<const std::byte* const*, 4> out{};
                    for (std::size_t r = 0; r < out.size(); ++r) {
                        out[r] = from.places.data() + 8 * r;
                        table.gather_rows(out[r], 1, turned, registers[r]);
                    }
                    return out;
                };
                const auto tiles_of_a = tiles_of(a);
                table.spread_mma_a(*shape, operands, expected);
                table.spread_tiles_a(*shape, tiles_of_a.data(), turned, spread);
                CHECK(std::memcmp(spread, expected, a_words * sizeof *spread) == 0);
                const auto tiles_of_b = tiles_of(b);
                table.spread_mma_b(*shape, operands, expected);
                table.spread_tiles_b(*shape, tiles_of_b.data(), turned, spread);
                CHECK(std::memcmp(spread, expected, b_words * sizeof *spread) == 0);
            });
        }
}

TEST_CASE("lines move as their pieces do") {
    const std::vector<std::byte> from = random_bytes(3 * 64);
    for_each_isa([&](const vm::VectorTable& table) {
        INFO(table.name);
        const vm::LineMove lines[2] = {{.to = 64, .from = 16, .order = {6, 7, 0, 1, 2, 3, 4, 5}},
                                       {.to = 0, .from = 128, .order = {0, 1, 2, 3, 6, 7, 4, 5}}};
        std::vector<std::byte> to(128), expected(128);
        table.move_lines(to.data(), from.data(), lines, 2);
        for (const vm::LineMove& line : lines)
            for (std::size_t i = 0; i < 8; ++i)
                std::memcpy(expected.data() + line.to + 8 * i, from.data() + line.from + 8 * line.order[i], 8);
        CHECK(to == expected);
    });
}

TEST_CASE("products that are added together have the bits of one after the other") {
    constexpr std::size_t parts = 3, tiles = 3, first = 32;
    for (const char* name :
         {"m16n8k16_f16_f32", "m16n8k16_f16_f16", "m16n8k8_tf32_f32", "m16n8k32_f8e4m3_f16", "m16n8k32_i8_i32"}) {
        INFO(name);
        const vm::MmaShape& shape = *vm::find_mma(name);
        const auto a_words = static_cast<std::size_t>(16 * shape.k), b_words = static_cast<std::size_t>(8 * shape.k);
        for_each_isa([&](const vm::VectorTable& table) {
            INFO(table.name);
            alignas(64) std::uint32_t a[parts * vm::mma_a_words], b[parts * tiles * vm::mma_b_words];
            std::mt19937 random(3);
            const auto fill = [&](std::uint32_t& word) {
                const float value = static_cast<float>(random() % 2048) / 1024 - 1;
                word = shape.out == artifact::Scalar::I32 ? random() : std::bit_cast<std::uint32_t>(value);
            };
            std::ranges::for_each(a, fill);
            std::ranges::for_each(b, fill);
            const auto sums = static_cast<std::size_t>(shape.c_registers) * tiles;
            std::vector<std::array<std::uint32_t, 64>> together(sums), apart(sums);
            const auto multiply = [&](auto& registers, std::size_t part, const vm::MmaParts& steps) {
                std::uint32_t* c[4 * tiles];
                for (std::size_t r = 0; r < sums; ++r)
                    c[r] = registers[r].data();
                const void* columns[tiles];
                for (std::size_t tile = 0; tile < tiles; ++tile)
                    columns[tile] = b + (part * tiles + tile) * b_words;
                table.mma(shape, c, first, a + part * a_words, columns, tiles, steps);
            };
            multiply(together, 0, {parts, a_words, tiles * b_words});
            for (std::size_t part = 0; part < parts; ++part)
                multiply(apart, part, {});
            CHECK(together == apart);
            CHECK(std::ranges::any_of(apart[0], [](std::uint32_t word) { return word != 0; }));
        });
    }
}

TEST_CASE("rows of a box go where its swizzle says") {
    constexpr std::int64_t pitch = 144;
    constexpr int rows = 24;
    const std::vector<std::byte> from = random_bytes(rows * pitch);
    for (const int bytes : {32, 64, 128}) {
        INFO(bytes);
        const std::int64_t place = 3 * bytes;
        std::vector<std::byte> expected(static_cast<std::size_t>(place + rows * bytes));
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t at = 0; at < bytes; ++at)
                expected[static_cast<std::size_t>(vm::swizzled(place + row * bytes + at, bytes))] =
                    from[static_cast<std::size_t>(row * pitch + at)];
        for_each_isa([&](const vm::VectorTable& table) {
            INFO(table.name);
            std::vector<std::byte> to(expected.size());
            table.move_swizzled(to.data() + place, from.data(), pitch, rows, bytes, place);
            CHECK(to == expected);
        });
    }
}
