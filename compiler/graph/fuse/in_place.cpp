// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/in_place.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/graph/fuse/updated_slice.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"

namespace hidet::graph {

using namespace ir;

namespace {

std::vector<const Var*> variables_of(const ExprRef& expr) {
    std::vector<const Var*> found;
    each_node(expr, [&](const Var& use) { found.push_back(&use); });
    return found;
}

// Indices of one element, in a function where variables are themselves; there is one index of an extent of 1.
bool same_place(const ExprVec& a, const ExprVec& b, const Shape& shape) {
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (!is_constant(shape[d], 1) && !(structural_equal(a[d], b[d]) && variables_of(a[d]) == variables_of(b[d])))
            return false;
    return true;
}

// A tensor in a function: how often it is named, and which of that are plain loads and stores of elements.
struct Accesses {
    std::size_t uses = 0;
    std::vector<const TensorElement*> loads;
    std::vector<const StoreStmt*> stores;
};

Accesses accesses_of(const Function& function, const Var& tensor) {
    Accesses found;
    const auto is_it = [&](const ExprRef& base) { return base.get() == &tensor; };
    each_node(
        function.body, [&](const Var& use) { found.uses += &use == &tensor ? 1 : 0; },
        [&](const TensorElement& load) {
            if (is_it(load.base) && !load.is_protected)
                found.loads.push_back(&load);
        },
        [&](const StoreStmt& store) {
            if (is_it(store.base) && !store.is_protected)
                found.stores.push_back(&store);
        });
    return found;
}

// The kernel makes each element of y after it has read the same one of x, and no other. x null: it does not have it.
bool updates_elements(const Function& kernel, const Var* x, const Var& y, const Shape& shape) {
    const Accesses made = accesses_of(kernel, y);
    if (made.stores.size() != 1 || made.uses != 1)
        return false;
    const Accesses read = x ? accesses_of(kernel, *x) : Accesses();
    return read.uses == read.loads.size() && std::ranges::all_of(read.loads, [&](const TensorElement* load) {
               return same_place(load->indices, made.stores[0]->indices, shape);
           });
}

// What the kernel stores to y, which lies where x does, where it is not what was there.
class ChangesAlone : public Rewriter {
public:
    ChangesAlone(const Var* x, const Var& y, const Shape& shape) : m_x(x), m_y(y), m_shape(shape) {}

protected:
    using Rewriter::visit;
    StmtRef visit(const StoreStmt& store) override {
        const auto* choice = as<Select>(store.value);
        if (store.base.get() != &m_y || !choice)
            return rebuild(store);
        const bool keeps_a = is_kept(choice->a, store);
        if (!keeps_a && !is_kept(choice->b, store))
            return rebuild(store);
        StmtRef change = make_store(store.base, store.indices, keeps_a ? choice->b : choice->a);
        return make_if(keeps_a ? logical_not(choice->condition) : choice->condition, std::move(change));
    }

private:
    bool is_kept(const ExprRef& value, const StoreStmt& store) const {
        const auto* load = as<TensorElement>(value);
        return load && load->base.get() == m_x && same_place(load->indices, store.indices, m_shape);
    }

    const Var* m_x; // null: the kernel does not read it
    const Var& m_y;
    const Shape& m_shape;
};

// Where a call of a kernel has the tensor.
std::optional<std::size_t> argument_of(const ExprVec& args, const Var* tensor) {
    const auto found = std::ranges::find(args, tensor, [](const ExprRef& arg) { return arg.get(); });
    return found == args.end() ? std::nullopt : std::optional<std::size_t>(found - args.begin());
}

struct Run { // of a kernel
    std::string kernel;
    std::optional<std::size_t> x, y; // its arguments
};

// That of the only kernel which gets x or y; nothing when they are used otherwise.
std::optional<Run> only_run_on(const Function& launch, const Var* x, const Var* y) {
    std::vector<Run> found;
    std::size_t uses = 0, known = 0;
    const auto note = [&](const std::string& kernel, const ExprVec& args) {
        const Run each{kernel, argument_of(args, x), argument_of(args, y)};
        known += (each.x ? 1 : 0) + (each.y ? 1 : 0);
        if (each.x || each.y)
            found.push_back(each);
    };
    each_node(
        launch.body, [&](const Var& use) { uses += &use == x || &use == y ? 1 : 0; },
        [&](const LaunchStmt& each) { note(each.kernel, each.args); },
        [&](const Call& each) { note(each.callee, each.args); });
    return uses == known && found.size() == 1 && found[0].y ? std::optional(found[0]) : std::nullopt;
}

class Updating {
public:
    Updating(const Graph& graph, GroupProgram& program)
        : m_graph(graph), m_program(program), m_module(*program.module) {}

