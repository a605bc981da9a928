// SPDX-License-Identifier: Apache-2.0
// A product is done when it is issued.
#include "runtime/vm/wgmma.h"

#include <algorithm>
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
constexpr int most_columns = 32; // tiles of 8
constexpr int piece_bytes = 16;
constexpr std::size_t most_plans = 1024; // that are kept
constexpr int lines_of_warp = 28;        // of copies under way, which the cache is asked for while a warp multiplies

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

// Where the 16-byte pieces of a tile lie, which lie together in memory: of rows along k, or of columns where m or n is contiguous.
// Looked at once for a descriptor.
TilePlan& Block::tile_plan(Group& group, const SharedTile& tile, std::uint64_t descriptor, int rows, int depth) {
    const std::uint64_t key = mix(mix(descriptor, static_cast<std::uint64_t>(tile.element) << 1 | tile.is_transposed),
                                  static_cast<std::uint64_t>(rows) << 16 | static_cast<std::uint64_t>(depth));
    KnownPlan& known = m_known_plans.at(key % m_known_plans.size());
    if (known.plan && known.key == key)
        return *known.plan;
    TilePlan& plan = m_tile_plans[key];
    if (!plan.pieces.empty()) {
        known = {key, &plan};
        return plan;
    }
    const int piece = piece_bytes / tile.element;
    const int across = tile.is_transposed ? depth : rows, along = tile.is_transposed ? rows : depth;
    TilePlan made;
    made.pieces_along = (along + piece - 1) / piece;
    made.row_bytes = tile.is_swizzled ? tile.row : 0;
    std::vector<std::size_t> granules;
    for (int i = 0; i < across; ++i) {
        const auto row = static_cast<std::ptrdiff_t>(granules.size());
        for (int j = 0; j < along; j += piece) {
            const std::int64_t place = tile.place(tile.is_transposed ? j : i, tile.is_transposed ? i : j);
            made.pieces.push_back(shared_bytes(group, place, piece_bytes));
            made.places.push_back(place);
            for (std::size_t g = 0; m_order && g < m_shadow->granules_of(piece_bytes); ++g)
                granules.push_back(m_shadow->granule_of(place) + g);
        }
        std::sort(granules.begin() + row, granules.end()); // rows mostly follow each other
    }
    if (!std::ranges::is_sorted(granules))
        std::ranges::sort(granules);
    for (std::size_t granule : granules)
        if (made.runs.empty() || granule > made.runs.back().first + made.runs.back().count)
            made.runs.push_back({granule, 1});
        else
            made.runs.back().count = granule + 1 - made.runs.back().first;
    plan = std::move(made);
    return plan;
}

// What a register of a warp has of a tile: eight rows or columns, 16 bytes along k of each.
static void read_tile(const VectorTable& table, const TilePlan& plan, const SharedTile& tile, int mn, int part,
                      std::uint32_t* words) {
    const auto pieces = static_cast<std::size_t>(plan.pieces_along);
    if (!tile.is_transposed)
        return table.gather_rows(plan.pieces.data() + static_cast<std::size_t>(mn) * pieces + part, pieces, false,
                                 words);
    const int each = piece_bytes / tile.element; // of a piece, along m or n
    if (each == 8)
        return table.gather_rows(plan.pieces.data() + static_cast<std::size_t>(part * 8) * pieces + mn / 8, pieces,
                                 true, words);
    auto* out = reinterpret_cast<std::byte*>(words);
    for (int e = 0; e < each; ++e)
        for (int i = 0; i < 8; ++i) {
            const auto at =
                static_cast<std::size_t>(part * each + e) * pieces + static_cast<std::size_t>((mn + i) / each);
            std::memcpy(out + piece_bytes * i + e * tile.element, plan.pieces[at] + (mn + i) % each * tile.element,
                        static_cast<std::size_t>(tile.element));
        }
}

void Block::check_warp_group(Group& group, const char* what) {
    for (int w = 0; w < m_warps; ++w) {
        const int first = w / warps_of_group * warps_of_group;
        if (w == first && w + warps_of_group <= m_warps) { // mostly all are there, or none
            int there = 0;
            for (int other = w; other < w + warps_of_group; ++other)
                there += group.active.warp(other) != 0;
            if (there % warps_of_group == 0) {
                w += warps_of_group - 1;
                continue;
            }
        }
        for (int other = first; group.active.warp(w) && other < first + warps_of_group; ++other)
            if (other >= m_warps || !group.active.warp(other))
                fail(group, FindingKind::DivergentBarrier, 32 * w,
                     cat("reaches ", what, " that warp ", other, " of the same warp group does not reach"));
    }
    check_whole_warps(group, what);
}

// What is known of a product before it runs.
const WgmmaPlan& Block::wgmma_plan(const Step& step) {
    m_wgmma_plans.resize(m_function.operands.size());
    std::unique_ptr<WgmmaPlan>& plan = m_wgmma_plans[static_cast<std::size_t>(step.instr.x)];
    if (plan)
        return *plan;
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    plan = std::make_unique<WgmmaPlan>();
    plan->form = wgmma_form(m_context.program->strings[static_cast<std::size_t>(row.text)]);
    plan->sums = static_cast<std::size_t>(row.definitions);
    plan->after_a =
        plan->sums + (plan->form.a_in_registers ? static_cast<std::size_t>(plan->form.shape->a_registers) : 1);
    plan->all = product_registers(m_function, step.instr, true);
    plan->without_sums = product_registers(m_function, step.instr, false);
    for (std::vector<std::int32_t>* registers : {&plan->all, &plan->without_sums}) {
        std::ranges::sort(*registers);
        registers->erase(std::ranges::unique(*registers).begin(), registers->end());
    }
    return *plan;
}

