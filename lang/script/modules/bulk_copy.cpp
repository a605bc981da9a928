// SPDX-License-Identifier: Apache-2.0
// Copies of the copy unit: calls whose arguments are more than the operands of an intrinsic.
#include "compiler/ir/intrinsics/bulk_copy.h"
#include "lang/base/tensor_map_rules.h"
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

using ir::IntrinsicId;

// ---- tensor maps ------------------------------------------------------------------------------------------------------

// "NONE", "32B": a number of bytes that the row allows.
std::int16_t bytes_of_word(const Value& value, Span span, std::string_view parameter,
                           std::initializer_list<int> allowed) {
    const std::string text = to_text(value, span, parameter);
    std::vector<std::string> known;
    for (int bytes : allowed) {
        known.push_back(bytes ? cat(bytes, "B") : "NONE");
        if (known.back() == text)
            return static_cast<std::int16_t>(bytes);
    }
    throw DiagnosticError(Diagnostic::make(DiagId::ScriptUnknownChoice, span, parameter, text, join(known, ", "))
                              .suggest(span, text, known));
}

std::optional<ir::TensorMapType> map_type(ir::DType dtype) {
    switch (dtype) {
    case ir::DType::F8E4M3:
    case ir::DType::F8E5M2:
    case ir::DType::I8:
    case ir::DType::U8: return ir::TensorMapType::u8;
    case ir::DType::I16:
    case ir::DType::U16: return ir::TensorMapType::u16;
    case ir::DType::U32: return ir::TensorMapType::u32;
    case ir::DType::I32: return ir::TensorMapType::i32;
    case ir::DType::U64: return ir::TensorMapType::u64;
    case ir::DType::I64: return ir::TensorMapType::i64;
    case ir::DType::F16: return ir::TensorMapType::f16;
    case ir::DType::F32: return ir::TensorMapType::f32;
    case ir::DType::F64: return ir::TensorMapType::f64;
    case ir::DType::BF16: return ir::TensorMapType::bf16;
    case ir::DType::TF32: return ir::TensorMapType::tf32;
    default: return std::nullopt;
    }
}

ir::TensorMapType map_type_argument(const Value& value, Span span) {
    const ir::DType dtype = to_dtype(value, span);
    if (const auto type = map_type(dtype))
        return *type;
    fail(DiagId::ScriptUnknownChoice, span, "the type of a tensor map", ir::info(dtype).short_name,
         "f16, bf16, f32, f64, tf32, f8e4m3, f8e5m2, and integers");
}

bool is_local_tensor(const Value& value) {
    return value.is(ValueKind::Expr) && ir::tensor_of(value.as_expr()->type);
}

// The first elements of a tensor of the host function, in which upstream's scripts hand on what they count.
std::vector<Value> elements_of(Evaluator& evaluator, const Value& tensor, std::size_t count, Span span) {
    const ir::TensorType& type = *ir::tensor_of(tensor.as_expr()->type);
    const auto extent = type.shape.size() == 1 ? ir::constant_int(type.shape[0]) : std::nullopt;
    std::vector<Value> items;
    for (std::size_t i = 0; i < (extent ? static_cast<std::size_t>(*extent) : count); ++i)
        items.push_back(evaluator.subscript(tensor, Value::integer(static_cast<std::int64_t>(i)), span, span));
    return items;
}

// Adds the operands, and gives what of them is known.
TensorMapShape::Numbers add_numbers(Evaluator& evaluator, const Value& list, std::size_t count, std::string_view name,
                                    Span span, ir::ExprVec& out) {
    const std::vector<Value> items =
        is_local_tensor(list) ? elements_of(evaluator, list, count, span) : evaluator.iterate(list, span);
    if (items.size() != count)
        fail(DiagId::ScriptUnknownChoice, span, cat("the length of ", name), items.size(), count);
    TensorMapShape::Numbers known;
    for (const Value& item : items) {
        out.push_back(converted(evaluator, item, ir::DType::I64, span));
        known.push_back(ir::constant_int(out.back()));
    }
    return known;
}

