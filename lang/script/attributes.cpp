// SPDX-License-Identifier: Apache-2.0
// Attributes and methods of IR values.

#include "compiler/ir/text/print.h"
#include "lang/host/arguments.h"
#include "lang/host/boxed.h"
#include "lang/host/modules/limits.h"
#include "lang/host/tensors/tensor_data.h"
#include "lang/host/tensors/tensor_shapes.h"
#include "lang/script/operations.h"

namespace hidet::lang {

namespace {

ir::ExprVec index_of(const Args& args, std::size_t rank, Span call) {
    Spread values = spread(args, call);
    if (values.items.size() != rank)
        fail(DiagId::ScriptRank, call, count_of(values.items.size(), "index", "indices"),
             count_of(rank, "dimension", "dimensions"));
    ir::ExprVec out;
    for (std::size_t i = 0; i < values.items.size(); ++i)
        out.push_back(to_expr(values.items[i], values.spans[i]));
    return out;
}

bool is_power_of_two(std::int64_t n) {
    return n > 0 && (n & (n - 1)) == 0;
}

std::int64_t dimension(std::int64_t dim, std::size_t rank, Span span) {
    auto count = static_cast<std::int64_t>(rank);
    if (dim < -count || dim >= count)
        fail(DiagId::ScriptDimension, span, dim, rank);
    return dim < 0 ? dim + count : dim;
}

// ---- data types ------------------------------------------------------------------------------------------------------

using Query = bool (*)(ir::DType);
struct QueryRow {
    const char* name;
    Query ask;
};
const QueryRow queries[] = {
    {"is_float", [](ir::DType t) { return ir::is_float(t); }},
    {"is_integer", [](ir::DType t) { return ir::is_integer(t); }},
    {"is_subbyte", [](ir::DType t) { return ir::is_subbyte(t); }},
    {"is_integer_subbyte", [](ir::DType t) { return ir::is_subbyte(t); }},
    {"is_float_subbyte", [](ir::DType) { return false; }},
    {"is_any_float16", [](ir::DType t) { return t == ir::DType::F16 || t == ir::DType::BF16; }},
    {"is_complex", [](ir::DType t) { return ir::is_complex(t); }},
    {"is_vector", [](ir::DType t) { return ir::is_vector(t); }},
    {"is_boolean", [](ir::DType t) { return t == ir::DType::Bool; }},
    {"is_signed_integer", [](ir::DType t) { return ir::is_integer(t) && ir::is_signed(t); }},
    {"is_unsigned_integer", [](ir::DType t) { return ir::is_integer(t) && !ir::is_signed(t) && t != ir::DType::Bool; }},
};

Value constant_of(ir::DType dtype, double value) {
    if (ir::is_float(dtype))
        return Value::expr(ir::float_constant(value, dtype));
    return Value::expr(ir::int_constant(static_cast<std::int64_t>(value), dtype));
}

std::unique_ptr<Value> limit(ir::DType dtype, bool highest) {
    if (ir::is_float(dtype))
        return boxed(constant_of(dtype, highest ? ir::float_max(dtype) : -ir::float_max(dtype)));
    if (!ir::is_integer(dtype) && !ir::is_subbyte(dtype))
        return nullptr;
    auto range = ir::integer_range(dtype);
    return boxed(
        Value::expr(ir::int_constant(highest ? static_cast<std::int64_t>(range.highest) : range.lowest, dtype)));
}

std::unique_ptr<Value> dtype_attribute(Operations& operations, ir::DType dtype, std::string_view name, Span span) {
    const ir::DTypeInfo& row = ir::info(dtype);
    if (name == "name")
        return boxed(Value::str(row.name));
    if (name == "short_name")
        return boxed(Value::str(row.short_name));
    if (name == "nbits")
        return boxed(Value::integer(row.bits));
    if (name == "nbytes") {
        if (ir::is_subbyte(dtype))
            fail(DiagId::ScriptSubbyteSize, span, row.short_name);
        return boxed(Value::integer(ir::bytes_of(dtype)));
    }
    if (name == "storage")
        return boxed(Value::type(ir::data_type(row.storage)));
    const bool has_constants =
        ir::is_float(dtype) || ir::is_integer(dtype) || ir::is_subbyte(dtype); // vectors have none
    if (!has_constants && (name == "zero" || name == "one"))
        return nullptr;
    if (name == "zero" || name == "false")
        return boxed(constant_of(dtype, 0));
    if (name == "one" || name == "true")
        return boxed(constant_of(dtype, 1));
    if (name == "min_value" || name == "max_value")
        return limit(dtype, name == "max_value");
    if (name == "lane_type" || name == "num_lanes") {
        if (!ir::is_vector(dtype))
            return nullptr;
        return boxed(name == "lane_type" ? Value::type(ir::data_type(row.lane)) : Value::integer(row.lanes));
    }
    if (name == "constant")
        return boxed("constant", [&operations, dtype](Evaluator&, Args& args, Span call) {
            return call_type(operations, ir::data_type(dtype), args, call);
        });
    if (name == "finfo" ? has_float_limits(dtype) : name == "iinfo" && has_integer_limits(dtype))
        return boxed(name, {}, [name = std::string(name), dtype](Evaluator&, const Arguments&, Span) {
            return limits_of(dtype);
        });
    for (const QueryRow& query : queries)
        if (name == query.name)
            return boxed(name, [ask = query.ask, dtype](Evaluator&, Args& args, Span call) {
                Arguments(args, call, "query", {});
                return Value::boolean(ask(dtype));
            });
    return nullptr;
}

Value known_extents(const ir::ExprVec& shape, Span call) {
    Shape sizes;
    for (const ir::ExprRef& extent : shape)
        sizes.push_back(to_int(Value::expr(extent), call, "an extent of const_shape()"));
    return shape_value(sizes);
}

std::unique_ptr<Value> tensor_attribute(const ir::TensorType& tensor, std::string_view name) {
    if (name == "dtype")
        return boxed(Value::type(tensor.element));
    if (name == "shape")
        return boxed(from_exprs(tensor.shape));
    if (name == "layout")
        return boxed(Value::layout(ir::layout_of(tensor)));
    if (name == "size")
        return boxed(from_expr(ir::product(tensor.shape)));
    if (name == "rank" || name == "ndim")
        return boxed(Value::integer(static_cast<std::int64_t>(tensor.shape.size())));
    if (name == "storage_bytes" || name == "const_shape")
        return boxed(name, {},
                     [name = std::string(name), type = ir::self(tensor)](Evaluator&, const Arguments&, Span call) {
                         if (name == "storage_bytes")
                             return Value::integer(ir::size_in_bytes(type));
                         return known_extents(type->shape, call);
                     });
    return nullptr;
}

// ---- protected access ------------------------------------------------------------------------------------------------

Value read_protected(Operations& operations, const ir::ExprRef& base, Args& args, Span call) {
    Arguments a(args, call, "read", {"indices", "protected="});
    Subscripts s = read_subscripts(operations, base, a[0], call, a.span(0), false);
    if (!s.is_element)
        fail(DiagId::ScriptProtectedSlice, a.span(0));
    bool is_protected = !a.given(1) || to_bool(a[1], a.span(1), "'protected'");
    return Value::expr(typed(call, [&] { return ir::make_element(base, s.indices, is_protected); }));
}

Value write_protected(Operations& operations, const ir::ExprRef& base, Args& args, Span call) {
    Arguments a(args, call, "write", {"indices", "value", "protected="});
    Subscripts s = read_subscripts(operations, base, a[0], call, a.span(0), false);
    if (!s.is_element)
        fail(DiagId::ScriptProtectedSlice, a.span(0));
    bool is_protected = !a.given(2) || to_bool(a[2], a.span(2), "'protected'");
    ir::TypeRef element = ir::element_of(base->type);
    ir::ExprRef value = convert_to(to_expr(a[1], a.span(1)), element, a.span(1), operations.evaluator().sink());
    return Value::stmt(typed(call, [&] { return ir::make_store(base, s.indices, value, is_protected); }));
}

const std::vector<std::string>& names_of(ValueKind kind) {
    static const std::vector<std::string> expr{"dtype", "type"},
        type{"dtype",      "shape",      "layout",        "tensor_type", "base_type",  "name",       "short_name",
             "nbytes",     "nbits",      "storage",       "zero",        "one",        "min_value",  "max_value",
             "lane_type",  "num_lanes",  "constant",      "is_float",    "is_integer", "is_subbyte", "is_vector",
             "is_boolean", "is_complex", "storage_bytes", "finfo",       "iinfo"},
        layout{"shape",   "size",         "row_major",   "column_major", "local",        "swizzle",    "permute",
               "reshape", "within_bound", "const_shape", "serialize",    "global2local", "global2cond"},
        mapping{"num_workers", "task_shape", "on",     "map",       "single_task_of",
                "worker2task", "spatial",    "repeat", "projection"},
        function{"name", "kind"}, none;
    switch (kind) {
    case ValueKind::Expr: return expr;
    case ValueKind::Type: return type;
    case ValueKind::Layout: return layout;
    case ValueKind::Mapping: return mapping;
    case ValueKind::ScriptFunction: return function;
    default: return none;
    }
}

// ---- mappings --------------------------------------------------------------------------------------------------------

Value chain(Operations& operations, const ir::MappingRef& outer, bool is_spatial, Args& args, Span call) {
    Arguments a(args, call, is_spatial ? "spatial" : "repeat", {"*shape", "ranks=", "attrs="});
    ir::ExprVec shape = with_tasks(read_extents(operations, args, call), call);
    std::vector<std::int64_t> ranks;
    if (const Value* given = a.find(0); given && !given->is(ValueKind::None))
        ranks = check_permutation(to_ints(*given, a.span(0), "'ranks'"), shape.size(), a.span(0), "ranks");
    if (shape.size() != ir::rank_of(outer))
        fail(DiagId::ScriptMappingRank, call, ir::rank_of(outer), shape.size());
    std::vector<ir::LoopAttr> attrs;
    if (a.given(1))
        attrs = read_loop_attrs(a[1], shape.size(), a.span(1));
    return operations.composed(
        ir::compose(outer, is_spatial ? ir::spatial(shape, ranks) : ir::repeat(shape, ranks, attrs)), call);
}

ir::ExprRef worker_argument(const Value& value, Span span) {
    ir::ExprRef worker = to_expr(value, span);
    auto dtype = ir::scalar_of(worker->type);
    if (!dtype || !ir::is_integer(*dtype))
        fail(DiagId::ScriptBadWorker, span, describe(value));
    return worker;
}

Value only_task(const ir::MappingRef& mapping, const Value& worker, Span span) {
    if (ir::task_count(mapping) != 1)
        fail(DiagId::ScriptSeveralTasks, span, ir::task_count(mapping));
    ir::ExprVec task = ir::tasks_of(mapping, worker_argument(worker, span)).at(0);
    return Value::list(from_exprs(task).items());
}

Value project(const ir::MappingRef& mapping, Evaluator& evaluator, const Value& dims, Span span) {
    std::vector<std::int64_t> list;
    for (const Value& dim : evaluator.iterate(dims, span)) // of {d: 0} the keys
        list.push_back(dimension(to_int(dim, span, "a dimension"), ir::rank_of(mapping), span));
    return Value::mapping(ir::project(mapping, std::move(list)));
}

// ---- layouts ---------------------------------------------------------------------------------------------------------

Value swizzle(const ir::LayoutRef& base, Args& args, Span call) {
    Arguments a(args, call, "swizzle", {"dim", "regards_dim=", "log_step="});
    ir::ExprVec shape = ir::shape_of(base);
    std::int64_t dim = dimension(to_int(a[0], a.span(0), "'dim'"), shape.size(), a.span(0));
    std::int64_t regards = 1 - dim;
    if (a.has(1))
        regards = dimension(to_int(a[1], a.span(1), "'regards_dim'"), shape.size(), a.span(1));
    else if (shape.size() != 2)
        fail(DiagId::ScriptSwizzleDim, call, shape.size());
    std::int64_t step = a.given(2) ? to_int(a[2], a.span(2), "'log_step'") : 0;
    if (regards == dim || step < 0 || step > 30)
        fail(DiagId::ScriptSwizzleArgument, a.span(regards == dim ? 1 : 2),
             regards == dim ? "regards_dim" : "log_step");
    auto extent = ir::constant_int(shape[static_cast<std::size_t>(dim)]);
    if (!extent || !is_power_of_two(*extent))
        fail(DiagId::ScriptSwizzleExtent, a.span(0), dim, ir::to_string(shape[static_cast<std::size_t>(dim)]));
    return Value::layout(ir::swizzle(base, dim, regards, step));
}

Value reshape(Operations& operations, const ir::LayoutRef& base, Args& args, Span call) {
    ir::ExprVec shape = read_extents(operations, args, call);
    auto before = ir::constant_int(ir::product(ir::shape_of(base)));
    auto after = ir::constant_int(ir::product(shape));
    if (before && after && *before != *after)
        fail(DiagId::ScriptReshapeCount, call, *before, *after);
    return Value::layout(ir::reshape(base, shape));
}

Value compose_layout(Operations& operations, const ir::LayoutRef& outer, ir::LayoutRef inner, Span span) {
    if (ir::shape_of(outer).size() != ir::shape_of(inner).size())
        fail(DiagId::ScriptLayoutRank, span, ir::shape_of(outer).size(), ir::shape_of(inner).size());
    return operations.composed(ir::compose(outer, std::move(inner)), span);
}

} // namespace

Spread spread(const Args& args, Span call) {
    if (args.positional.size() == 1 && is_sequence(args.positional[0])) {
        Spread out{args.positional[0].items(), {}};
        out.spans.assign(out.items.size(), args.span_of(0, call));
        return out;
    }
    Spread out{args.positional, {}};
    for (std::size_t i = 0; i < args.positional.size(); ++i)
        out.spans.push_back(args.span_of(i, call));
    return out;
}

ir::ExprVec read_extents(Operations& operations, const Args& args, Span call) {
    Spread values = spread(args, call);
    check_rank(values.items.size(), call);
    ir::ExprVec out;
    for (std::size_t i = 0; i < values.items.size(); ++i)
        out.push_back(to_extent(values.items[i], values.spans[i]));
    if (out.empty())
        fail(DiagId::ScriptNoExtents, call);
    return operations.fold_known(out);
}

ir::ExprVec with_tasks(ir::ExprVec shape, Span span) {
    for (const ir::ExprRef& extent : shape)
        if (ir::is_constant(extent, 0))
            fail(DiagId::ScriptEmptyMapping, span);
    want_countable_tasks(shape, span);
    return shape;
}

std::vector<ir::LoopAttr> read_loop_attrs(const Value& value, std::size_t loops, Span span) {
    if (value.is(ValueKind::None))
        return {};
    std::string text = to_text(value, span, "'attrs'");
    auto attrs = ir::parse_loop_attrs(text);
    if (!attrs)
        fail(DiagId::ScriptLoopAttr, span, text);
    if (attrs->size() == 1)
        attrs->resize(loops, attrs->front());
    if (!attrs->empty() && attrs->size() != loops)
        fail(DiagId::ScriptLoopAttrCount, span, count_of(attrs->size(), "loop attribute", "loop attributes"),
             count_of(loops, "loop", "loops"));
    return *attrs;
}

std::vector<std::string> attribute_names(const Value& value) {
    std::vector<std::string> names = names_of(value.kind());
    if (value.is(ValueKind::Expr) && ir::tensor_of(value.as_expr()->type))
        names.insert(names.end(), {"shape", "layout", "read", "write", "size", "ndim"});
    return names;
}

std::vector<std::int64_t> check_permutation(std::vector<std::int64_t> numbers, std::size_t rank, Span span,
                                            std::string_view what) {
    std::vector<bool> seen(rank, false);
    for (std::int64_t n : numbers) {
        bool fine = n >= 0 && static_cast<std::size_t>(n) < rank && !seen[static_cast<std::size_t>(n)];
        if (!fine || numbers.size() != rank)
            fail(DiagId::ScriptNotAPermutation, span, what, rank);
        seen[static_cast<std::size_t>(n)] = true;
    }
    if (numbers.size() != rank)
        fail(DiagId::ScriptNotAPermutation, span, what, rank);
    return numbers;
}

std::unique_ptr<Value> expr_attribute(Operations& operations, const ir::ExprRef& expr, std::string_view name, Span) {
    const ir::TensorType* tensor = ir::tensor_of(expr->type);
    if (name == "type")
        return boxed(Value::type(expr->type));
    if (name == "read" || name == "write") {
        if (!tensor)
            return nullptr;
        return boxed(name, [&operations, expr, reads = name == "read"](Evaluator&, Args& args, Span call) {
            return reads ? read_protected(operations, expr, args, call) : write_protected(operations, expr, args, call);
        });
    }
    if (name == "dtype" && !tensor)
        return ir::scalar_of(expr->type) ? boxed(Value::type(ir::data_type(*ir::scalar_of(expr->type)))) : nullptr;
    if (name == "name" || name == "hint")
        if (const auto* var = ir::as<ir::Var>(expr))
            return boxed(Value::str(var->name));
    if (name == "value" && ir::as<ir::Constant>(expr))
        if (auto number = ir::constant_number(expr)) {
            auto whole = ir::constant_int(expr);
            return boxed(whole ? Value::integer(*whole) : Value::real(*number));
        }
    return tensor ? tensor_attribute(*tensor, name) : nullptr;
}

std::unique_ptr<Value> type_attribute(Operations& operations, const ir::TypeRef& type, std::string_view name,
                                      Span span) {
    if (const auto* data = ir::as<ir::DataType>(type))
        return dtype_attribute(operations, data->dtype, name, span);
    if (const auto* pointer = ir::as<ir::TensorPointerType>(type)) {
        if (name == "tensor_type")
            return boxed(Value::type(pointer->tensor));
        return tensor_attribute(*pointer->tensor, name);
    }
    if (const auto* tensor = ir::as<ir::TensorType>(type))
        return name == "tensor_type" ? boxed(Value::type(type)) : tensor_attribute(*tensor, name);
    if (const auto* pointer = ir::as<ir::PointerType>(type); pointer && name == "base_type")
        return boxed(Value::type(pointer->base));
    return nullptr;
}

std::unique_ptr<Value> layout_attribute(Operations& operations, const ir::LayoutRef& layout, std::string_view name,
                                        Span) {
    if (name == "shape")
        return boxed(from_exprs(ir::shape_of(layout)));
    if (name == "size")
        return boxed(from_expr(ir::size_of(layout)));
    if (name == "swizzle")
        return boxed(name, [layout](Evaluator&, Args& args, Span call) { return swizzle(layout, args, call); });
    if (name == "reshape")
        return boxed(name, [&operations, layout](Evaluator&, Args& args, Span call) {
            Arguments(args, call, "reshape", {"*shape"});
            return reshape(operations, layout, args, call);
        });
    if (name == "permute")
        return boxed(name, [layout](Evaluator&, Args& args, Span call) {
            Arguments(args, call, "permute", {"*perm"});
            std::vector<std::int64_t> perm;
            for (const Value& item : spread(args, call).items)
                perm.push_back(to_int(item, call, "a dimension"));
            return Value::layout(
                ir::permute(layout, check_permutation(perm, ir::shape_of(layout).size(), call, "dims")));
        });
    if (name == "row_major" || name == "column_major" || name == "local")
        return boxed(name, [&operations, layout, name = std::string(name)](Evaluator&, Args& args, Span call) {
            Arguments(args, call, name, {"*shape"});
            ir::ExprVec shape = read_extents(operations, args, call);
            return compose_layout(operations, layout,
                                  name == "local"       ? ir::local_layout(shape)
                                  : name == "row_major" ? ir::row_major(shape)
                                                        : ir::column_major(shape),
                                  call);
        });
    if (name == "serialize" || name == "global2local")
        return boxed(name, [layout](Evaluator& evaluator, Args& args, Span call) {
            return evaluator.call(Value::layout(layout), args, call);
        });
    if (name == "within_bound" || name == "global2cond")
        return boxed(name, [&operations, layout](Evaluator&, Args& args, Span call) {
            Arguments(args, call, "within_bound", {"*index"});
            ExpressionPart part(operations, PartRuns::Once);
            operations.keep(args.positional, call);
            ir::ExprVec index = index_of(args, ir::shape_of(layout).size(), call);
            return part.close(Value::expr(typed(call, [&] { return ir::within_bound(layout, index); })), call);
        });
    if (name == "const_shape")
        return boxed(name, [layout](Evaluator&, Args& args, Span call) {
            Arguments(args, call, "const_shape", {});
            return known_extents(ir::shape_of(layout), call);
        });
    return nullptr;
}

Value call_layout(const ir::LayoutRef& layout, Args& args, Span call) {
    Arguments(args, call, "layout", {"*index"});
    ir::ExprVec index = index_of(args, ir::shape_of(layout).size(), call);
    return from_expr(typed(call, [&] { return ir::slot_of(layout, index); }));
}

Value call_mapping(Operations& operations, const ir::MappingRef& mapping, Args& args, Span call) {
    Arguments a(args, call, "mapping", {"worker"});
    return mapping_tasks(operations, mapping, a[0], a.span(0));
}

Value mapping_tasks(Operations& operations, const ir::MappingRef& mapping, const Value& worker, Span span) {
    if (!ir::has_constant_tasks(mapping))
        fail(DiagId::ScriptNeedsConstant, span, "the number of tasks", "a task mapping");
    charge_tasks(operations.evaluator(), mapping, span);
    std::vector<Value> out;
    for (const ir::ExprVec& task : ir::tasks_of(mapping, worker_argument(worker, span)))
        out.push_back(from_exprs(task));
    return Value::list(std::move(out));
}

std::unique_ptr<Value> mapping_attribute(Operations& operations, const ir::MappingRef& mapping, std::string_view name,
                                         Span) {
    if (name == "num_workers")
        return boxed(from_expr(ir::workers_of(mapping)));
    if (name == "task_shape")
        return boxed(from_exprs(ir::shape_of(mapping)));
    if (name == "on")
        return boxed(name, [mapping](Evaluator&, Args& args, Span call) {
            Arguments a(args, call, "on", {"worker", "bind_tuple="});
            auto loop = Ref<LoopIterable>(new LoopIterable);
            loop->what = LoopIterable::What::Mapping;
            loop->mapping = mapping;
            loop->worker = worker_argument(a[0], a.span(0));
            loop->bind_tuple = a.given(1) && to_bool(a[1], a.span(1), "'bind_tuple'");
            loop->span = call;
            return Value::extension(loop);
        });
    if (name == "map" || name == "single_task_of")
        return boxed(name, [&operations, mapping](Evaluator&, Args& args, Span call) {
            operations.keep(args.positional, call);
            Arguments a(args, call, "map", {"worker"});
            return only_task(mapping, a[0], a.span(0));
        });
    if (name == "worker2task")
        return boxed(name, [&operations, mapping](Evaluator&, Args& args, Span call) {
            operations.keep(args.positional, call);
            return call_mapping(operations, mapping, args, call);
        });
    if (name == "spatial" || name == "repeat")
        return boxed(name, [&operations, mapping, is_spatial = name == "spatial"](Evaluator&, Args& args, Span call) {
            return chain(operations, mapping, is_spatial, args, call);
        });
    if (name == "projection")
        return boxed(name, [mapping](Evaluator& evaluator, Args& args, Span call) {
            Arguments a(args, call, "projection", {"dim2value"});
            return project(mapping, evaluator, a[0], a.span(0));
        });
    return nullptr;
}

std::unique_ptr<Value> function_attribute(Operations&, const Value& function, std::string_view name) {
    auto& object = static_cast<ScriptFunctionObject&>(*function.object());
    if (name == "name" || name == "__name__")
        return boxed(Value::str(object.name));
    if (name == "kind" && object.function)
        return boxed(Value::str(ir::func_kind_name(object.function->func_kind)));
    return nullptr;
}

} // namespace hidet::lang
