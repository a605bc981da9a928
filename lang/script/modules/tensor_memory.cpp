// SPDX-License-Identifier: Apache-2.0
// Tensor memory of Blackwell GPUs: calls whose operands depend on a shape, addresses and descriptors. The others are bound by
// their rows (intrinsics.cpp).
#include "compiler/ir/intrinsics/tensor_memory.h"

#include <algorithm>

#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"
#include "lang/script/operations.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

using ir::DType;
using ir::IntrinsicId;

// "32x32b" of the tuple (32, 32), "16x32bx2" of (16, 32, 2).
std::string shape_text(const Value& value, Span span) {
    if (!value.is(ValueKind::Tuple) && !value.is(ValueKind::List))
        return to_text(value, span, "shape");
    const std::vector<std::int64_t> sizes = to_ints(value, span, "a shape");
    std::string text;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        text += cat(i ? "x" : "", sizes[i], i == 1 ? "b" : "");
    return text;
}

// The words of a set are names of C++: those of shapes begin with a letter, those of lanes have one colon for two.
std::int16_t spelled(ir::ChoiceSet set, const std::string& text, std::string_view name, Span span) {
    std::vector<std::string> known;
    for (const std::string_view word : ir::words_of(set)) {
        const bool has_letter = word[0] == 's' && word.size() > 1 && word[1] >= '0' && word[1] <= '9';
        std::string shown(has_letter ? word.substr(1) : word);
        if (shown.starts_with("warpx2_"))
            shown.replace(shown.find('_'), 1, "::");
        if (shown == text)
            return static_cast<std::int16_t>(known.size());
        known.push_back(std::move(shown));
    }
    fail(DiagId::ScriptUnknownChoice, span, name, text, join(known, ", "));
}

// 4 of "x4" or 4.
Value times(const Value& value, Span span) {
    if (!value.is(ValueKind::Str))
        return value;
    const std::string text = to_text(value, span, "num");
    const bool is_number = text.size() > 1 && text.size() < 5 && text[0] == 'x' &&
                           std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number)
        fail(DiagId::ScriptUnknownChoice, span, "num", text, "x1, x2, x4, x8, x16, x32, x64, x128");
    return Value::integer(std::stoi(text.substr(1)));
}

int registers_of(const ir::IntrinsicAttr& attr, Span span) {
    const auto shape = ir::attribute<ir::TensorMemoryShape>(attr);
    const int num = ir::number_attribute(attr, "num"), count = ir::registers_of(shape, num);
    if (!count)
        fail(DiagId::ScriptUnknownChoice, span, cat("num of the shape ", ir::word(shape).substr(1)), cat("x", num),
             "those that take at most 128 registers");
    return count;
}

// What follows the two operands: shape, num, pack, and where the second half of a split shape lies.
ir::IntrinsicAttr transfer(IntrinsicId id, const Arguments& a, ir::ExprVec& operands) {
    ir::IntrinsicAttr attr = ir::default_attr(id);
    constexpr std::size_t shape = 2, num = 3, packed = 4, distance = 5;
    if (a.given(shape))
        attr.values[0] = spelled(ir::choice_set(ir::TensorMemoryShape{}), shape_text(a[shape], a.span(shape)), "shape",
                                 a.span(shape));
    if (a.given(num))
        set_attribute(attr, "num", times(a[num], a.span(num)), a.span(num));
    if (a.given(packed))
        attr.values[2] = to_bool(a[packed], a.span(packed), "'pack' or 'unpack'") ? 1 : 0;
    const bool is_split = ir::attribute<ir::TensorMemoryShape>(attr) == ir::TensorMemoryShape::s16x32bx2;
    const bool has_distance = a.has(distance);
    if (is_split != has_distance)
        fail(DiagId::ScriptUnknownChoice, a.span(distance), "imm_half_splitoff",
             has_distance ? to_int(a[distance], a.span(distance), "'imm_half_splitoff'") : 0,
             is_split ? "columns from 1 to 511, which the shape 16x32bx2 needs" : "None unless the shape is 16x32bx2");
    const std::int64_t columns =
        has_distance ? to_int(a[distance], a.span(distance), "'imm_half_splitoff'") : std::int64_t{0};
    if (columns < 0 || columns >= ir::tensor_memory_columns)
        fail(DiagId::ScriptUnknownChoice, a.span(distance), "imm_half_splitoff", columns, "columns from 0 to 511");
    operands.push_back(ir::int_constant(columns));
    return attr;
}