// How a map is described, parameter by parameter, as upstream's create_tensor_map has it; images have corners, channels and
// pixels in place of a box.
struct MapParameters {
    std::size_t size = 4, stride = 5, box = 6, steps = 7, words = 8;
    std::size_t lower = 0, upper = 0, pixels = 0; // 0: none
};

// The argument that is at fault.
Span place_of(const TensorMapFault& fault, const Arguments& a, const MapParameters& at) {
    switch (fault.part) {
    case TensorMapFault::Part::Extents: return a.span(at.size);
    case TensorMapFault::Part::Strides: return a.span(at.stride);
    case TensorMapFault::Part::Box: return a.span(at.box);
    case TensorMapFault::Part::Steps: return a.span(at.steps);
    case TensorMapFault::Part::Interleave: return a.span(at.words);
    case TensorMapFault::Part::Corners: return a.span(at.lower);
    case TensorMapFault::Part::Pixels: return a.span(at.pixels);
    }
    return a.span(at.size);
}

ir::IntrinsicAttr map_attributes(IntrinsicId id, const Arguments& a, const MapParameters& at) {
    ir::IntrinsicAttr attr = ir::with(ir::default_attr(id), map_type_argument(a[1], a.span(1)));
    set_attribute(attr, "rank", a[2], a.span(2));
    const auto set = [&](std::size_t i, const char* name, std::initializer_list<int> allowed) {
        if (a.given(i))
            attr.values[ir::attr_index(attr.id, name)] = bytes_of_word(a[i], a.span(i), name, allowed);
    };
    set(at.words, "interleave", {0, 16, 32});
    set(at.words + 1, "swizzle", {0, 32, 64, 128});
    set(at.words + 2, "l2_promotion", {0, 64, 128, 256});
    return attr;
}

Value make_map(IntrinsicId id, Evaluator& evaluator, const Arguments& a, const MapParameters& at, Span call) {
    Operations::of(evaluator).need_host(ir::info(id).short_name(), call);
    const ir::IntrinsicAttr attr = map_attributes(id, a, at);
    const auto rank = static_cast<std::size_t>(ir::number_attribute(attr, "rank"));
    ir::ExprVec operands{pointer_argument(a[0], a.span(0)), pointer_argument(a[3], a.span(3))};
    const auto list = [&](std::size_t i, std::size_t count, std::string_view name) {
        return add_numbers(evaluator, a[i], count, name, a.span(i), operands);
    };
    const auto number = [&](std::size_t i) {
        operands.push_back(converted(evaluator, a[i], ir::DType::I64, a.span(i)));
        return ir::constant_int(operands.back());
    };
    TensorMapShape shape{.element_bytes = ir::bytes_of(to_dtype(a[1], a.span(1))),
                         .interleave = ir::number_attribute(attr, "interleave"),
                         .swizzle = ir::number_attribute(attr, "swizzle")};
    shape.extents = list(at.size, rank, "size");
    shape.strides = list(at.stride, rank - 1, "stride");
    if (at.pixels) {
        shape.lower = list(at.lower, rank - 2, "lower_corner");
        shape.upper = list(at.upper, rank - 2, "upper_corner");
        shape.box = {number(at.box)};
        shape.pixels = number(at.pixels);
    } else {
        shape.box = list(at.box, rank, "box_size");
    }
    shape.steps = list(at.steps, rank, "elem_stride");
    if (const auto fault = fault_of(shape))
        fail(DiagId::ScriptTensorMap, place_of(*fault, a, at), fault->text);
    return Value::expr(typed(call, [&] { return ir::make_intrinsic(attr, std::move(operands), nullptr); }));
}

Value create_tensor_map(Evaluator& evaluator, const Arguments& a, Span call) {
    return make_map(IntrinsicId::CreateTensorMap, evaluator, a, {}, call);
}

