// SPDX-License-Identifier: Apache-2.0
// A product is done when it is issued.
#include "runtime/vm/wgmma.h"

#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "lang/base/check.h"
#include "lang/base/text.h"
#include "runtime/vm/block.h"
#include "runtime/vm/swizzle.h"

namespace hidet::vm {

namespace {

constexpr int warps_of_group = 4;

std::uint32_t sign_bits(const MmaShape& shape) {
    return shape.in_bytes == 4 ? 0x80000000u : shape.in_bytes == 2 ? 0x80008000u : 0x80808080u;
}

// The tile of mma.sync whose k is that of wgmma.
const MmaShape* tile_shape(std::string_view types) {
    struct Row {
        const char* types;
        const char* mma;
    };
    static constexpr Row rows[] = {
        {"f16_f16", "m16n8k16_f16_f16"},     {"f16_f32", "m16n8k16_f16_f32"},     {"bf16_f32", "m16n8k16_bf16_f32"},
        {"tf32_f32", "m16n8k8_tf32_f32"},    {"e4m3_f16", "m16n8k32_f8e4m3_f16"}, {"e4m3_f32", "m16n8k32_f8e4m3_f32"},
        {"e5m2_f16", "m16n8k32_f8e5m2_f16"}, {"e5m2_f32", "m16n8k32_f8e5m2_f32"}, {"i8_i32", "m16n8k32_i8_i32"},
        {"u8_i32", "m16n8k32_u8_i32"},
    };
    for (const Row& row : rows)
        if (types == row.types)
            return find_mma(row.mma);
    return nullptr;
}

} // namespace

WgmmaForm wgmma_form(std::string_view attributes) {
    const std::vector<std::string> words = split(attributes, '.');
    HIDET_CHECK(words.size() == 5 || words.size() == 6, std::string(attributes));
    WgmmaForm form;
    form.shape = tile_shape(words[0]);
    HIDET_CHECK(form.shape, std::string(attributes));
    std::from_chars(words[1].data() + 1, words[1].data() + words[1].size(), form.n);
    form.a_in_registers = words.size() == 5;
    form.negates_a = words[2] == "-1";
    form.negates_b = words[3] == "-1";
    form.is_a_transposed = !form.a_in_registers && words[4] == "1";
    form.is_b_transposed = words.back() == "1";
    return form;
}

SharedTile::SharedTile(std::uint64_t descriptor, int element_bytes, bool is_contiguous_along_mn)
    : is_swizzled(descriptor >> 62 != 0), is_transposed(is_contiguous_along_mn), element(element_bytes) {
    constexpr int rows[] = {16, 128, 64, 32};
    const auto offset = [&](int shift) { return static_cast<std::int64_t>((descriptor >> shift & 0x3FFF) << 4); };
    first = offset(0), leading = offset(16), stride = offset(32);
    row = rows[descriptor >> 62];
}

// Where k is contiguous, units follow each other along m or n by the stride, and along k by the leading offset, which only
// unswizzled ones have. Where m or n is contiguous it is the other way around, but unswizzled units swap the two.
std::int64_t SharedTile::place(int mn, int k) const {
    const int across = is_transposed ? k : mn;                                 // which row
    const std::int64_t along = std::int64_t{is_transposed ? mn : k} * element; // where in it
    const bool swaps = is_transposed && !is_swizzled;
    const std::int64_t at = first + across / 8 * (swaps ? leading : stride) + across % 8 * row +
                            along / row * (swaps ? stride : leading) + along % row;
    return swizzled(at, is_swizzled ? row : 0);
}

// Bytes at a place of the 32-bit window.
const std::byte* Block::shared_bytes(Group& group, std::int64_t place, int bytes) {
    for (std::size_t row = m_shared.size(); row-- > 0;)
        if (m_shared_place[row] <= place) {
            if (place - m_shared_place[row] + bytes <= m_shared[row].bytes)
                return m_shared[row].data + (place - m_shared_place[row]);
            break;
        }
    fail(group, FindingKind::OutOfBounds, group.active.first(m_chunks),
         cat("multiplies a tile that reaches byte ", place, " of shared memory, outside of what is declared there"));
}

// What a register of a warp has of a tile: eight rows or columns, 16 bytes along k of each. Sixteen bytes of a row of memory
// lie together however it is swizzled.
void Block::read_tile(Group& group, const SharedTile& tile, int mn, int k, std::uint32_t* words) {
    if (!tile.is_transposed) {
        for (int i = 0; i < 8; ++i)
            std::memcpy(words + 4 * i, shared_bytes(group, tile.place(mn + i, k), 16), 16);
        return;
    }
    const int piece = 16 / tile.element, each = std::min(piece, 8); // a tile of bytes needs half of a piece
    auto* out = reinterpret_cast<std::byte*>(words);
    for (int e = 0; e < piece; ++e)
        for (int first = 0; first < 8; first += each) {
            const std::byte* from = shared_bytes(group, tile.place(mn + first, k + e), each * tile.element);
            for (int i = 0; i < each; ++i)
                std::memcpy(out + 16 * (first + i) + e * tile.element, from + i * tile.element,
                            static_cast<std::size_t>(tile.element));
        }
}

void Block::check_warp_group(Group& group, const char* what) {
    for (int w = 0; w < m_warps; ++w) {
        const int first = w / warps_of_group * warps_of_group;
        for (int other = first; group.active.warp(w) && other < first + warps_of_group; ++other)
            if (other >= m_warps || !group.active.warp(other))
                fail(group, FindingKind::DivergentBarrier, 32 * w,
                     cat("reaches ", what, " that warp ", other, " of the same warp group does not reach"));
    }
    check_whole_warps(group, what);
}

void Block::multiply_group(Group& group, const Step& step) {
    check_warp_group(group, "a product of a warp group");
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    const WgmmaForm form = wgmma_form(m_context.program->strings[static_cast<std::size_t>(row.text)]);
    const MmaShape& shape = *form.shape;
    if (m_order)
        watch_products(group, step, form);
    const int deep = 16 / shape.in_bytes; // elements along k of a register's row
    const auto sums = static_cast<std::size_t>(row.definitions);
    const std::size_t after_a = sums + (form.a_in_registers ? static_cast<std::size_t>(shape.a_registers) : 1);
    using Register = std::array<std::uint32_t, 32>;
    std::vector<Register> b(static_cast<std::size_t>(form.n / 8 * shape.b_registers));
    std::vector<const std::uint32_t*> columns;
    for (const Register& each : b)
        columns.push_back(each.data());
    std::vector<std::uint32_t*> c(static_cast<std::size_t>(form.n / 8 * shape.c_registers));
    std::array<Register, 8> a{};
    const auto words = [&](std::size_t item, int lane) {
        return reinterpret_cast<std::uint32_t*>(lanes(row.items[item])) + lane;
    };
    for (int w = 0; w < m_warps; ++w) {
        if (!group.active.warp(w))
            continue;
        const int first = 32 * w;
        if (w % warps_of_group == 0) { // the four share it
            const SharedTile tile(lane_value<std::uint64_t>(group, row.items[after_a], first), shape.in_bytes,
                                  form.is_b_transposed);
            for (std::size_t r = 0; r < b.size(); ++r) {
                const int count = shape.b_registers, j = static_cast<int>(r) / count,
                          part = static_cast<int>(r) % count;
                read_tile(group, tile, 8 * j, part * deep, b[r].data());
                for (std::uint32_t& word : b[r])
                    word ^= form.negates_b ? sign_bits(shape) : 0;
            }
        }
        for (int r = 0; r < shape.a_registers; ++r) {
            Register& out = a[static_cast<std::size_t>(r)];
            if (form.a_in_registers) {
                std::memcpy(out.data(), words(sums + static_cast<std::size_t>(r), first), sizeof out);
            } else {
                const SharedTile tile(lane_value<std::uint64_t>(group, row.items[sums], first), shape.in_bytes,
                                      form.is_a_transposed);
                read_tile(group, tile, w % warps_of_group * 16 + r % 2 * 8, r / 2 * deep, out.data());
            }
            for (std::uint32_t& word : out)
                word ^= form.negates_a ? sign_bits(shape) : 0;
        }
        const bool starts = lane_value<std::int32_t>(group, row.items[after_a + 1], first) == 0;
        const std::uint32_t* a_words[8];
        for (std::size_t r = 0; r < a.size(); ++r)
            a_words[r] = a[r].data();
        for (std::size_t r = 0; r < c.size(); ++r) {
            c[r] = words(r, first);
            if (starts)
                std::memset(c[r], 0, sizeof(Register));
        }
        m_table.mma(shape, c.data(), a_words, columns.data(), form.n / 8);
    }
    add_flops(group, 2ull * 16 * static_cast<std::uint64_t>(form.n * shape.k) *
                         static_cast<std::uint64_t>(group.running / 32));
    for (std::size_t i = 0; i < sums; ++i)
        written(row.items[i]);
}

} // namespace hidet::vm