ir::ExprRef registers(const Arguments& a, std::size_t at, std::string_view name, int count) {
    const ir::ExprRef address = pointer_argument(a[at], a.span(at));
    const auto dtype = ir::scalar_of(pointee(address, a.span(at)));
    if (!dtype || ir::info(*dtype).bits != 32)
        fail(DiagId::ScriptRegisterSize, a.span(at), type_text(ir::element_of(address->type)));
    check_registers(address, a.span(at), "regs", name, count, *dtype);
    return address;
}

Value tcgen05_ld(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprVec rest;
    const ir::IntrinsicAttr attr = transfer(IntrinsicId::Tcgen05Load, a, rest);
    const ir::ExprRef regs = registers(a, 0, "tcgen05_ld", registers_of(attr, a.span(3)));
    return on_gpu(evaluator, "tcgen05_ld", attr, {regs, converted(evaluator, a[1], DType::U32, a.span(1)), rest[0]},
                  call);
}

Value tcgen05_st(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprVec rest;
    const ir::IntrinsicAttr attr = transfer(IntrinsicId::Tcgen05Store, a, rest);
    const ir::ExprRef regs = registers(a, 1, "tcgen05_st", registers_of(attr, a.span(3)));
    return on_gpu(evaluator, "tcgen05_st", attr, {converted(evaluator, a[0], DType::U32, a.span(0)), regs, rest[0]},
                  call);
}

// Which lanes get a copy depends on its shape.
void check_lanes(const ir::IntrinsicAttr& attr, Span span) {
    const auto shape = ir::attribute<ir::TensorCopyShape>(attr);
    const auto lanes = ir::attribute<ir::TensorCopyLanes>(attr);
    const bool is_pair = lanes == ir::TensorCopyLanes::warpx2_02_13 || lanes == ir::TensorCopyLanes::warpx2_01_23;
    const std::string what = cat("multicast of the shape ", ir::word(shape).substr(1));
    if (shape == ir::TensorCopyShape::s64x128b) {
        if (!is_pair)
            fail(DiagId::ScriptUnknownChoice, span, what, ir::word(lanes), "warpx2::02_13, warpx2::01_23");
    } else if (shape == ir::TensorCopyShape::s32x128b) {
        if (lanes != ir::TensorCopyLanes::warpx4)
            fail(DiagId::ScriptUnknownChoice, span, what, ir::word(lanes), "warpx4");
    } else if (lanes != ir::TensorCopyLanes::none) {
        fail(DiagId::ScriptUnknownChoice, span, what, ir::word(lanes), "None");
    }
}

Value tcgen05_cp(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::IntrinsicAttr attr = ir::default_attr(IntrinsicId::Tcgen05Copy);
    constexpr std::size_t shape = 2, lanes = 4, to = 5, from = 6;
    const auto word = [&](std::size_t i, ir::ChoiceSet set, std::string_view name) {
        if (a.has(i))
            attr.values[i - shape] = spelled(set, to_text(a[i], a.span(i), name), name, a.span(i));
    };
    attr.values[0] =
        spelled(ir::choice_set(ir::TensorCopyShape{}), shape_text(a[shape], a.span(shape)), "shape", a.span(shape));
    if (a.has(3))
        set_attribute(attr, "cta_group", a[3], a.span(3));
    word(lanes, ir::choice_set(ir::TensorCopyLanes{}), "multicast");
    word(to, ir::choice_set(ir::TensorCopyTarget{}), "dst_fmt");
    word(from, ir::choice_set(ir::TensorCopySource{}), "src_fmt");
    check_lanes(attr, a.span(lanes));
    if (a.has(to) != a.has(from))
        fail(DiagId::ScriptUnknownChoice, a.span(a.has(to) ? from : to), a.has(to) ? "src_fmt" : "dst_fmt", "None",
             a.has(to) ? "b6x16_p32, b4x16_p64" : "b8x16");
    return on_gpu(
        evaluator, "tcgen05_cp", attr,
        {converted(evaluator, a[0], DType::U32, a.span(0)), converted(evaluator, a[1], DType::U64, a.span(1))}, call);
}

