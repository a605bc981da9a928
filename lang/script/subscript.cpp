// SPDX-License-Identifier: Apache-2.0
// x[...] on tensors, pointers, slices, types and mappings.
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "lang/host/objects.h"
#include "lang/script/operations.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

bool is_none(const Value& value) {
    return value.is(ValueKind::None);
}

// How messages name what is indexed: "'a'", or its type when it has no name.
std::string name_of(const ir::ExprRef& base) {
    const auto* var = ir::as<ir::Var>(base);
    return var ? cat("'", var->name, "'") : cat("a '", type_text(base->type), "'");
}

// One dimension of what is indexed.
struct Dimension {
    const ir::ExprRef& base;
    ir::ExprRef extent; // null: unknown
    bool check_bounds;
};

ir::ExprRef read_index(const Value& value, Span span, const Dimension& dimension, bool is_bound) {
    want_known(value);
    if (!value.is_number() && !value.is(ValueKind::Expr))
        fail(DiagId::ScriptBadIndex, span, describe(value));
    ir::ExprRef index = to_expr(value, span);
    auto dtype = ir::scalar_of(index->type);
    if (!dtype || !ir::is_integer(*dtype) || *dtype == ir::DType::Bool)
        fail(DiagId::ScriptBadIndex, span, describe(value));
    auto number = ir::constant_int(index);
    if (!number || !dimension.check_bounds)
        return index;
    if (*number < 0)
        fail(DiagId::ScriptNegativeIndex, span, *number, name_of(dimension.base));
    auto size = dimension.extent ? ir::constant_int(dimension.extent) : std::nullopt;
    if (size && (is_bound ? *number > *size : *number >= *size))
        fail(DiagId::ScriptIndexOutOfBounds, span, *number,
             cat(name_of(dimension.base), " of type ", type_text(dimension.base->type)), *size);
    return index;
}

// One entry per index that was written: x[axes] with a list of indices counts as all of them.
std::vector<Value> written_indices(const Value& index) {
    if (!is_sequence(index))
        return {index};
    std::vector<Value> out;
    for (const Value& item : index.items()) {
        if (is_sequence(item))
            out.insert(out.end(), item.items().begin(), item.items().end());
        else
            out.push_back(item);
    }
    return out;
}

std::size_t rank_of_base(const ir::ExprRef& base, Span span) {
    if (const auto* tensor = ir::tensor_of(base->type))
        return tensor->shape.size();
    if (ir::is_pointer(base->type) || ir::as<ir::ArrayType>(base->type))
        return 1;
    fail(DiagId::ScriptNotIndexable, span, describe(Value::expr(base)));
}

// v[2] of a vector: a lane, which is known at compile time.
ir::ExprRef lane_at(const ir::ExprRef& vector, ir::DType dtype, std::int64_t lane, Span span) {
    const int count = ir::info(dtype).lanes;
    if (lane < 0)
        fail(DiagId::ScriptNegativeIndex, span, lane, name_of(vector));
    if (lane >= count)
        fail(DiagId::ScriptIndexOutOfBounds, span, lane, cat(name_of(vector), " of type ", type_text(vector->type)),
             count);
    return typed(span, [&] {
        return ir::make_intrinsic(ir::IntrinsicId::VectorLane, {vector, ir::int_constant(lane)},
                                  ir::data_type(ir::info(dtype).lane));
    });
}

// In a loop that becomes copies, an index of its variables is a number in each of them: a choice, which folds there.
Value lane_of(Operations& operations, Value vector, ir::DType dtype, const Value& index, Span span) {
    const Translator* translator = operations.translator();
    const auto ends = translator && index.is(ValueKind::Expr) && !ir::constant_int(index.as_expr())
                          ? translator->ends_in_copies(index.as_expr())
                          : std::nullopt;
    if (!ends || ends->first > ends->last)
        return Value::expr(lane_at(vector.as_expr(), dtype, to_int(index, span, "the lane of a vector"), span));
    const ir::ExprRef given = vector.as_expr();
    for (std::int64_t end : {ends->first, ends->last}) // is there
        lane_at(given, dtype, end, span);
    operations.keep({&vector, 1}, span);
    ir::ExprRef result = lane_at(vector.as_expr(), dtype, ends->last, span);
    for (std::int64_t lane = ends->last - 1; lane >= ends->first; --lane)
        result = typed(span, [&] {
            return ir::select(ir::equal(index.as_expr(), ir::int_constant(lane)),
                              lane_at(vector.as_expr(), dtype, lane, span), result);
        });
    return Value::expr(result);
}