Value create_im2col_tensor_map(Evaluator& evaluator, const Arguments& a, Span call) {
    return make_map(IntrinsicId::CreateIm2colMap, evaluator, a,
                    {.box = 8, .steps = 10, .words = 11, .lower = 6, .upper = 7, .pixels = 9}, call);
}

// The map itself or its address.
ir::ExprRef map_argument(const Value& value, Span span) {
    ir::ExprRef expr = to_expr(value, span);
    if (ir::is_tensor_map(expr->type))
        return ir::make_address(expr);
    const ir::TypeRef behind = ir::element_of(expr->type);
    if (!behind || !ir::is_tensor_map(behind))
        fail(DiagId::ScriptNotAPointer, span, describe(value));
    return expr;
}

ir::ExprRef mask_argument(Evaluator& evaluator, const Value* mask, Span span) {
    if (!mask || mask->is(ValueKind::None))
        return ir::int_constant(0, ir::DType::U16);
    return converted(evaluator, *mask, ir::DType::U16, span);
}

void add_coordinates(Evaluator& evaluator, const Value& dim, const std::vector<Value>& coords, Span dim_span, Span call,
                     ir::ExprVec& out) {
    const std::int64_t count = to_int(dim, dim_span, "'dim'");
    if (count < 1 || count > 5)
        fail(DiagId::ScriptUnknownChoice, dim_span, "dim", count, "1 to 5");
    if (static_cast<std::int64_t>(coords.size()) != count)
        fail(DiagId::ScriptUnknownChoice, call, "the number of coordinates", coords.size(), count);
    for (const Value& coord : coords)
        out.push_back(converted(evaluator, coord, ir::DType::I32, call));
}

// Those of the intrinsic, with the word that argument `i` gives for one of them, if it is given.
ir::IntrinsicAttr attributes_of(IntrinsicId id, const Arguments& a, std::size_t i, const char* name) {
    auto attr = ir::default_attr(id);
    if (a.given(i))
        set_attribute(attr, name, a[i], a.span(i));
    return attr;
}

Value copy_tensor_g2s(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprVec operands{pointer_argument(a[1], a.span(1)), map_argument(a[2], a.span(2)),
                         pointer_argument(a[3], a.span(3)), mask_argument(evaluator, a.find(4), a.span(4))};
    add_coordinates(evaluator, a[0], a.rest(), a.span(0), call, operands);
    return on_gpu(evaluator, "copy_tensor_g2s", attributes_of(IntrinsicId::CopyTensorG2S, a, 5, "evict_policy"),
                  std::move(operands), call);
}

// `offsets`: the place in the filter, in all dimensions but channels and images.
Value copy_im2col_g2s(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprVec operands{pointer_argument(a[1], a.span(1)), map_argument(a[2], a.span(2)),
                         pointer_argument(a[3], a.span(3)), mask_argument(evaluator, a.find(5), a.span(5))};
    add_coordinates(evaluator, a[0], a.rest(), a.span(0), call, operands);
    const std::vector<Value> offsets = evaluator.iterate(a[4], a.span(4));
    if (a.rest().size() < 3 || offsets.size() + 2 != a.rest().size())
        fail(DiagId::ScriptUnknownChoice, a.span(4), "the length of offsets", offsets.size(),
             "'dim' - 2, where 'dim' is 3, 4 or 5");
    for (const Value& offset : offsets)
        operands.push_back(converted(evaluator, offset, ir::DType::I32, a.span(4)));
    return on_gpu(evaluator, "copy_im2col_g2s", attributes_of(IntrinsicId::CopyIm2colG2S, a, 6, "evict_policy"),
                  std::move(operands), call);
}

Value copy_tensor_s2g(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprVec operands{pointer_argument(a[1], a.span(1)), map_argument(a[2], a.span(2))};
    add_coordinates(evaluator, a[0], a.rest(), a.span(0), call, operands);
    return on_gpu(evaluator, "copy_tensor_s2g", ir::default_attr(IntrinsicId::CopyTensorS2G), std::move(operands),
                  call);
}