// ---- addresses ------------------------------------------------------------------------------------------------------

std::int64_t within(const Arguments& a, std::size_t i, std::string_view name, std::int64_t highest) {
    const std::int64_t number = to_int(a[i], a.span(i), cat("'", name, "'"));
    if (number < 0 || number > highest)
        fail(DiagId::ScriptUnknownChoice, a.span(i), name, number, cat("0 to ", highest));
    return number;
}

Value tmem_address(Evaluator&, const Arguments& a, Span) {
    const std::int64_t lane = within(a, 0, "lane", 127);
    return Value::integer(lane << 16 | within(a, 1, "column", ir::tensor_memory_columns - 1));
}

// The lane and the column are moved apart, so that neither runs over into the other.
Value tmem_offset_address(Evaluator&, const Arguments& a, Span call) {
    const ir::ExprRef base = to_expr(a[0], a.span(0));
    const auto number = [](std::int64_t value) { return ir::int_constant(value); };
    const auto moved = [&](int from, std::int64_t mask, std::size_t by) {
        const ir::ExprRef shifted = from ? ir::shift_right(base, number(from)) : base;
        return ir::add(ir::bit_and(shifted, number(mask)), to_expr(a[by], a.span(by)));
    };
    return from_expr(typed(call, [&] {
        return ir::bit_or(ir::shift_left(moved(16, 127, 1), number(16)), moved(0, ir::tensor_memory_columns - 1, 2));
    }));
}

Value register_count(Evaluator&, const Arguments& a, Span) {
    ir::IntrinsicAttr attr = ir::default_attr(IntrinsicId::Tcgen05Load);
    attr.values[0] = spelled(ir::choice_set(ir::TensorMemoryShape{}), shape_text(a[0], a.span(0)), "shape", a.span(0));
    set_attribute(attr, "num", times(a[1], a.span(1)), a.span(1));
    return Value::integer(registers_of(attr, a.span(1)));
}

// ---- descriptors ----------------------------------------------------------------------------------------------------

ir::ExprRef u64_constant(std::uint64_t bits) {
    return ir::int_constant(static_cast<std::int64_t>(bits), DType::U64);
}

// (x & 0x3ffff) >> 4
ir::ExprRef encoded(const ir::ExprRef& bytes, Span span) {
    return typed(span, [&] {
        return ir::shift_right(ir::bit_and(ir::cast_to(bytes, DType::U64), u64_constant(0x3ffff)), u64_constant(4));
    });
}

Value encode_address(Evaluator&, const Arguments& a, Span call) {
    return from_expr(encoded(to_expr(a[0], a.span(0)), call));
}