ir::TypeRef subscript_type(Operations& operations, const ir::TypeRef& type, const Value& index, Span span,
                           Span index_span) {
    std::vector<Value> items = is_sequence(index) ? index.items() : std::vector<Value>{index};
    for (const Value& item : items)
        if (item.is(ValueKind::Slice))
            fail(DiagId::ScriptBadExtent, index_span, "a slice");
    if (ir::as<ir::DataType>(type))
        return ir::tensor_type(type, of_a_tensor(operations.fold_known(to_shape(index, index_span)), index_span));
    if (ir::as<ir::PointerType>(type)) {
        std::int64_t count = to_int(index, index_span, "the length of an array type");
        if (count < 0)
            fail(DiagId::ScriptNegativeExtent, index_span, count);
        of_a_tensor({ir::int_constant(count)}, index_span);
        return ir::array_type(type, count);
    }
    fail(DiagId::ScriptNotIndexable, span, describe(Value::type(type)));
}

// A table of a script is small: a longer one is read from memory, which a tensor is for.
constexpr std::size_t longest_table = 256;

ir::DType dtype_of_table(const std::vector<Value>& numbers) {
    const auto any = [&](auto&& is) { return std::ranges::any_of(numbers, is); };
    if (any([](const Value& v) { return v.is(ValueKind::Float); }))
        return ir::DType::F32;
    if (!any([](const Value& v) { return !v.is(ValueKind::Bool); }))
        return ir::DType::Bool;
    return any([](const Value& v) { return v.as_int() != static_cast<std::int32_t>(v.as_int()); }) ? ir::DType::I64
                                                                                                   : ir::DType::I32;
}

bool is_whole_number(const Value& value) {
    if (!value.is(ValueKind::Expr))
        return false;
    const ir::DType dtype = ir::scalar_of(value.as_expr()->type).value_or(ir::DType::Bool);
    return ir::is_integer(dtype) && dtype != ir::DType::Bool;
}

// numbers[index] for an index from `begin` to `end`, by halves.
ir::ExprRef choose_number(const ir::ExprVec& numbers, const ir::ExprRef& index, std::size_t begin, std::size_t end) {
    if (end - begin == 1)
        return numbers[begin];
    const std::size_t middle = begin + (end - begin) / 2;
    const ir::ExprRef low = choose_number(numbers, index, begin, middle);
    const ir::ExprRef high = choose_number(numbers, index, middle, end);
    const ir::ExprRef is_low = ir::less(index, ir::int_constant(static_cast<std::int64_t>(middle)));
    return ir::structural_equal(low, high) ? low : ir::select(is_low, low, high);
}

// table[i] of a list of the host, with an index that is known when the kernel runs: choices, which need no memory.
Value table_element(Operations& operations, const Value& table, const Value& index, Span span) {
    const std::vector<Value>& items = table.items();
    if (!operations.translator() || !is_whole_number(index))
        fail(DiagId::BadIndexType, span, table.is(ValueKind::List) ? "list" : "tuple", type_name(index));
    const auto size = static_cast<std::int64_t>(items.size());
    if (const auto number = ir::constant_int(operations.translator()->fold_known(index.as_expr()))) {
        if (*number < -size || *number >= size)
            fail(DiagId::IndexOutOfRange, span, table.is(ValueKind::List) ? "list" : "tuple", *number, size);
        return items[static_cast<std::size_t>(*number < 0 ? *number + size : *number)];
    }
    const bool is_table = std::ranges::all_of(items, [](const Value& item) { return item.is_number(); });
    if (!is_table || items.empty() || items.size() > longest_table)
        fail(DiagId::ScriptTable, span, table.is(ValueKind::List) ? "list" : "tuple", longest_table);
    const ir::DType element = dtype_of_table(items);
    ir::ExprVec numbers;
    for (const Value& item : items)
        numbers.push_back(element == ir::DType::F32    ? ir::float_constant(item.as_double(), element)
                          : element == ir::DType::Bool ? ir::bool_constant(item.as_bool())
                                                       : ir::int_constant(item.as_int(), element));
    operations.evaluator().charge_nodes(3 * items.size(), span);
    const ir::ExprRef at = operations.translator()->freeze(index.as_expr(), "index");
    return Value::expr(typed(span, [&] { return choose_number(numbers, at, 0, numbers.size()); }));
}

} // namespace