void Block::multiply_group(Group& group, const Step& step) {
    check_warp_group(group, "a product of a warp group");
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    const WgmmaPlan& plan = wgmma_plan(step);
    if (m_tile_plans.size() >= most_plans) {
        if (m_order)
            m_shadow->enter_tiles(*m_order); // which refer to them
        m_tile_plans.clear();
        m_known_plans = {};
    }
    if (m_order)
        watch_products(group, step, plan);
    std::optional<std::uint64_t> spread; // of the b that is
    for (int w = 0; w < m_warps; w += warps_of_group) {
        if (!group.active.warp(w))
            continue;
        const auto b = lane_value<std::uint64_t>(group, row.items[plan.after_a], 32 * w);
        if (b != spread)
            spread_b(group, plan, b);
        spread = b;
        multiply_warps(group, row, plan, w);
    }
    add_flops(group, 2ull * 16 * static_cast<std::uint64_t>(plan.form.n * plan.form.shape->k) *
                         static_cast<std::uint64_t>(group.running / 32));
    for (std::size_t i = 0; i < plan.sums; ++i)
        written(group, row.items[i]);
}

namespace {

// Registers of a warp, as read_tile() makes them.
struct TileRegisters {
    alignas(64) std::uint32_t all[4][32];
    const std::uint32_t* words[4] = {all[0], all[1], all[2], all[3]};

    void negate(const MmaShape& shape, int count) {
        for (int r = 0; r < count; ++r)
            for (std::uint32_t& word : all[r])
                word ^= sign_bits(shape);
    }
};

} // namespace

// All warps multiply with it, and mostly all warp groups do.
void Block::spread_b(Group& group, const WgmmaPlan& plan, std::uint64_t descriptor) {
    const WgmmaForm& form = plan.form;
    const MmaShape& shape = *form.shape;
    const SharedTile b(descriptor, shape.in_bytes, form.is_b_transposed);
    const TilePlan& places = tile_plan(group, b, descriptor, form.n, shape.k);
    std::uint32_t* out = spread_operands() + mma_a_words;
    if (!b.is_transposed && !form.negates_b)
        return m_table.spread_rows_b(shape, places.pieces.data(), static_cast<std::size_t>(places.pieces_along),
                                     form.n / 8, out);
    TileRegisters registers;
    for (int column = 0; column < form.n; column += 8, out += 8 * shape.k) {
        for (int r = 0; r < shape.b_registers; ++r)
            read_tile(m_table, places, b, column, r, registers.all[r]);
        if (form.negates_b)
            registers.negate(shape, shape.b_registers);
        m_table.spread_mma_b(shape, registers.words, out);
    }
}

// `known`: the tile of the warp before, which is mostly the same.
void Block::spread_a(Group& group, const artifact::Operands& row, const WgmmaPlan& plan, int w, KnownPlan& known,
                     std::uint32_t* out) {
    const WgmmaForm& form = plan.form;
    const MmaShape& shape = *form.shape;
    TileRegisters registers;
    if (form.a_in_registers) {
        for (int r = 0; r < shape.a_registers; ++r)
            std::memcpy(registers.all[r],
                        lanes(row.items[plan.sums + static_cast<std::size_t>(r)]) + sizeof registers.all[r] * w,
                        sizeof registers.all[r]);
    } else {
        const auto descriptor = lane_value<std::uint64_t>(group, row.items[plan.sums], 32 * w);
        const SharedTile a(descriptor, shape.in_bytes, form.is_a_transposed);
        if (!known.plan || known.key != descriptor)
            known = {descriptor, &tile_plan(group, a, descriptor, 16 * warps_of_group, shape.k)};
        const TilePlan& places = *known.plan;
        const int first = w % warps_of_group * 16;
        const auto along = static_cast<std::size_t>(places.pieces_along);
        if (!a.is_transposed && !form.negates_a)
            return m_table.spread_rows_a(shape, places.pieces.data() + static_cast<std::size_t>(first) * along, along,
                                         out);
        for (int r = 0; r < shape.a_registers; ++r)
            read_tile(m_table, places, a, first + r % 2 * 8, r / 2, registers.all[r]);
    }
    if (form.negates_a)
        registers.negate(shape, shape.a_registers);
    m_table.spread_mma_a(shape, registers.words, out);
}

// The warps of a group; b has been spread.
void Block::multiply_warps(Group& group, const artifact::Operands& row, const WgmmaPlan& plan, int first_warp) {
    const WgmmaForm& form = plan.form;
    const MmaShape& shape = *form.shape;
    const int tiles = form.n / 8, count = tiles * shape.c_registers;
    std::uint32_t* const spread = spread_operands();
    const void* columns[most_columns];
    for (int tile = 0; tile < tiles; ++tile)
        columns[tile] = spread + mma_a_words + tile * shape.k * 8;
    const auto lane_words = [&](std::size_t item, int w) {
        return reinterpret_cast<std::uint32_t*>(lanes(row.items[item])) + 32 * w;
    };
    std::uint32_t* sums[most_columns * 4];
    for (int i = 0; i < count; ++i)
        sums[i] = lane_words(static_cast<std::size_t>(i), 0);
    KnownPlan known;
    for (int w = first_warp; w < first_warp + warps_of_group; ++w) {
        spread_a(group, row, plan, w, known, spread);
        const bool starts = lane_value<std::int32_t>(group, row.items[plan.after_a + 1], 32 * w) == 0;
        for (int i = 0; starts && i < count; ++i)
            std::memset(lane_words(static_cast<std::size_t>(i), w), 0, 32 * sizeof(std::uint32_t));
        ask_ahead(lines_of_warp);
        m_table.mma(shape, sums, static_cast<std::size_t>(32 * w), spread, columns, tiles);
    }
}

} // namespace hidet::vm
