// SPDX-License-Identifier: Apache-2.0
// Scattering is a compute definition where an element can look through all places for what goes to it, and a loop on the
// host where there are too many of them (composed/scatter.h chooses). Attribute: reduction ("none", "add", "mul", "max",
// "min"); with "none" the last one of those that go to one place stays. ScatterND's `first` is not ONNX's: dimensions of the
// data before those that rows of indices name, whole as those behind them are; in the updates they come first, too.
#include <functional>

#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/host/run_on_host.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

std::string shapes(const OpCall& call) {
    return text_of(call.inputs[0]) + ", " + text_of(call.inputs[1]) + " and " + text_of(call.inputs[2]);
}

struct Scattering {
    const char* name;
    ReduceOp op = ReduceOp::Sum;
    Expr (*combined)(const Expr& old, const Expr& by) = nullptr; // null: there is nothing to combine
    Expr (*neutral)(ir::DType dtype) = nullptr;
};

constexpr Scattering scatterings[] = {
    {"none"},
    {"add", ReduceOp::Sum, [](const Expr& old, const Expr& by) { return ir::add(old, by); },
     [](ir::DType dtype) { return number(0, dtype); }},
    {"mul", ReduceOp::Prod, [](const Expr& old, const Expr& by) { return ir::mul(old, by); },
     [](ir::DType dtype) { return number(1, dtype); }},
    {"max", ReduceOp::Max, larger_of, lowest_of},
    {"min", ReduceOp::Min, smaller_of, highest_of},
};

const Scattering& scattering_of(const Attributes& attributes) {
    const std::string name = attributes.get<std::string>("reduction");
    for (const Scattering& each : scatterings)
        if (name == each.name)
            return each;
    throw OpError("scattering has no reduction '", name, "'");
}

void check_scatter_elements(const OpCall& call) {
    const std::size_t rank = call.inputs[0].shape.size();
    const Shape& indices = call.inputs[1].shape;
    const Shape& updates = call.inputs[2].shape;
    bool fits = rank > 0 && indices.size() == rank && updates.size() == rank;
    for (std::size_t d = 0; fits && d < rank; ++d)
        fits = !differ(indices[d], updates[d]);
    const std::size_t axis = fits ? axis_attribute(call, "axis", rank) : 0;
    for (std::size_t d = 0; fits && d < rank; ++d)
        if (const auto have = constant_of(call.inputs[0].shape[d]), want = constant_of(indices[d]); have && want)
            fits = d == axis || *want <= *have;
    if (!fits || !ir::is_integer(call.inputs[1].dtype))
        throw OpError(
            "scatter_elements wants data, integer indices and updates of one rank, the last two of one shape, which "
            "is larger than that of the data along the axis alone, not ",
            shapes(call));
}

// Dimensions of the data that are named by rows of indices.
struct Named {
    std::size_t first = 0, depth = 0;
    std::size_t end() const { return first + depth; }
};

Named named_by_rows(const OpCall& call) {
    const Shape& indices = call.inputs[1].shape;
    const std::int64_t depth = indices.empty() ? -1 : constant_of(indices.back()).value_or(-1);
    const auto first = call.attributes.get_or<std::int64_t>("first", 0);
    const auto rank = static_cast<std::int64_t>(call.inputs[0].shape.size());
    if (depth < 0 || first < 0 || first + depth > rank)
        throw OpError("scatter_nd: the shapes of data, indices and updates do not go together: ", shapes(call));
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(depth)};
}

// What there is to be updated: whole dimensions, places, whole dimensions.
Shape shape_of_updates(const OpCall& call) {
    const Shape& data = call.inputs[0].shape;
    const Shape& indices = call.inputs[1].shape;
    const Named named = named_by_rows(call);
    Shape shape(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(named.first));
    shape.insert(shape.end(), indices.begin(), indices.end() - 1);
    shape.insert(shape.end(), data.begin() + static_cast<std::ptrdiff_t>(named.end()), data.end());
    return shape;
}

void check_scatter_nd(const OpCall& call) {
    const Shape& updates = call.inputs[2].shape;
    const Shape wanted = shape_of_updates(call);
    bool fits = updates.size() == wanted.size();
    for (std::size_t d = 0; fits && d < updates.size(); ++d)
        fits = !differ(updates[d], wanted[d]);
    if (!fits || !ir::is_integer(call.inputs[1].dtype))
        throw OpError("scatter_nd: the shapes of data, indices and updates do not go together: ", shapes(call));
}

