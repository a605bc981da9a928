// SPDX-License-Identifier: Apache-2.0
// Products of matrices that read their tiles from memory: those of warp groups, by descriptors, and the older ones of a warp.
#include <algorithm>
#include <charconv>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/intrinsics/mma.h"
#include "compiler/ir/intrinsics/wgmma.h"
#include "compiler/ir/intrinsics/wmma.h"
#include "compiler/ir/wide_access.h"
#include "compiler/prove/thread_state.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

constexpr std::int64_t unit = 16;              // of addresses in descriptors, in bytes
constexpr std::int64_t address_bits = 0x3FFFF; // that a descriptor can say, of an address
constexpr std::int64_t rows_of_unit = 8, rows_of_a = 64, bytes_of_step = 32;
constexpr int threads_of_group = 128;

struct Tile {
    std::int64_t across = 0, along = 0; // rows, and bytes of each
};

// How many bytes it takes from the row in which it begins.
std::int64_t span(const Tile& tile, std::int64_t row, std::int64_t stride_across, std::int64_t stride_along) {
    const auto last = [](std::int64_t count, std::int64_t of) { return (count + of - 1) / of - 1; };
    return last(tile.across, rows_of_unit) * stride_across + last(tile.along, row) * stride_along + rows_of_unit * row;
}

} // namespace

// ---- registers -------------------------------------------------------------------------------------------------------------

// Behind the address that an operand is; 0: that is not known.
std::int64_t ThreadValues::bytes_of_operand(const Intrinsic& expr, std::size_t operand) {
    constexpr std::int64_t a_of_group = 4;
    const auto words = [&](int a, int b, int c) { return bytes_of_word * std::array{a, b, c}.at(operand); };
    switch (expr.id) {
    case IntrinsicId::MmaSync: {
        const MmaShape& shape = info(attribute<Mma>(expr.attr));
        return words(shape.a_registers(), shape.b_registers(), shape.c_registers());
    }
    case IntrinsicId::WmmaMma: {
        const WmmaShape& shape = info(attribute<Wmma>(expr.attr));
        return words(shape.a_registers(), shape.b_registers(), shape.c_registers());
    }
    case IntrinsicId::WmmaLoadA: return bytes_of_word * info(attribute<Wmma>(expr.attr)).a_registers();
    case IntrinsicId::WmmaLoadB: return bytes_of_word * info(attribute<Wmma>(expr.attr)).b_registers();
    case IntrinsicId::WmmaStore: return bytes_of_word * info(attribute<Wmma>(expr.attr)).c_registers();
    case IntrinsicId::Wgmma:
    case IntrinsicId::WgmmaRegisters: {
        const bool is_half = word(attribute<WgmmaTypes>(expr.attr)).ends_with("_f16");
        return bytes_of_word *
               (operand == 0 ? a_of_group : columns_of(attribute<WgmmaN>(expr.attr)) / (is_half ? 4 : 2));
    }
    default: break;
    }
    if (const auto wide = wide_access(expr.id))
        return wide->bytes_of_register();
    if (const auto dtype = parameter_of(info(expr.id), operand, expr.args.size()).dtype)
        return bytes_of(*dtype);
    const TypeRef element = element_of(expr.args[operand]->type);
    return element ? bytes_of_element(element) : 0;
}

// ---- descriptors ------------------------------------------------------------------------------------------------------------

// What becomes of an address on its way into a descriptor; nothing: it is something else.
std::optional<Value> ThreadValues::descriptor_of(BinOp op, const Value& address, Term by) {
    const auto number = Terms::constant_of(by);
    Value out = as_number(address);
    out.index.clear(), out.shape.clear();
    const bool is_descriptor = address.descriptor.has_value();
    switch (op) {
    case BinOp::BitAnd: // shared memory ends below
        return number && !is_descriptor && (*number & address_bits) == address_bits ? std::optional(out) : std::nullopt;
    case BinOp::Shr:
        if (number != 4 || is_descriptor || !address.offset ||
            m_terms.remainder(address.offset, m_terms.constant(unit)) != m_terms.constant(0))
            return std::nullopt;
        out.descriptor = 0;
        return out;
    case BinOp::Add:
        if (!is_descriptor)
            return std::nullopt;
        out.offset = out.offset ? m_terms.add(out.offset, m_terms.scaled(by, unit)) : nullptr;
        return out;
    case BinOp::BitOr:
        if (!is_descriptor || !number || (*number & (address_bits / unit)) != 0)
            return std::nullopt;
        out.descriptor = *out.descriptor | *number;
        return out;
    default: return std::nullopt;
    }
}