void fail_slice_assigned(const ir::ExprRef& base, const Subscripts& subscripts, Span span) {
    fail(DiagId::ScriptSliceAssigned, span, name_of(base), count_of(subscripts.indices.size(), "index", "indices"));
}

Subscripts read_subscripts(Operations&, const ir::ExprRef& base, const Value& index, Span object_span, Span index_span,
                           bool check_bounds) {
    std::size_t rank = rank_of_base(base, object_span);
    std::vector<Value> written = written_indices(index);
    if (written.size() > rank)
        fail(DiagId::ScriptRank, index_span, count_of(written.size(), "index", "indices"),
             cat(name_of(base), ", which has ", count_of(rank, "dimension", "dimensions")));
    const ir::TensorType* tensor = ir::tensor_of(base->type);
    Subscripts out;
    for (std::size_t i = 0; i < rank; ++i) {
        Dimension dimension{base, tensor ? tensor->shape[i] : nullptr, check_bounds && tensor};
        out.spans.push_back(index_span);
        out.starts.emplace_back();
        out.stops.emplace_back();
        out.indices.emplace_back();
        if (i >= written.size()) { // missing trailing dims are taken whole
            out.is_element = false;
            continue;
        }
        if (!written[i].is(ValueKind::Slice)) {
            out.indices[i] = read_index(written[i], index_span, dimension, false);
            continue;
        }
        const auto& slice = object_of<SliceObject>(written[i]);
        out.is_element = false;
        bool unit_step = is_none(slice.step) || (slice.step.is(ValueKind::Int) && slice.step.as_int() == 1);
        if (!unit_step)
            fail(DiagId::ScriptSliceStep, index_span);
        if (!is_none(slice.start))
            out.starts[i] = read_index(slice.start, index_span, dimension, true);
        if (!is_none(slice.stop))
            out.stops[i] = read_index(slice.stop, index_span, dimension, true);
    }
    return out;
}

Value Operations::subscript(const Value& object, const Value& index, Span object_span, Span index_span) {
    if (object.is(ValueKind::Unknown) || index.is(ValueKind::Unknown))
        return Value::unknown();
    Span span = cover(object_span, index_span);
    if (is_sequence(object))
        return table_element(*this, object, index, index_span);
    if (object.is(ValueKind::Type))
        return Value::type(subscript_type(*this, object.as_type(), index, object_span, index_span));
    if (object.is(ValueKind::Mapping)) {
        Value worker = index;
        keep({&worker, 1}, index_span);
        return mapping_tasks(*this, object.as_mapping(), worker, index_span);
    }
    if (!object.is(ValueKind::Expr))
        fail(DiagId::ScriptNotIndexable, object_span, describe(object));
    const ir::ExprRef& base = object.as_expr();
    if (auto dtype = ir::scalar_of(base->type); dtype && ir::is_vector(*dtype))
        return lane_of(*this, object, *dtype, index, index_span);
    Subscripts s = read_subscripts(*this, base, index, object_span, index_span);
    if (s.is_element)
        return Value::expr(typed(span, [&] { return ir::make_element(base, s.indices); }));
    if (!ir::tensor_of(base->type)) // p[a:] of a plain pointer
        return s.starts[0] ? Value::expr(typed(span, [&] { return ir::add(base, s.starts[0]); })) : object;
    bool whole = true;
    for (std::size_t i = 0; i < s.indices.size(); ++i)
        whole = whole && !s.indices[i] && !s.starts[i] && !s.stops[i];
    if (whole)
        return object;
    return Value::expr(typed(span, [&] { return ir::make_slice(base, s.indices, s.starts, s.stops); }));
}

} // namespace hidet::lang
