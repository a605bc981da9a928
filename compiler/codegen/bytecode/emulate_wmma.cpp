// SPDX-License-Identifier: Apache-2.0
// wmma is made of mma.sync of 16 x 8, whose registers are known. The longer side of a tile stands for their 16 rows, so that a
// product of 8 x 32 is that of the transposed tiles. Of f16 a GPU has each element twice; so has it here.
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsics/mma.h"
#include "compiler/ir/intrinsics/wmma.h"

namespace hidet::compiler::bytecode {

using ir::BinOp;
using ir::IntrinsicId;
using ir::TileOrder;
using ir::WmmaShape;

namespace {

// How many of the small products there are along each side.
struct Parts {
    explicit Parts(const WmmaShape& shape)
        : is_turned(shape.m == 8), tall((is_turned ? shape.n : shape.m) / 16),
          wide((is_turned ? shape.m : shape.n) / 8) {}
    bool is_turned; // b stands for the rows
    int tall, wide;
};

const ir::MmaShape& small_product(const WmmaShape& shape) {
    for (const ir::MmaShape& small : ir::mma_shapes)
        if (small.m == 16 && small.k == shape.k && small.in == shape.in && small.out == shape.out)
            return small;
    HIDET_CHECK(false, "a product of wmma that mma.sync has not");
}

} // namespace

// The elements that a lane has: of each the place is known but for how far the lane is from the first one.
struct IntrinsicGenerator::TileWalk {
    Place memory;
    Value stride;          // between rows or columns, in elements: a constant, or in a register
    Value lane;            // of the lane's first element, from that of lane 0 on, in elements
    bool is_outer_apart{}; // what lanes count by fours lies a stride apart, not what they count by one
    int bytes{};           // of an element
};

// Lane l stands at l / 4 of one direction and at l % 4 * pair of the other.
IntrinsicGenerator::TileWalk IntrinsicGenerator::tile_walk(const ir::Intrinsic& e, std::size_t address,
                                                           bool is_outer_apart, int pair) {
    const WmmaShape& shape = ir::info(ir::attribute<ir::Wmma>(e.attr));
    const bool is_sums = e.id == IntrinsicId::WmmaStore;
    const int registers = is_sums                          ? shape.c_registers()
                          : e.id == IntrinsicId::WmmaLoadA ? shape.a_registers()
                                                           : shape.b_registers();
    TileWalk walk{.memory = *place_of_pointer(e.args.at(address)),
                  .stride = convert(gen(e.args.back()), Scalar::I32),
                  .lane = {},
                  .is_outer_apart = is_outer_apart,
                  .bytes = ir::bytes_of(is_sums ? shape.out : shape.in)};
    if (!walk.stride.is_constant())
        walk.stride = in_register(operand(walk.stride), Scalar::I32);
    const Value pointer{
        .kind = Value::Kind::Pointer, .type = Scalar::U64, .place = std::make_shared<Place>(walk.memory)};
    const auto number = [](int n) { return constant(n, Scalar::I32); };
    const Value apart = arithmetic_scalar(BinOp::Mul, walk.stride, number(walk.bytes));
    m_builder.emit({.op = Op::WarpTile,
                    .type = Scalar::U64,
                    .a = operand(pointer),
                    .b = operand(apart),
                    .c = 4 * registers,
                    .x = string(std::string(ir::info(e.id).short_name()))});
    const std::int32_t lane = m_builder.new_v(Scalar::I32);
    m_builder.emit({.op = Op::LaneIdx, .type = Scalar::I32, .dst = lane});
    const Value index = in_register(lane, Scalar::I32);
    const Value outer = arithmetic_scalar(BinOp::BitAnd, arithmetic_scalar(BinOp::Shr, index, number(2)), number(7));
    const Value inner = arithmetic_scalar(BinOp::Mul, arithmetic_scalar(BinOp::BitAnd, index, number(3)), number(pair));
    walk.lane =
        arithmetic_scalar(BinOp::Add, arithmetic_scalar(BinOp::Mul, is_outer_apart ? outer : inner, walk.stride),
                          is_outer_apart ? inner : outer);
    return walk;
}

// The place of the element that is so far from the lane's first one.
static Place place_of(Place memory, const Value& stride, const Split& lane, std::int64_t apart, std::int64_t beside,
                      int bytes) {
    memory.terms.push_back({.index = lane, .stride = bytes});
    memory.offset += beside * bytes;
    if (stride.is_constant())
        memory.offset += apart * stride.integer() * bytes;
    else if (apart)
        memory.terms.push_back({.index = {.constant = apart}, .stride = bytes, .stride_u = stride.reg});
    return memory;
}

Place IntrinsicGenerator::place_in_tile(const TileWalk& walk, int outer, int inner) {
    const int apart = walk.is_outer_apart ? outer : inner, beside = walk.is_outer_apart ? inner : outer;
    if (walk.stride.is_constant() || is_u(walk.stride.reg))
        return place_of(walk.memory, walk.stride, split_of(walk.lane), apart, beside, walk.bytes);
    const Value further = arithmetic_scalar(BinOp::Mul, walk.stride, constant(apart, Scalar::I32));
    return place_of(walk.memory, constant(0, Scalar::I32), split_of(arithmetic_scalar(BinOp::Add, walk.lane, further)),
                    0, beside, walk.bytes);
}

// A register: one element of 32 bits, or two neighbours of 16.
Value IntrinsicGenerator::tile_word(const TileWalk& walk, int outer, int inner) {
    if (walk.bytes == 4 || walk.is_outer_apart)
        return load_scalar(place_in_tile(walk, outer, inner), Scalar::U32, 0, 4);
    const Value low = load_scalar(place_in_tile(walk, outer, inner), Scalar::U16, 0, 2);
    const Value high = load_scalar(place_in_tile(walk, outer, inner + 1), Scalar::U16, 0, 2);
    const Value shifted = arithmetic_scalar(BinOp::Shl, convert(high, Scalar::U32), constant(16, Scalar::U32));
    return arithmetic_scalar(BinOp::BitOr, convert(low, Scalar::U32), shifted);
}

Value IntrinsicGenerator::gen_tile_load(const ir::Intrinsic& e, bool is_left) {
    const WmmaShape& shape = ir::info(ir::attribute<ir::Wmma>(e.attr));
    const Parts parts(shape);
    const bool is_tall = is_left != parts.is_turned;
    const bool is_outer_apart = (ir::attribute<TileOrder>(e.attr) == TileOrder::row) == is_left;
    const int per = 4 / ir::bytes_of(shape.in), rows = is_tall ? 2 : 1;
    const Place registers = *place_of_pointer(e.args.at(0));
    const TileWalk walk = tile_walk(e, 1, is_outer_apart, per);
    const int used = 2 * rows * (is_tall ? parts.tall : parts.wide);
    const int all = is_left ? shape.a_registers() : shape.b_registers();
    std::vector<Value> words;
    for (int r = 0; r < used; ++r) {
        const int part = r / (2 * rows), row = r % rows, step = r / rows % 2;
        words.push_back(tile_word(walk, 8 * (rows * part + row), 4 * step * per));
    }
    for (int r = 0; r < all; ++r)
        store_scalar(registers, Scalar::U32, 4 * std::int64_t{r}, 4, words[static_cast<std::size_t>(r % used)]);
    return {};
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::WmmaMma>, const ir::Intrinsic& e) {
    const WmmaShape& shape = ir::info(ir::attribute<ir::Wmma>(e.attr));
    const ir::MmaShape& small = small_product(shape);
    const Parts parts(shape);
    const Words tall = words_of(e.args.at(parts.is_turned ? 1 : 0), 4 * parts.tall, true);
    const Words wide = words_of(e.args.at(parts.is_turned ? 0 : 1), 2 * parts.wide, true);
    const Words sums = sums_of(e.args.at(2), shape.c_registers());
    const int each = small.c_registers();
    for (int p = 0; p < parts.tall * parts.wide; ++p) {
        const auto* c = sums.regs.data() + each * p;
        const auto* a = tall.regs.data() + 4 * (p / parts.wide);
        const auto* b = wide.regs.data() + 2 * (p % parts.wide);
        std::vector<std::int32_t> items(c, c + each);
        items.insert(items.end(), a, a + 4);
        items.insert(items.end(), b, b + 2);
        const std::vector<Scalar> types(items.size(), Scalar::U32);
        m_builder.emit({.op = Op::Mma, .type = Scalar::U32, .x = operands_row(items, types, each, string(small.name))});
    }
    write_back(sums);
    return {};
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::WmmaStore>, const ir::Intrinsic& e) {
    const WmmaShape& shape = ir::info(ir::attribute<ir::Wmma>(e.attr));
    const Parts parts(shape);
    const Words sums = words_of(e.args.at(1), shape.c_registers(), true);
    const bool is_row = ir::attribute<TileOrder>(e.attr) == TileOrder::row;
    const TileWalk walk = tile_walk(e, 0, is_row != parts.is_turned, 2);
    const bool is_half = walk.bytes == 2;
    const auto store = [&](int outer, int inner, Scalar type, const Value& value) {
        store_scalar(place_in_tile(walk, outer, inner), type, 0, artifact::scalar_bytes(type), value);
    };
    for (std::size_t r = 0; r < sums.regs.size(); ++r) {
        const int first = static_cast<int>(r) * (is_half ? 2 : 1), product = first / 4, row = first / 2 % 2;
        const int outer = 16 * (product / parts.wide) + 8 * row, inner = 8 * (product % parts.wide) + first % 2;
        const Value word = in_register(sums.regs[r], Scalar::U32);
        if (!is_half || walk.is_outer_apart) {
            store(outer, inner, Scalar::U32, word);
            continue;
        }
        store(outer, inner, Scalar::U16, word);
        store(outer, inner + 1, Scalar::U16, arithmetic_scalar(BinOp::Shr, word, constant(16, Scalar::U32)));
    }
    return {};
}

} // namespace hidet::compiler::bytecode
