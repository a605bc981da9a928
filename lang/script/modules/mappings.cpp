// SPDX-License-Identifier: Apache-2.0
// Task mappings and layouts by name.
#include <numeric>

#include "lang/base/transformed.h"
#include "lang/host/arguments.h"
#include "lang/host/objects.h"
#include "lang/script/modules/exports.h"

namespace hidet::lang {

namespace {

std::vector<std::int64_t> ranks_argument(const Value* value, std::size_t rank, Span span) {
    if (!value || value->is(ValueKind::None))
        return {};
    return check_permutation(to_ints(*value, span, "'ranks'"), rank, span, "ranks");
}

NativeFunction spatial(bool column) {
    return [column](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, "spatial", {"*shape", "ranks="});
        ir::ExprVec shape = with_tasks(read_extents(Operations::of(evaluator), args, call), call);
        auto ranks = column ? ir::column_ranks(shape.size()) : ranks_argument(a.find(0), shape.size(), a.span(0));
        return Value::mapping(ir::spatial(std::move(shape), std::move(ranks)));
    };
}

NativeFunction repeat(bool column) {
    return [column](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, "repeat", {"*shape", "attrs=", "ranks="});
        ir::ExprVec shape = with_tasks(read_extents(Operations::of(evaluator), args, call), call);
        auto ranks = column ? ir::column_ranks(shape.size()) : ranks_argument(a.find(1), shape.size(), a.span(1));
        std::vector<ir::LoopAttr> attrs;
        if (a.given(0))
            attrs = read_loop_attrs(a[0], shape.size(), a.span(0));
        return Value::mapping(ir::repeat(std::move(shape), std::move(ranks), std::move(attrs)));
    };
}

Value spatial_map(Evaluator& evaluator, const Arguments& a, Span) {
    ir::ExprVec shape = with_tasks(Operations::of(evaluator).fold_known(to_shape(a[0], a.span(0))), a.span(0));
    return Value::mapping(ir::spatial(shape, ranks_argument(a.find(1), shape.size(), a.span(1))));
}

Value repeat_map(Evaluator& evaluator, const Arguments& a, Span) {
    ir::ExprVec shape = with_tasks(Operations::of(evaluator).fold_known(to_shape(a[0], a.span(0))), a.span(0));
    std::vector<ir::LoopAttr> attrs;
    if (a.given(2))
        attrs = read_loop_attrs(a[2], shape.size(), a.span(2));
    return Value::mapping(ir::repeat(shape, ranks_argument(a.find(1), shape.size(), a.span(1)), std::move(attrs)));
}

struct AutoMapping {
    std::vector<std::int64_t> spatial, repeat, ranks;
};

// From the fastest dim to the slowest, each takes as many of the remaining workers as divide it.
AutoMapping split_workers(const std::vector<std::int64_t>& shape, std::int64_t workers, std::vector<std::int64_t> ranks,
                          bool may_idle) {
    if (ranks.empty())
        for (std::size_t i = 0; i < shape.size(); ++i)
            ranks.push_back(static_cast<std::int64_t>(i));
    AutoMapping out{std::vector<std::int64_t>(shape.size(), 1), shape, ranks};
    for (std::size_t rank = shape.size(); rank-- > 0;) {
        auto dim = static_cast<std::size_t>(std::ranges::find(ranks, static_cast<std::int64_t>(rank)) - ranks.begin());
        std::int64_t taken = may_idle && workers >= shape[dim] ? shape[dim] : std::gcd(workers, shape[dim]);
        out.spatial[dim] = taken;
        out.repeat[dim] = shape[dim] / std::max<std::int64_t>(taken, 1);
        workers /= std::max<std::int64_t>(taken, 1);
    }
    return out;
}

ir::ExprVec exprs(const std::vector<std::int64_t>& numbers) {
    return transformed(numbers, [&](std::int64_t number) { return ir::int_constant(number); });
}

std::vector<std::int64_t> constant_shape(Operations& operations, const Args& args, Span call) {
    std::vector<std::int64_t> out;
    for (const ir::ExprRef& extent : read_extents(operations, args, call))
        out.push_back(to_int(Value::expr(extent), call, "an extent of an automatic mapping"));
    return out;
}

ir::MappingRef automatic(const AutoMapping& split) {
    return ir::compose(ir::repeat(exprs(split.repeat), split.ranks), ir::spatial(exprs(split.spatial), split.ranks));
}

Value auto_map(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "auto_map", {"*task_shape", "workers", "on_fail=", "ranks="});
    auto shape = constant_shape(Operations::of(evaluator), args, call);
    std::int64_t workers = to_int(a[0], a.span(0), "'workers'");
    std::int64_t tasks = 1;
    for (std::int64_t extent : shape)
        tasks *= extent;
    if (workers <= 0 || tasks % workers != 0) {
        if (!a.has(1))
            fail(DiagId::ScriptAutoMap, a.span(0), tasks, workers);
        const std::string why =
            cat("the number of tasks ", tasks, " is not a multiple of the number of workers ", workers);
        evaluator.call(a[1], {Value::str(why)}, call);
        return Value();
    }
    return Value::mapping(
        automatic(split_workers(shape, workers, ranks_argument(a.find(2), shape.size(), a.span(2)), false)));
}