// The part of a descriptor that does not depend on where the matrix lies. The bits 53 to 60 are zeros.
Value copy_descriptor(Evaluator&, const Arguments& a, Span call) {
    const auto distance = [&](std::size_t i, std::string_view name) {
        const ir::ExprRef bytes = to_expr(a[i], a.span(i));
        if (const auto known = ir::constant_int(bytes); known && (*known < 0 || *known >= 1 << 18 || *known % 16))
            fail(DiagId::ScriptUnknownChoice, a.span(i), name, *known, "multiples of 16 below 262144");
        return encoded(bytes, a.span(i));
    };
    const std::int64_t swizzle = a.given(2) ? to_int(a[2], a.span(2), "'swizzle_mode'") : 0;
    if (swizzle != 0 && swizzle != 1 && swizzle != 2 && swizzle != 4 && swizzle != 6)
        fail(DiagId::ScriptUnknownChoice, a.span(2), "swizzle_mode", swizzle, "0, 1, 2, 4, 6");
    const std::int64_t base = a.given(3) ? within(a, 3, "base_offset", 7) : 0;
    const bool is_absolute = a.given(4) && to_bool(a[4], a.span(4), "'use_absolute_addressing'");
    const std::uint64_t fixed = std::uint64_t{1} << 46 | static_cast<std::uint64_t>(base) << 49 |
                                std::uint64_t{is_absolute} << 52 | static_cast<std::uint64_t>(swizzle) << 61;
    const ir::ExprRef leading = distance(0, "leading_dim_offset"), stride = distance(1, "stride_dim_offset");
    return from_expr(typed(call, [&] {
        const ir::ExprRef distances =
            ir::bit_or(ir::shift_left(leading, u64_constant(16)), ir::shift_left(stride, u64_constant(32)));
        return ir::bit_or(distances, u64_constant(fixed));
    }));
}

ir::Tcgen05Kind kind_of(DType dtype, Span span) {
    for (const auto kind : {ir::Tcgen05Kind::f16, ir::Tcgen05Kind::tf32, ir::Tcgen05Kind::f8f6f4, ir::Tcgen05Kind::i8})
        if (ir::operand_code(kind, dtype))
            return kind;
    fail(DiagId::ScriptUnknownChoice, span, "a_dtype", ir::info(dtype).short_name,
         "f16, bf16, tf32, f8e4m3, f8e5m2, i8, u8");
}

const char* blocks_of(std::int64_t group) {
    return group == 1 ? "one block" : "two blocks";
}

// 32 bits: what tcgen05_mma multiplies.
Value product_descriptor(Evaluator&, const Arguments& a, Span) {
    const std::int64_t m = to_int(a[0], a.span(0), "'m'"), n = to_int(a[1], a.span(1), "'n'");
    const DType left = to_dtype(a[2], a.span(2)), right = to_dtype(a[3], a.span(3)), sum = to_dtype(a[4], a.span(4));
    const ir::Tcgen05Kind kind = kind_of(left, a.span(2));
    const std::int64_t group = a.given(5) ? to_int(a[5], a.span(5), "'cta_group'") : 1;
    if (group != 1 && group != 2)
        fail(DiagId::ScriptUnknownChoice, a.span(5), "cta_group", group, "1, 2");
    const auto right_code = ir::operand_code(kind, right), sum_code = ir::sum_code(kind, sum);
    if (!right_code || (kind == ir::Tcgen05Kind::f16 && right != left))
        fail(DiagId::ScriptUnknownChoice, a.span(3), cat("b_dtype beside ", ir::info(left).short_name),
             ir::info(right).short_name, "the types that are multiplied with it");
    if (!sum_code || (left == DType::BF16 && sum == DType::F16))
        fail(DiagId::ScriptUnknownChoice, a.span(4), cat("out_dtype of ", ir::info(left).short_name),
             ir::info(sum).short_name, kind == ir::Tcgen05Kind::i8 ? "i32" : "f32, and f16 of f16 and 8-bit floats");
    if (!ir::is_product_tile(kind, m, n, static_cast<int>(group)))
        fail(DiagId::ScriptUnknownChoice, a.span(0), cat("the tile of a product of ", blocks_of(group)), cat(m, "x", n),
             ir::product_tiles(static_cast<int>(group)));
    ir::ProductDescriptor made;
    const auto flag = [&](std::size_t i, std::string_view name, int at, bool is_for_integers) {
        const bool is_set = a.given(i) && to_bool(a[i], a.span(i), name);
        if (is_set && name != "'trans_a'" && name != "'trans_b'" && is_for_integers != (kind == ir::Tcgen05Kind::i8))
            fail(DiagId::ScriptUnknownChoice, a.span(i), name, "True",
                 is_for_integers ? "False: floats are not cut off" : "False: integers have no such form");
        made.set(at, is_set ? 1 : 0);
    };
    made.set(4, *sum_code);
    made.set(7, *ir::operand_code(kind, left));
    made.set(10, *right_code);
    made.set(17, static_cast<std::uint32_t>(n) >> 3);
    made.set(24, static_cast<std::uint32_t>(m) >> 4);
    flag(6, "'trans_a'", 15, false);
    flag(7, "'trans_b'", 16, false);
    flag(8, "'negate_a'", 13, false);
    flag(9, "'negate_b'", 14, false);
    flag(10, "'saturate'", 3, true);
    return Value::expr(ir::int_constant(made.bits, DType::U32));
}

} // namespace

