// SPDX-License-Identifier: Apache-2.0
// A product is done when it is issued.
#include "runtime/vm/matrix/wgmma.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <string>

#include "lang/base/check.h"
#include "lang/base/text.h"
#include "runtime/vm/async/swizzle.h"
#include "runtime/vm/block.h"

namespace hidet::vm {

namespace {

constexpr int piece_bytes = 16;
constexpr int columns_together = 2;      // tiles of 8 whose sums all warps of a group add to before those of the next
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
const std::byte* WarpGroupProducts::shared_bytes(Group& group, std::int64_t place, int bytes) {
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
TilePlan& WarpGroupProducts::tile_plan(Group& group, std::uint64_t descriptor, const WgmmaForm& form, bool is_a) {
    const MmaShape& shape = *form.shape;
    const bool is_transposed = is_a ? form.is_a_transposed : form.is_b_transposed;
    const int rows = is_a ? 16 * warps_of_group : form.n, depth = shape.k;
    const std::uint64_t key = mix(mix(descriptor, static_cast<std::uint64_t>(shape.in_bytes) << 1 | is_transposed),
                                  static_cast<std::uint64_t>(rows) << 16 | static_cast<std::uint64_t>(depth));
    KnownPlan& known = m_known_plans.at(key % m_known_plans.size());
    if (known.plan && known.key == key)
        return *known.plan;
    TilePlan& plan = m_tile_plans[key];
    if (!plan.pieces.empty()) {
        known = {key, &plan};
        return plan;
    }
    const SharedTile tile(descriptor, shape.in_bytes, is_transposed);
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
static void read_tile(const VectorTable& table, const TilePlan& plan, bool is_transposed, int element, int mn, int part,
                      std::uint32_t* words) {
    const auto pieces = static_cast<std::size_t>(plan.pieces_along);
    if (!is_transposed)
        return table.gather_rows(plan.pieces.data() + static_cast<std::size_t>(mn) * pieces + part, pieces, false,
                                 words);
    const int each = piece_bytes / element; // of a piece, along m or n
    if (each == 8)
        return table.gather_rows(plan.pieces.data() + static_cast<std::size_t>(part * 8) * pieces + mn / 8, pieces,
                                 true, words);
    auto* out = reinterpret_cast<std::byte*>(words);
    for (int e = 0; e < each; ++e)
        for (int i = 0; i < 8; ++i) {
            const auto at =
                static_cast<std::size_t>(part * each + e) * pieces + static_cast<std::size_t>((mn + i) / each);
            std::memcpy(out + piece_bytes * i + e * element, plan.pieces[at] + (mn + i) % each * element,
                        static_cast<std::size_t>(element));
        }
}

int products_behind(const Code& code, std::uint32_t pc) {
    const Function& function = *code.function;
    const artifact::Operands& first = function.operands[static_cast<std::size_t>(code.steps[pc].instr.x)];
    const auto sums = first.items.begin() + first.definitions;
    std::vector<std::int32_t> busy;
    const auto add = [&](const artifact::Operands& row) {
        for (std::size_t k = 0; k < row.items.size(); ++k)
            if (artifact::is_v(row.items[k]) && row.types[k] == Scalar::U32)
                busy.push_back(row.items[k]);
    };
    add(first);
    int count = 0;
    for (std::size_t at = pc + 1; at < code.steps.size() && count < ProductChain::most - 1; ++at) {
        const Step& step = code.steps[at];
        if (step.op == Op::Wgmma) {
            const artifact::Operands& row = function.operands[static_cast<std::size_t>(step.instr.x)];
            const bool is_alike = row.text == first.text && row.definitions == first.definitions &&
                                  std::equal(first.items.begin(), sums, row.items.begin());
            if (!is_alike)
                break;
            add(row);
            ++count;
            continue;
        }
        bool is_apart = step.is_vector || step.is_scalar;
        for_each_register(function, step.instr, [&](std::int32_t r, Role) { // or a pair of them
            is_apart =
                is_apart && std::ranges::find(busy, r) == busy.end() && std::ranges::find(busy, r + 1) == busy.end();
        });
        if (!is_apart)
            break;
    }
    return count;
}

// What is known of a product before it runs.
const WgmmaPlan& WarpGroupProducts::wgmma_plan(const Step& step) {
    m_wgmma_plans.resize(m_function.operands.size());
    std::unique_ptr<WgmmaPlan>& plan = m_wgmma_plans[static_cast<std::size_t>(step.instr.x)];
    if (plan)
        return *plan;
    const artifact::Operands& row = operands_of(step);
    plan = std::make_unique<WgmmaPlan>();
    plan->pc = static_cast<std::uint32_t>(&step - m_context.code->steps.data());
    plan->behind = m_context.shows_lines() ? 0 : products_behind(*m_context.code, plan->pc);
    plan->form = wgmma_form(string_at(row.text));
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

// Mostly that of the warp before.
TilePlan& WarpGroupProducts::plan_of_a(Group& group, ProductChain::Product& product, int w) {
    TilePlan*& plan = product.a.at(static_cast<std::size_t>(w));
    if (plan)
        return *plan;
    const std::int32_t operand = product.row->items[product.plan->sums];
    const auto descriptor = lane_value<std::uint64_t>(group, operand, 32 * w);
    if (w % warps_of_group && lane_value<std::uint64_t>(group, operand, 32 * (w - 1)) == descriptor)
        return *(plan = product.a.at(static_cast<std::size_t>(w - 1)));
    return *(plan = &tile_plan(group, descriptor, product.plan->form, true));
}

TilePlan& WarpGroupProducts::plan_of_b(Group& group, ProductChain::Product& product, int w) {
    TilePlan*& plan = product.b.at(static_cast<std::size_t>(w / warps_of_group));
    if (!plan)
        plan = &tile_plan(group, lane_value<std::uint64_t>(group, product.row->items[product.plan->after_a], 32 * w),
                          product.plan->form, false);
    return *plan;
}

bool WarpGroupProducts::starts_at(const Group& group, const ProductChain::Product& product, int w) const {
    return lane_value<std::int32_t>(group, product.row->items[product.plan->after_a + 1], 32 * w) == 0;
}

void WarpGroupProducts::multiply_group(Group& group, const Step& step) {
    if (!m_block.warp_groups.gathers(group, step))
        return;
    const WgmmaPlan& plan = wgmma_plan(step);
    if (m_timeline)
        m_block.observer.note_products(group, 2ull * 16 * static_cast<std::uint64_t>(plan.form.n * plan.form.shape->k));
    ProductChain::Product product{&plan, &operands_of(step)};
    std::uint32_t starts = 0;
    for (int w = 0; w < m_warps; ++w)
        starts |= group.active.warp(w) && starts_at(group, product, w) ? 1u << w : 0u;
    if (starts)
        finish_chain(group);
    if (!m_chain.count) {
        m_chain.behind = plan.pc == group.pc - 1 ? plan.behind : 0;
        m_chain.starts = starts;
        if (m_tile_plans.size() >= most_plans) {
            if (m_order)
                m_shadow->enter_tiles(*m_order); // which refer to them
            m_tile_plans.clear();
            m_known_plans = {};
        }
    } else {
        --m_chain.behind;
    }
    if (m_order)
        check_products(group, product);
    for (int w : running_warps(group)) {
        if (w % warps_of_group == 0)
            plan_of_b(group, product, w);
        if (!plan.form.a_in_registers)
            plan_of_a(group, product, w);
    }
    m_chain.products.at(static_cast<std::size_t>(m_chain.count++)) = product;
    m_block.add_flops(group, 2ull * 16 * static_cast<std::uint64_t>(plan.form.n * plan.form.shape->k) *
                                 static_cast<std::uint64_t>(group.running / 32));
    if (!m_chain.behind)
        finish_chain(group);
}

void WarpGroupProducts::finish_chain(Group& group) {
    if (!m_chain.count)
        return;
    const WgmmaPlan& plan = *m_chain.products.front().plan;
    int spread = -1; // the warp group whose b are
    for (int w = 0; w < m_warps; w += warps_of_group) {
        if (!group.active.warp(w))
            continue;
        const auto has_other_b = [&](const ProductChain::Product& product) {
            return product.b.at(static_cast<std::size_t>(w / warps_of_group)) !=
                   product.b.at(static_cast<std::size_t>(spread / warps_of_group));
        };
        const auto products = std::span(m_chain.products).first(static_cast<std::size_t>(m_chain.count));
        if (spread < 0 || std::ranges::any_of(products, has_other_b))
            spread_chain_b(w);
        spread = w;
        multiply_chain(w);
    }
    for (std::size_t i = 0; i < plan.sums; ++i)
        written(group, m_chain.products.front().row->items[i]);
    m_chain.count = 0;
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

// Words of what is spread of a b.
static std::size_t spread_b_words(const WgmmaForm& form) {
    return static_cast<std::size_t>(form.n) * static_cast<std::size_t>(form.shape->k);
}

// All warps multiply with it, and mostly all warp groups do.
void WarpGroupProducts::spread_chain_b(int first_warp) {
    std::uint32_t* out = m_block.matrix.spread_operands() + chain_a_words;
    for (int i = 0; i < m_chain.count; ++i) {
        const ProductChain::Product& product = m_chain.products.at(static_cast<std::size_t>(i));
        spread_b(product.plan->form, *product.b.at(static_cast<std::size_t>(first_warp / warps_of_group)), out);
        out += spread_b_words(product.plan->form);
    }
}

void WarpGroupProducts::spread_b(const WgmmaForm& form, const TilePlan& places, std::uint32_t* out) {
    const MmaShape& shape = *form.shape;
    if (!form.is_b_transposed && !form.negates_b)
        return m_table.spread_rows_b(shape, places.pieces.data(), static_cast<std::size_t>(places.pieces_along),
                                     form.n / 8, out);
    TileRegisters registers;
    for (int column = 0; column < form.n; column += 8, out += 8 * shape.k) {
        for (int r = 0; r < shape.b_registers; ++r)
            read_tile(m_table, places, form.is_b_transposed, shape.in_bytes, column, r, registers.all[r]);
        if (form.negates_b)
            registers.negate(shape, shape.b_registers);
        m_table.spread_mma_b(shape, registers.words, out);
    }
}

void WarpGroupProducts::spread_a(const ProductChain::Product& product, int w, std::uint32_t* out) {
    const WgmmaForm& form = product.plan->form;
    const MmaShape& shape = *form.shape;
    TileRegisters registers;
    if (form.a_in_registers) {
        for (int r = 0; r < shape.a_registers; ++r)
            std::memcpy(registers.all[r],
                        lanes(product.row->items[product.plan->sums + static_cast<std::size_t>(r)]) +
                            sizeof registers.all[r] * static_cast<std::size_t>(w),
                        sizeof registers.all[r]);
    } else {
        const TilePlan& places = *product.a.at(static_cast<std::size_t>(w));
        const int first = w % warps_of_group * 16;
        const auto along = static_cast<std::size_t>(places.pieces_along);
        if (!form.is_a_transposed && !form.negates_a)
            return m_table.spread_rows_a(shape, places.pieces.data() + static_cast<std::size_t>(first) * along, along,
                                         out);
        for (int r = 0; r < shape.a_registers; ++r)
            read_tile(m_table, places, form.is_a_transposed, shape.in_bytes, first + r % 2 * 8, r / 2,
                      registers.all[r]);
    }
    if (form.negates_a)
        registers.negate(shape, shape.a_registers);
    m_table.spread_mma_a(shape, registers.words, out);
}

// The warps of a group, whose b have been spread: some columns of all warps, which share what is spread of b for them, then the next.
void WarpGroupProducts::multiply_chain(int first_warp) {
    const ProductChain::Product& front = m_chain.products.front();
    const WgmmaForm& form = front.plan->form;
    const MmaShape& shape = *form.shape;
    const int tiles = form.n / 8, count = tiles * shape.c_registers;
    std::uint32_t* const spread = m_block.matrix.spread_operands();
    const auto a_of = [&](int w, int i) {
        return spread + static_cast<std::ptrdiff_t>(w % warps_of_group * ProductChain::most + i) * mma_a_words;
    };
    const void* columns[most_columns];
    for (int tile = 0; tile < tiles; ++tile)
        columns[tile] = spread + chain_a_words + tile * shape.k * 8;
    std::uint32_t* sums[most_columns * 4];
    for (int i = 0; i < count; ++i)
        sums[i] = reinterpret_cast<std::uint32_t*>(lanes(front.row->items[static_cast<std::size_t>(i)]));
    for (int w = first_warp; w < first_warp + warps_of_group; ++w) {
        for (int i = 0; i < m_chain.count; ++i)
            spread_a(m_chain.products.at(static_cast<std::size_t>(i)), w, a_of(w, i));
        for (int i = 0; (m_chain.starts >> w & 1u) && i < count; ++i)
            std::memset(sums[i] + std::ptrdiff_t{32} * w, 0, 32 * sizeof(std::uint32_t));
    }
    const MmaParts parts{m_chain.count, mma_a_words, spread_b_words(form)};
    for (int tile = 0; tile < tiles; tile += columns_together) {
        const int together = std::min(columns_together, tiles - tile);
        m_block.bulk.ask_ahead(lines_of_warp * warps_of_group * m_chain.count * together / tiles);
        for (int w = first_warp; w < first_warp + warps_of_group; ++w)
            m_table.mma(shape, sums + tile * shape.c_registers, static_cast<std::size_t>(32 * w), a_of(w, 0),
                        columns + tile, together, parts);
    }
}

} // namespace hidet::vm
