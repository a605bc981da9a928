// SPDX-License-Identifier: Apache-2.0
// hidet.distributed.functional: the collectives of hidet.distributed that give a new tensor, which a graph can hold. Those of
// hidet.distributed write to tensors, and a symbolic one is not written to.
#include <numeric>

#include "compiler/graph/script/composer.h"
#include "compiler/graph/script/modules.h"
#include "lang/base/text.h"
#include "lang/host/modules/distributed.h"

namespace hidet::graph {

namespace {

// As attributes of an operator.
struct GroupOfGraph {
    std::int64_t number = 0, size = 1;
    Attributes attributes() const {
        Attributes out;
        out.set("group", number);
        out.set("size", size);
        return out;
    }
};

GroupOfGraph group_of(const Composer& c, const Arguments& a, std::size_t i) {
    const auto* group = a.given(i) ? a[i].extension<lang::GroupObject>() : nullptr;
    if (a.given(i) && !group)
        a.wrong_type(i, "a process group");
    const HostValue module = c.evaluator().import("hidet.distributed", c.span());
    const HostValue size = c.evaluator().call(c.evaluator().attribute(module, "get_world_size", c.span()),
                                              {group ? a[i] : HostValue()}, c.span());
    if (size.as_int() < 0)
        c.refuse("the process is not in this group");
    return {group ? group->number() : 0, size.as_int()};
}

HostValue reduction_of(const Arguments& a, std::size_t i) {
    return HostValue::str(a.given(i) ? a.str(i) : "sum");
}

// [a, size * b, c] as [size, a, b, c], or the other way round, flat in the first dimension that is left.
class Axis {
public:
    Axis(const Composer& c, const HostValue& x, std::int64_t axis, std::int64_t size)
        : m_c(c), m_shape(c.shape_of(x)), m_axis(c.axis(axis, static_cast<std::int64_t>(m_shape.size()))),
          m_size(size) {}

    bool is_first() const { return m_axis == 0; }
    // Its parts one behind the other.
    HostValue parts_first(const HostValue& x) const {
        if (is_first())
            return x;
        Composer::Values split = m_shape;
        const HostValue part = divided(m_shape[at()]);
        split[at()] = part;
        split.insert(split.begin() + m_axis, HostValue::integer(m_size));
        const HostValue moved = m_c.op("permute_dims", {reshaped(x, split), m_c.ints(order(m_axis, 0))});
        Composer::Values flat = m_shape;
        flat[at()] = part;
        flat[0] = times(m_shape[0]);
        return reshaped(moved, flat);
    }
    // What parts_first() gives, of parts that are as large as the tensor of this axis.
    HostValue parts_along(const HostValue& x) const {
        if (is_first())
            return x;
        Composer::Values split = m_shape;
        split.insert(split.begin(), HostValue::integer(m_size));
        const HostValue moved = m_c.op("permute_dims", {reshaped(x, split), m_c.ints(order(0, m_axis))});
        Composer::Values joined = m_shape;
        joined[at()] = times(joined[at()]);
        return reshaped(moved, joined);
    }

private:
    std::size_t at() const { return static_cast<std::size_t>(m_axis); }
    HostValue reshaped(const HostValue& x, const Composer::Values& shape) const {
        return m_c.op("reshape", {x, m_c.list(shape)});
    }
    HostValue times(const HostValue& extent) const {
        return m_c.evaluator().binary(lang::ast::BinaryOp::Mul, extent, HostValue::integer(m_size), m_c.span(),
                                      m_c.span());
    }
    HostValue divided(const HostValue& extent) const {
        if (extent.is(ValueKind::Int) && extent.as_int() % m_size != 0)
            m_c.refuse(cat("axis ", m_axis, " has ", extent.as_int(), " elements, which are no equal parts for ",
                           m_size, " processes"));
        return m_c.evaluator().binary(lang::ast::BinaryOp::FloorDiv, extent, HostValue::integer(m_size), m_c.span(),
                                      m_c.span());
    }
    Ints order(std::int64_t from, std::int64_t to) const {
        Ints order(m_shape.size() + 1);
        std::iota(order.begin(), order.end(), 0);
        order.erase(order.begin() + from);
        order.insert(order.begin() + to, from);
        return order;
    }