Value copy_tensor_reduce_s2g(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprVec operands{pointer_argument(a[1], a.span(1)), map_argument(a[2], a.span(2))};
    add_coordinates(evaluator, a[0], a.rest(), a.span(0), call, operands);
    return on_gpu(evaluator, "copy_tensor_reduce_s2g", attributes_of(IntrinsicId::CopyTensorReduce, a, 3, "op"),
                  std::move(operands), call);
}

// The type is that of the destination.
Value copy_bulk_reduce_s2g(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprVec operands{converted(evaluator, a[0], ir::DType::I32, a.span(0)), pointer_argument(a[1], a.span(1)),
                         pointer_argument(a[2], a.span(2))};
    check_bulk_size(operands[0], a.span(0));
    const auto attr = attributes_of(IntrinsicId::CopyBulkReduce, a, 3, "op");
    const ir::TypeRef element = pointee(operands[1], a.span(1));
    const auto dtype = ir::scalar_of(element);
    const auto type = (dtype ? map_type(*dtype) : std::nullopt).value_or(ir::TensorMapType::u8); // which has none
    const auto reduction = ir::attribute<ir::BulkReduction>(attr);
    if (!ir::can_reduce(reduction, type))
        fail(DiagId::ScriptUnknownChoice, a.given(3) ? a.span(3) : a.span(1),
             cat("'op' of values of '", type_text(element), "'"), ir::word(reduction), ir::reductions_of(type));
    return on_gpu(evaluator, "copy_bulk_reduce_s2g", ir::with(attr, type), std::move(operands), call);
}

Value copy_bulk_wait_group(Evaluator& evaluator, const Arguments& a, Span call) {
    const std::int64_t groups = to_int(a[0], a.span(0), "'allow_on_fly_groups'");
    if (groups < 0 || groups > 9)
        fail(DiagId::ScriptUnknownChoice, a.span(0), "allow_on_fly_groups", groups, "0 to 9");
    const bool only_reads = a.given(1) && to_bool(a[1], a.span(1), "'read'");
    const auto attr =
        ir::with(ir::default_attr(IntrinsicId::CopyBulkWait), only_reads ? ir::BulkWait::read : ir::BulkWait::all);
    return on_gpu(evaluator, "copy_bulk_wait_group", attr, {ir::int_constant(groups)}, call);
}

} // namespace

void export_bulk_copies(HostModule& module) {
    module.function("create_tensor_map",
                    {"tensor_map_ptr", "dtype", "rank", "ptr", "size", "stride", "box_size", "elem_stride",
                     "interleave=", "swizzle=", "l2_promotion="},
                    create_tensor_map);
    module.function("create_im2col_tensor_map",
                    {"tensor_map_ptr", "dtype", "rank", "ptr", "size", "stride", "lower_corner", "upper_corner",
                     "channels", "pixels", "elem_stride", "interleave=", "swizzle=", "l2_promotion="},
                    create_im2col_tensor_map);
    module.function("copy_tensor_g2s",
                    {"dim", "dst", "tensor_map", "mbar", "*tensor_coords", "multicastmask=", "evict_policy="},
                    copy_tensor_g2s);
    module.function(
        "copy_im2col_g2s",
        {"dim", "dst", "tensor_map", "mbar", "*tensor_coords", "offsets", "multicastmask=", "evict_policy="},
        copy_im2col_g2s);
    module.function("copy_tensor_s2g", {"dim", "src", "tensor_map", "*tensor_coords"}, copy_tensor_s2g);
    module.function("copy_tensor_reduce_s2g", {"dim", "src", "tensor_map", "*tensor_coords", "op="},
                    copy_tensor_reduce_s2g);
    module.function("copy_bulk_reduce_s2g", {"size", "dst", "src", "op="}, copy_bulk_reduce_s2g);
    module.function("copy_bulk_wait_group", {"allow_on_fly_groups", "read="}, copy_bulk_wait_group);
}

} // namespace hidet::lang