void check_tensor_columns(const ir::ExprRef& columns, Span span) {
    const auto count = ir::constant_int(columns);
    if (count && (*count < 32 || *count > ir::tensor_memory_columns || (*count & (*count - 1)) != 0))
        fail(DiagId::ScriptUnknownChoice, span, "num_cols", *count, "32, 64, 128, 256, 512");
}

void check_tensor_product(const ir::IntrinsicAttr& attr, const ir::ExprRef& descriptor, Span span) {
    const auto bits = ir::constant_int(descriptor);
    if (!bits)
        return;
    const ir::ProductDescriptor what{static_cast<std::uint32_t>(*bits)};
    const auto kind = ir::attribute<ir::Tcgen05Kind>(attr);
    const int group = ir::number_attribute(attr, "cta_group");
    if (!ir::is_product_tile(kind, what.rows(), what.columns(), group))
        fail(DiagId::ScriptUnknownChoice, span, cat("the tile of a product of ", blocks_of(group)),
             cat(what.rows(), "x", what.columns()), ir::product_tiles(group));
    const bool is_tf32 = kind == ir::Tcgen05Kind::tf32;
    const std::uint32_t last = kind == ir::Tcgen05Kind::f8f6f4 ? 5 : is_tf32 ? 2 : 1;
    const std::uint32_t first = is_tf32 ? 2 : 0;
    const bool has_types = std::min(what.left(), what.right()) >= first && std::max(what.left(), what.right()) <= last;
    if (!has_types || (kind == ir::Tcgen05Kind::i8) != (what.sums() == 2))
        fail(DiagId::ScriptUnknownChoice, span, cat("the descriptor of a product of the kind ", ir::word(kind)),
             cat("of the types ", what.left(), ", ", what.right(), " and sums ", what.sums()),
             "those that make_tcgen05_instruction_desc() makes for it");
}

void export_tensor_memory(HostModule& module) {
    module.function("tcgen05_ld", {"regs", "tmem_addr", "shape=", "num=", "pack=", "imm_half_splitoff="}, tcgen05_ld);
    module.function("tcgen05_st", {"tmem_addr", "regs", "shape=", "num=", "unpack=", "imm_half_splitoff="}, tcgen05_st);
    module.function("tcgen05_cp",
                    {"tmem_addr", "shared_desc", "shape", "cta_group=", "multicast=", "dst_fmt=", "src_fmt="},
                    tcgen05_cp);
    module.function("compute_tmem_address", {"lane", "column"}, tmem_address);
    module.function("compute_tmem_offset_address", {"base_addr", "lane_offset", "column_offset", "allocated_columns="},
                    tmem_offset_address);
    module.function("get_register_count", {"shape", "num"}, register_count);
    module.function("matrix_descriptor_encode", {"addr"}, encode_address);
    module.function(
        "make_tcgen05_cp_desc",
        {"leading_dim_offset", "stride_dim_offset", "swizzle_mode=", "base_offset=", "use_absolute_addressing="},
        copy_descriptor);
    module.function("make_tcgen05_instruction_desc",
                    {"m", "n", "a_dtype", "b_dtype", "out_dtype",
                     "cta_group=", "trans_a=", "trans_b=", "negate_a=", "negate_b=", "saturate="},
                    product_descriptor);
}

} // namespace hidet::lang