    const Composer& m_c;
    const Composer::Values m_shape;
    const std::int64_t m_axis, m_size;
};

HostValue all_reduce(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "all_reduce", {"tensor", "op=", "group="});
    Attributes attributes = group_of(c, a, 2).attributes();
    attributes.set("reduction", reduction_of(a, 1).as_str());
    return c.applied(op_info::AllReduce(), a[0], std::move(attributes));
}

HostValue broadcast_tensor(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "broadcast", {"tensor", "src", "group="});
    Attributes attributes = group_of(c, a, 2).attributes();
    const auto* group = a.given(2) ? a[2].extension<lang::GroupObject>() : nullptr;
    attributes.set("src", group ? std::int64_t{group->rank_of(c.evaluator(), a, 1)} : a.integer(1, 0));
    return c.applied(op_info::BroadcastFrom(), a[0], std::move(attributes));
}

HostValue all_gather(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "all_gather", {"tensor", "axis=", "group="});
    const GroupOfGraph group = group_of(c, a, 2);
    const Axis axis(c, a[0], a.integer(1, 0), group.size);
    return axis.parts_along(c.applied(op_info::AllGather(), a[0], group.attributes()));
}

HostValue reduce_scatter(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "reduce_scatter", {"tensor", "op=", "axis=", "group="});
    const GroupOfGraph group = group_of(c, a, 3);
    const Axis axis(c, a[0], a.integer(2, 0), group.size);
    Attributes attributes = group.attributes();
    attributes.set("reduction", reduction_of(a, 1).as_str());
    return c.applied(op_info::ReduceScatter(), axis.parts_first(a[0]), std::move(attributes));
}

HostValue all_to_all(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "all_to_all", {"tensor", "group="});
    return c.applied(op_info::AllToAll(), a[0], group_of(c, a, 1).attributes());
}

struct FunctionalCollective {
    const char* name;
    HostValue (*function)(const Composer&, Args&);
};

constexpr FunctionalCollective functional_collectives[] = {
    {"all_gather", all_gather},      {"all_reduce", all_reduce},         {"all_to_all", all_to_all},
    {"broadcast", broadcast_tensor}, {"reduce_scatter", reduce_scatter},
};

// Of a collective that writes to tensors.
void refuse_symbolic(const Args& args, std::string_view name, Span span) {
    for (std::size_t i = 0; i < args.positional.size(); ++i)
        if (args.positional[i].extension<SymbolicTensor>())
            fail(DiagId::BadType, args.span_of(i, span),
                 cat("hidet.distributed.", name, "() writes to tensors, and a symbolic one has no data: ",
                     "functions of hidet.distributed.functional give new ones"));
}

} // namespace

void add_functional_collectives(ScriptGraphs& graphs, Evaluator&, lang::HostModule& module) {
    for (const FunctionalCollective& row : functional_collectives)
        module.function(row.name, [&graphs, function = row.function](Evaluator& evaluator, Args& args, Span span) {
            return function(Composer(graphs, evaluator, span), args);
        });
}

void keep_symbolic_tensors(ScriptGraphs&, Evaluator&, lang::HostModule& module) {
    for (const char* name : {"all_gather", "all_gather_into_tensor", "all_reduce", "all_to_all", "broadcast", "gather",
                             "recv", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter", "send"}) {
        const HostValue* eager = module.table.find(name);
        HIDET_CHECK(eager, name);
        module.function(name, [name, eager = *eager](Evaluator& evaluator, Args& args, Span span) {
            refuse_symbolic(args, name, span);
            return evaluator.call(eager, args, span);
        });
    }
}

} // namespace hidet::graph