    void run(const Updated& wanted) {
        const std::size_t before = m_program.inputs.size() + m_program.packed.size();
        const auto run = only_run_on(*m_module.functions.back(), parameter(m_program.inputs, 0, wanted.input),
                                     parameter(m_program.outputs, before, wanted.result));
        const auto kernel = std::ranges::find(m_module.functions, run ? run->kernel : std::string(),
                                              [](const FunctionRef& each) { return each->name; });
        if (!run || kernel == m_module.functions.end())
            return;
        const Var* x = run->x ? (*kernel)->params[*run->x].get() : nullptr;
        const Var& y = *(*kernel)->params[*run->y];
        const Shape& shape = m_graph.value(wanted.result).spec.shape;
        if (!updates_elements(**kernel, x, y, shape))
            return;
        m_program.in_place.push_back(wanted);
        Function changed = **kernel;
        changed.body = ChangesAlone(x, y, shape).rewrite(changed.body);
        *kernel = make<Function>(std::move(changed));
        walk_over_updated_slice(m_module, *kernel, y, shape);
    }
    void finish() {
        if (!m_program.in_place.empty())
            m_program.module = make<Module>(std::move(m_module));
    }

private:
    // Of launch; null: it has none for that.
    const Var* parameter(const std::vector<ValueId>& values, std::size_t first, ValueId value) const {
        const auto found = std::ranges::find(values, value);
        const auto at = first + static_cast<std::size_t>(found - values.begin());
        return found == values.end() ? nullptr : m_module.functions.back()->params[at].get();
    }

    const Graph& m_graph;
    GroupProgram& m_program;
    Module m_module;
};

// Nothing in the graph reads what it makes.
bool is_last(const Graph& graph, const Group& group) {
    const auto is_inside = [&](const Use& use) {
        return std::ranges::find(group.nodes, use.node) != group.nodes.end();
    };
    return std::ranges::all_of(group.nodes, [&](NodeId node) {
        return std::ranges::all_of(graph.node(node).outputs, [&](ValueId value) {
            return std::ranges::all_of(graph.value(value).uses, is_inside);
        });
    });
}

using Places = std::unordered_multimap<std::uint32_t, std::size_t>; // of nodes: their groups

// Whether the group reads an input that another one's result takes the place of.
bool reads_overwritten(const Graph& graph, const Group& group) {
    const auto is_made_here = [&](ValueId value) {
        return std::ranges::find(group.nodes, graph.value(value).producer) != group.nodes.end();
    };
    const auto is_overwritten = [&](ValueId value) {
        return std::ranges::any_of(graph.in_place, [&](const InPlace& each) {
            return graph.inputs[each.input] == value && !is_made_here(graph.outputs()[each.result]);
        });
    };
    return std::ranges::any_of(group.nodes, [&](NodeId node) {
        return std::ranges::any_of(graph.node(node).inputs,
                                   [&](ValueId value) { return is_overwritten(memory_of(graph, value)); });
    });
}

// Who reads what a group overwrites.
struct EarlierReaders {
    const Graph& graph;
    const Places& places;
    std::size_t group = 0;
    std::size_t first_alike = 0; // the first of the groups that run in any order with it, or at once

    // Of the value, and of what shares its memory.
    bool are_before(ValueId value) const {
        return std::ranges::all_of(graph.value(value).uses, [&](const Use& use) { return is_before(use.node); });
    }

    bool is_before(NodeId reader) const {
        const Node& node = graph.node(reader);
        const auto [first, end] = places.equal_range(reader.index);
        return first != end && std::all_of(first, end, [&](const auto& place) {
                   const std::size_t at = place.second;
                   return at == group ||
                          (at < group && at < first_alike && (!node.op->shares_memory || are_before(node)));
               });
    }
    bool are_before(const Node& view) const {
        return std::ranges::all_of(view.outputs,
                                   [&](ValueId each) { return !graph.is_output(each) && are_before(each); });
    }
};

} // namespace

ValueId memory_of(const Graph& graph, ValueId value) {
    for (NodeId producer = graph.value(value).producer; producer.valid() && graph.node(producer).op->shares_memory;
         producer = graph.value(value).producer)
        value = graph.node(producer).inputs[0];
    return value;
}

void order_in_place(const Graph& graph, Partition& partition) {
    if (graph.in_place.empty())
        return;
    std::vector<Group>& groups = partition.groups;
    const auto last = std::ranges::stable_partition(groups, [&](const Group& each) { return !is_last(graph, each); });
    const auto first_last = static_cast<std::size_t>(last.begin() - groups.begin());
    const auto end =
        std::ranges::stable_partition(last, [&](const Group& each) { return reads_overwritten(graph, each); });
    const auto first_of_end = static_cast<std::size_t>(end.begin() - groups.begin());
    Places places;
    for (std::size_t i = 0; i < groups.size(); ++i)
        for (const NodeId node : groups[i].nodes)
            places.emplace(node.index, i);
    for (const InPlace& each : graph.in_place) {
        const ValueId result = graph.outputs()[each.result], input = graph.inputs[each.input];
        const Value &made = graph.value(result), &given = graph.value(input);
        const auto own = made.producer.valid() ? places.find(made.producer.index) : places.end();
        if (own == places.end())
            continue;
        const bool is_alike = made.spec.dtype == given.spec.dtype && same_shape(made.spec.shape, given.spec.shape);
        const bool is_free = std::ranges::count(graph.outputs(), result) == 1 && !graph.is_output(input);
        const std::size_t first_alike = own->second < first_of_end ? first_last : first_of_end;
        const bool is_behind_all = EarlierReaders{graph, places, own->second, first_alike}.are_before(input);
        if (is_alike && is_free && is_behind_all)
            groups[own->second].in_place.push_back({result, input});
    }
}

void write_in_place(const Graph& graph, const std::vector<Updated>& wanted, GroupProgram& program) {
    Updating updating(graph, program);
    for (const Updated& each : wanted)
        updating.run(each);
    updating.finish();
}

} // namespace hidet::graph