std::vector<Indexing> indexed_by_scatter_elements(const OpCall& call) {
    const Shape& data = call.inputs[0].shape;
    return {{.operand = 1, .extents = {data[axis_attribute(call, "axis", data.size())]}}};
}

std::vector<Indexing> indexed_by_scatter_nd(const OpCall& call) {
    const Named named = named_by_rows(call);
    const auto data = call.inputs[0].shape.begin();
    return {{.operand = 1,
             .extents = Shape(data + static_cast<std::ptrdiff_t>(named.first),
                              data + static_cast<std::ptrdiff_t>(named.end()))}};
}

// Inputs: data, indices, updates. Of `count` places the n-th one goes to an index if hits(index, n), with update(index, n).
// Only `deciding` of the axes say what is hit; hits() has no others.
using Hit = std::function<Expr(const Indices& axes, const Expr& n)>;
Task define_scatter(TaskBuilder& builder, const ir::VarRef& data, const Scattering& how, const Dim& count,
                    Named deciding, const Hit& hits, const Hit& update) {
    const auto part = [&](const auto& whole) {
        const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(deciding.first);
        return std::decay_t<decltype(whole)>(begin, begin + static_cast<std::ptrdiff_t>(deciding.depth));
    };
    const ir::DType dtype = dtype_of(data);
    const Shape shape = shape_of(data);
    if (ir::is_constant(count, 0)) {
        return builder.finish("y", dtype, shape, [&](const Indices& axes) { return at(data, axes); });
    }
    if (!how.combined && ir::is_constant(count, 1))
        return builder.finish("y", dtype, shape, [&](const Indices& axes) {
            return ir::select(hits(part(axes), dim(0)), update(axes, dim(0)), at(data, axes));
        });
    if (!how.combined) {
        const ir::VarRef last = builder.arg_reduce(
            "last", part(shape), ReduceOp::ArgMax, count, true,
            [&](const Indices& axes, const Indices& over) { return ir::select(hits(axes, over[0]), dim(1), dim(0)); });
        return builder.finish("y", dtype, shape, [&](const Indices& axes) {
            const Expr n = at(last, part(axes));
            const Expr is_hit = ir::logical_and(ir::less(dim(0), count), hits(part(axes), n));
            return ir::select(is_hit, update(axes, n), at(data, axes));
        });
    }
    const ir::DType work = accumulator_of(dtype);
    const ir::VarRef all =
        builder.reduce("all", work, shape, how.op, {count}, [&](const Indices& axes, const Indices& over) {
            return ir::select(hits(part(axes), over[0]), ir::cast_to(update(axes, over[0]), work), how.neutral(work));
        });
    return builder.finish("y", dtype, shape, [&](const Indices& axes) {
        return how.combined(ir::cast_to(at(data, axes), work), at(all, axes));
    });
}

Task define_scatter_elements(const OpCall& call) {
    check_scatter_elements(call);
    const Shape data = call.inputs[0].shape;
    const Shape places = call.inputs[1].shape;
    const std::size_t axis = axis_attribute(call, "axis", data.size());
    TaskBuilder builder("scatter_elements");
    const ir::VarRef x = builder.input("data", call.inputs[0].dtype, data);
    const ir::VarRef indices = builder.input("indices", call.inputs[1].dtype, places);
    const ir::VarRef updates = builder.input("updates", call.inputs[2]);
    for (std::size_t d = 0; d < data.size(); ++d) {
        builder.require_equal(places[d], call.inputs[2].shape[d], "indices and updates are of one shape");
        if (d != axis)
            builder.require(ir::less_equal(places[d], data[d]), "the indices are not larger than the data");
    }
    const auto place = [&](const Indices& axes, const Expr& n) {
        Indices index = axes;
        index[axis] = n;
        return index;
    };
    const auto hits = [&](const Indices& axes, const Expr& n) {
        ir::ExprVec conditions; // the indices may cover less than the data
        for (std::size_t d = 0; d < axes.size(); ++d)
            if (d != axis && !same_dim(places[d], data[d]))
                conditions.push_back(ir::less(axes[d], places[d]));
        const Expr to = ir::cast_to(at(indices, place(axes, n)), ir::DType::I64);
        conditions.push_back(ir::logical_or(ir::equal(to, axes[axis]), ir::equal(ir::add(to, data[axis]), axes[axis])));
        return all_of(conditions);
    };
    const auto update = [&](const Indices& axes, const Expr& n) { return at(updates, place(axes, n)); };
    return define_scatter(builder, x, scattering_of(call.attributes), places[axis], {0, data.size()}, hits, update);
}