Value predicated_auto_map(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "predicated_auto_map", {"*task_shape", "workers", "ranks="});
    auto shape = constant_shape(Operations::of(evaluator), args, call);
    std::int64_t workers = to_int(a[0], a.span(0), "'workers'");
    if (workers <= 0)
        fail(DiagId::ScriptAutoMap, a.span(0), 1, workers);
    AutoMapping split = split_workers(shape, workers, ranks_argument(a.find(1), shape.size(), a.span(1)), true);
    std::int64_t used =
        std::accumulate(split.spatial.begin(), split.spatial.end(), std::int64_t{1}, std::multiplies<>());
    Value predicate = Value::native("predicate", [used](Evaluator&, Args& worker, Span span) {
        Arguments w(worker, span, "predicate", {"worker"});
        return Value::expr(typed(span, [&] { return ir::less(to_expr(w[0], w.span(0)), ir::int_constant(used)); }));
    });
    return Value::tuple({Value::mapping(automatic(split)), predicate});
}

Value chain(Evaluator& evaluator, Args& args, Span call) {
    Spread maps = spread(args, call);
    if (maps.items.empty())
        fail(DiagId::ScriptNoExtents, call);
    Value out = maps.items[0];
    for (std::size_t i = 1; i < maps.items.size(); ++i)
        out = evaluator.binary(ast::BinaryOp::Mul, out, maps.items[i], maps.spans[0], maps.spans[i]);
    return out;
}

NativeFunction layout(std::string name, ir::LayoutRef (*make)(ir::ExprVec)) {
    return [name, make](Evaluator& evaluator, Args& args, Span call) {
        Arguments(args, call, name, {"*shape"});
        return Value::layout(make(read_extents(Operations::of(evaluator), args, call)));
    };
}

Value strided(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "strided_layout", {"shape", "ranks="});
    ir::ExprVec shape = Operations::of(evaluator).fold_known(to_shape(a[0], a.span(0)));
    auto ranks = ranks_argument(a.find(1), shape.size(), a.span(1));
    return Value::layout(ranks.empty() ? ir::row_major(shape) : ir::strided_layout(shape, ranks));
}

Value strides_from_shape(Evaluator& evaluator, const Arguments& a, Span) {
    ir::ExprVec shape = Operations::of(evaluator).fold_known(to_shape(a[0], a.span(0)));
    auto ranks = ranks_argument(a.find(1), shape.size(), a.span(1));
    return Value::layout(ir::strided_layout(std::move(shape), ranks));
}

Value strides_layout(Evaluator& evaluator, const Arguments& a, Span) {
    ir::ExprVec shape = Operations::of(evaluator).fold_known(to_shape(a[0], a.span(0)));
    ir::ExprVec strides = Operations::of(evaluator).fold_known(to_shape(a[1], a.span(1)));
    if (shape.size() != strides.size())
        fail(DiagId::ScriptLayoutRank, a.span(1), shape.size(), strides.size());
    return Value::layout(ir::strides_layout(std::move(shape), std::move(strides)));
}

using Members = std::vector<std::pair<std::string, Value>>;

} // namespace

void export_mappings(Evaluator&, HostModule& module) {
    module.function("spatial", spatial(false));
    module.function("row_spatial", spatial(false));
    module.function("col_spatial", spatial(true));
    module.function("repeat", repeat(false));
    module.function("row_repeat", repeat(false));
    module.function("col_repeat", repeat(true));
    module.function("spatial_map", {"task_shape", "ranks="}, spatial_map);
    module.function("repeat_map", {"task_shape", "ranks=", "attrs="}, repeat_map);
    module.function("auto_map", auto_map);
    module.function("predicated_auto_map", predicated_auto_map);
    module.function("chain", chain);
    module.add("TaskMapping", new_extension<Namespace>(
                                  "TaskMapping", Members{
                                                     {"row_major", Value::native("row_major", spatial(false))},
                                                     {"column_major", Value::native("column_major", spatial(true))},
                                                     {"full_layout", Value::native("full_layout", repeat(false))},
                                                 }));
}

void export_layouts(Evaluator& evaluator, HostModule& module) {
    module.function("row_major", layout("row_major", ir::row_major));
    module.function("column_major", layout("column_major", ir::column_major));
    module.function("row_layout", layout("row_layout", ir::row_major));
    module.function("column_layout", layout("column_layout", ir::column_major));
    module.function("local_layout", layout("local_layout", ir::local_layout));
    module.function("strided_layout", strided);
    const Value strides =
        native_class(evaluator, {"StridesLayout", {"shape", "strides"}, strides_layout}, [](const Value& value) {
            return value.is(ValueKind::Layout) && ir::as<ir::StridesLayout>(value.as_layout());
        });
    as_class(strides).table.set("from_shape", Value::native("from_shape", {"shape", "perm"}, strides_from_shape));
    module.add("StridesLayout", strides);
    module.add("DataLayout",
               layout_class(evaluator,
                            {{"row_major", Value::native("row_major", layout("row_major", ir::row_major))},
                             {"column_major", Value::native("column_major", layout("column_major", ir::column_major))},
                             {"local", Value::native("local", layout("local", ir::local_layout))},
                             {"strided", Value::native("strided", strided)}}));
}

} // namespace hidet::lang