// ---- products of a warp group -------------------------------------------------------------------------------------------------

// Each thread of the group makes it: a product is done for all of it at once.
void ThreadValues::read_tile(const Intrinsic& expr, const Value& tile, std::int64_t rows, bool is_transposed) {
    if (tile.object < 0 || !tile.descriptor)
        return obstacle(expr, {nullptr, "wgmma", true, false});
    const auto layout = static_cast<std::size_t>(*tile.descriptor >> 62 & 3);
    static constexpr std::int64_t bytes_of_row[] = {16, 128, 64, 32};
    const std::int64_t row = bytes_of_row[layout];
    const std::int64_t lead = (*tile.descriptor >> 16 & 0x3FFF) * unit,
                       stride = (*tile.descriptor >> 32 & 0x3FFF) * unit;
    const bool swaps = is_transposed && layout == 0;
    const Tile shape = is_transposed ? Tile{bytes_of_step / 2, rows * 2} : Tile{rows, bytes_of_step};
    const std::int64_t bytes = span(shape, row, swaps ? lead : stride, swaps ? stride : lead);
    Value from = tile;
    from.descriptor.reset();
    if (from.offset)
        from.offset = m_terms.scaled(m_terms.quotient(from.offset, m_terms.constant(row)), row);
    access_later(expr, Does::Reads, from, m_terms.constant(bytes), 1, EndsBy::Product, 0);
}

void ThreadValues::multiply_tiles(const Intrinsic& expr) {
    std::vector<Value> args;
    for (const ExprRef& arg : expr.args)
        args.push_back(eval(arg));
    meet_lanes(expr, threads_of_group);
    for (std::size_t i = 0; i < 2; ++i)
        access_operand(expr, i, args[i]);
    const std::string_view n = word(attribute<WgmmaN>(expr.attr));
    std::int64_t columns = 0;
    std::from_chars(n.data() + 1, n.data() + n.size(), columns);
    if (expr.id == IntrinsicId::Wgmma)
        read_tile(expr, args[0], rows_of_a, number_attribute(expr.attr, "trans_a") != 0);
    read_tile(expr, args[2], columns, number_attribute(expr.attr, "trans_b") != 0);
}

// ---- products of a warp ---------------------------------------------------------------------------------------------------------

// Rows, or columns, that lie a stride apart. Each lane may read all of it; what is written, the first one writes.
void ThreadValues::move_tile(const Intrinsic& expr) {
    const bool is_store = expr.id == IntrinsicId::WmmaStore;
    meet_lanes(expr);
    access_operand(expr, is_store ? 1 : 0, eval(expr.args[is_store ? 1 : 0]));
    const Value memory = eval(expr.args[is_store ? 0 : 1]);
    const Term stride = number(expr.args[2]);
    const std::string_view config = word(attribute<Wmma>(expr.attr)); // "m16n16k16_f16_f32"
    std::array<std::int64_t, 3> extents{};
    const char* at = config.data();
    for (std::int64_t& extent : extents)
        at = std::from_chars(at + 1, config.data() + config.size(), extent).ptr;
    const TypeRef element = element_of(expr.args[is_store ? 0 : 1]->type);
    const std::int64_t bytes = element ? size_in_bytes(element) : -1;
    if (bytes <= 0 || (is_store && m_has_syncs))
        return obstacle(expr, {nullptr, "a tile of wmma", true, false});
    const auto [m, n, k] = extents;
    std::int64_t rows = expr.id == IntrinsicId::WmmaLoadB ? k : m, columns = expr.id == IntrinsicId::WmmaLoadA ? k : n;
    if (attribute<TileOrder>(expr.attr) == TileOrder::col)
        std::swap(rows, columns);
    const Term lane = m_terms.remainder(linear_thread(m_terms, m_facts), m_terms.constant(32));
    const Term who = is_store ? m_terms.equal(lane, m_terms.constant(0)) : m_terms.truth(true);
    under(who, [&] {
        for (std::int64_t row = 0; row < rows; ++row)
            access(expr, is_store ? Does::Writes : Does::Reads, moved(memory, m_terms.scaled(stride, row * bytes)),
                   m_terms.constant(columns * bytes), bytes, bytes, true);
        return 0;
    });
}

} // namespace hidet::compiler::prove