Task define_scatter_nd(const OpCall& call) {
    check_scatter_nd(call);
    const Shape data = call.inputs[0].shape;
    const Shape places(call.inputs[1].shape.begin(), call.inputs[1].shape.end() - 1);
    const Named named = named_by_rows(call);
    TaskBuilder builder("scatter_nd");
    const ir::VarRef x = builder.input("data", call.inputs[0].dtype, data);
    const ir::VarRef indices = builder.input("indices", call.inputs[1]);
    const ir::VarRef updates = builder.input("updates", call.inputs[2]);
    const Shape wanted = shape_of_updates(call);
    for (std::size_t d = 0; d < wanted.size(); ++d)
        builder.require_equal(call.inputs[2].shape[d], wanted[d], "there is an update for each row of indices");
    const auto place = [&](const Expr& n) { return places.empty() ? Indices() : ir::unflatten(n, places); };
    const auto hits = [&](const Indices& axes, const Expr& n) {
        ir::ExprVec conditions;
        for (std::size_t d = 0; d < named.depth; ++d) {
            Indices index = place(n);
            index.push_back(dim(static_cast<std::int64_t>(d)));
            const Expr to = ir::cast_to(at(indices, index), ir::DType::I64);
            const Expr from_end = ir::add(to, data[named.first + d]);
            conditions.push_back(ir::logical_or(ir::equal(to, axes[d]), ir::equal(from_end, axes[d])));
        }
        return all_of(conditions);
    };
    const auto update = [&](const Indices& axes, const Expr& n) {
        Indices index(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(named.first));
        const Indices between = place(n);
        index.insert(index.end(), between.begin(), between.end());
        index.insert(index.end(), axes.begin() + static_cast<std::ptrdiff_t>(named.end()), axes.end());
        return at(updates, index);
    };
    return define_scatter(builder, x, scattering_of(call.attributes), element_count(places), named, hits, update);
}

template <void (*check)(const OpCall& call)>
std::vector<TensorSpec> infer_scatter(const OpCall& call, FreshSymbols&) {
    check(call);
    scattering_of(call.attributes);
    return {call.inputs[0]};
}

} // namespace

std::span<const OpInfo> op_tables::scatter() {
    static const OpInfo table[] = {
        {OpId::ScatterElements, "scatter_elements", "data, indices, updates, axis: int = 0, reduction: str = 'none'",
         OpClass::Other, "the data with updates at the places that the indices give along `axis`",
         "hidet.ops.scatter_elements(hidet.zeros([3, 3]), hidet.zeros([1, 3], dtype='int64'), hidet.ones([1, 3]))",
         define_scatter_elements, indexed_by_scatter_elements},
        {OpId::ScatterND, "scatter_nd", "data, indices, updates, reduction: str = 'none', first: int = 0",
         OpClass::Other,
         "the data with updates for the slices that rows of indices name, in its dimensions from `first` on",
         "hidet.ops.scatter_nd(hidet.zeros([3, 3]), hidet.zeros([2, 1], dtype='int64'), hidet.ones([2, 3]))",
         define_scatter_nd, indexed_by_scatter_nd},
        {.id = OpId::HostScatterElements,
         .parameters = "data, indices, updates, axis: int = 0, reduction: str = 'none'",
         .cls = OpClass::Host,
         .summary = "as ScatterElements, in a time that is linear in the number of updates",
         .example =
             "hidet.ops.scatter_elements(hidet.zeros([3, 3]), hidet.zeros([1, 3], dtype='int64'), hidet.ones([1, 3]))",
         .indexes = indexed_by_scatter_elements,
         .infer = infer_scatter<check_scatter_elements>,
         .run = run_on_host},
        {.id = OpId::HostScatterND,
         .parameters = "data, indices, updates, reduction: str = 'none'",
         .cls = OpClass::Host,
         .summary = "as ScatterND, in a time that is linear in the number of updates",
         .example = "hidet.ops.scatter_nd(hidet.zeros([3, 3]), hidet.zeros([2, 1], dtype='int64'), hidet.ones([2, 3]))",
         .indexes = indexed_by_scatter_nd,
         .infer = infer_scatter<check_scatter_nd>,
         .run = run_on_host},
    };
    return table;
}

} // namespace hidet::graph
