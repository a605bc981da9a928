// SPDX-License-Identifier: Apache-2.0
// Groups grow around anchors. An anchor is an operator with a reduction: it gets a kernel whatever happens.
//
//   0. Casts to a wider type are prologues of the anchor that reads them: the narrow tensor is what is stored.
//   1. Epilogues: a group takes the only reader of a tensor that it makes, when the reader's inverse map tells where each
//      element goes.
//      Floats that bytes become by steps are prologues then, of whoever reads them.
//   2. Epilogues of tensors with several readers, or that are results: the tensor is stored as well. Two tensors of the
//      group may meet again in one reader (x * sigmoid(x)) when both come to it at the same index.
//   3. Prologues: a group takes the producer of a tensor that nobody else reads, when reading it again and again is not
//      worse than keeping it (schedule/cost.h).
//   4. What is left moves elements or computes them one by one; from the end, each is an anchor that takes prologues.
//   5. Prologues that only see a stored tensor under another shape leave: a view costs nothing, and the kernel may then take
//      the tensor's address.
//
// Steps 1 and 3 keep the graph of groups free of cycles: a group has one tensor that others read. Step 2 does not, so it
// asks that what the reader needs besides is computed before the group's tensors in execution order; that may still close
// a circle through another such group, and then the groups in it are grown again without step 2.
//
// Every edge is looked at a bounded number of times, and every tensor counts its readers by group, so the time is linear
// in the number of edges.
#include "compiler/graph/fuse/partitioner.h"

#include <algorithm>

#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "compiler/perf/expression_cost.h"

namespace hidet::graph {

namespace {

constexpr double largest_size = 3000; // nodes of expressions in a kernel
constexpr double largest_depth = 150;
constexpr std::size_t most_members = 200;
// Tensors that a kernel reads: each is a parameter, of which a GPU takes 4 KiB and compilers not many in little time.
constexpr std::size_t most_operands = 128;

} // namespace

Partitioner::Partitioner(const Graph& graph, const FusionChoices& choices, std::vector<bool> single_exit)
    : m_graph(graph), m_choices(graph, choices), m_is_enabled(choices.enabled),
      m_target(choices.target && choices.target->is_cuda() ? &*choices.target : nullptr),
      m_single_exit(std::move(single_exit)), m_order(graph.topological()), m_extent_edges(extent_edges(graph)),
      m_position(graph.node_slots()), m_members(graph.node_slots()), m_readers(graph.value_slots()),
      m_is_reserved(graph.node_slots()) {
    m_single_exit.resize(graph.node_slots());
    for (std::uint32_t i = 0; i < m_order.size(); ++i)
        m_position[m_order[i].index] = i;
    reserve_forced();
}

void Partitioner::reserve_forced() {
    if (m_choices.empty())
        return;
    for (NodeId id : m_order)
        for (ValueId input : m_graph.node(id).inputs)
            if (const NodeId producer = m_graph.value(input).producer;
                producer.valid() && m_choices.is_forced(producer, id) && fuses(producer) && !is_anchor(producer) &&
                is_anchor(id))
                m_is_reserved[producer.index] = true;
}

const TaskMeasure& Partitioner::measured(NodeId id) {
    const auto found = m_measures.find(id.index);
    return found != m_measures.end() ? found->second : m_measures.emplace(id.index, measure(task(id))).first->second;
}

// ---- growth -------------------------------------------------------------------------------------------------------------

// With that node, of which the kernel gets so much text.
bool Partitioner::is_too_large(int group, NodeId id, double size, double depth) const {
    const GrowingGroup& growing = m_groups[static_cast<std::size_t>(group)];
    if (growing.size + size > largest_size || depth > largest_depth || growing.nodes.size() >= most_members)
        return true;
    const std::vector<ValueId>& inputs = m_graph.node(id).inputs;
    if (growing.operands.size() + inputs.size() <= most_operands)
        return false;
    std::size_t operands = growing.operands.size();
    for (ValueId output : m_graph.node(id).outputs)
        operands -= growing.operands.contains(output.index);
    std::unordered_set<std::uint32_t> more;
    for (ValueId input : inputs)
        if (group_of(input) != group && !growing.operands.contains(input.index))
            more.insert(input.index);
    return operands + more.size() > most_operands;
}

void Partitioner::join(NodeId id, int group, Role role) {
    m_members[id.index].group = group;
    m_members[id.index].role = role;
    GrowingGroup& growing = m_groups[static_cast<std::size_t>(group)];
    growing.nodes.push_back(id);
    for (ValueId output : m_graph.node(id).outputs)
        growing.operands.erase(output.index);
    for (ValueId input : m_graph.node(id).inputs) {
        if (group_of(input) != group)
            growing.operands.insert(input.index);
        Readership& readers = m_readers[input.index];
        readers.is_mixed = readers.is_mixed || (readers.count > 0 && readers.group != group);
        readers.group = group;
        ++readers.count;
    }
}

int Partitioner::start(NodeId anchor) {
    const int group = static_cast<int>(m_groups.size());
    m_groups.emplace_back();
    m_groups.back().may_have_several = !m_single_exit[anchor.index];
    join(anchor, group, Role::Anchor);
    if (fuses(anchor)) {
        m_groups.back().size = measured(anchor).size;
        m_members[anchor.index].depth = measured(anchor).depth;
    }
    return group;
}

void Partitioner::grow() {
    for (NodeId id : m_order)
        if (is_anchor(id) || !m_is_enabled)
            start(id);
    if (!m_is_enabled)
        return;
    const auto anchors = static_cast<int>(m_groups.size());
    if (!m_choices.empty())
        for (int group = 0; group < anchors; ++group)
            grow_epilogues(group, Readers::Several, true);
    grow_widening_casts();
    for (int group = 0; group < anchors; ++group)
        grow_epilogues(group, Readers::One, false);
    grow_floats_of_bytes();
    for (int group = 0; group < anchors; ++group)
        grow_epilogues(group, Readers::Several, false);
    for (int group = 0; group < anchors; ++group)
        grow_prologues(group);
    for (auto id = m_order.rbegin(); id != m_order.rend(); ++id)
        if (is_free(*id))
            grow_prologues(start(*id));
    release_views();
}

void Partitioner::grow_epilogues(int group, Readers readers, bool forced_only) {
    // Prologues come later, so all nodes make tensors that epilogues may read. New members are appended.
    for (std::size_t i = 0; i < m_groups[static_cast<std::size_t>(group)].nodes.size(); ++i) {
        const NodeId id = m_groups[static_cast<std::size_t>(group)].nodes[i];
        if (!fuses(id))
            return;
        for (ValueId output : m_graph.node(id).outputs)
            for (const Use& use : m_graph.value(output).uses) {
                if (!is_free(use.node) || (forced_only && !m_choices.is_forced(id, use.node)))
                    continue;
                if (epilogue_blocker(group, output, use.node, readers))
                    continue;
                m_groups[static_cast<std::size_t>(group)].size += measured(use.node).size;
                join(use.node, group, Role::Epilogue);
            }
    }
}

std::optional<FusionBlocker> Partitioner::epilogue_blocker(int group, ValueId value, NodeId user, Readers readers) {
    const Node& node = m_graph.node(user);
    const GrowingGroup& growing = m_groups[static_cast<std::size_t>(group)];
    if (!fuses(user) || is_anchor(user))
        return fuses(user) ? FusionBlocker::TwoAnchors : FusionBlocker::NeverFuses;
    if (!task(growing.nodes[0]).allow_epilogue)
        return FusionBlocker::NoEpilogue;
    if (node.outputs.size() != 1)
        return FusionBlocker::SeveralOutputs;
    if (const auto said = m_choices.forbidden(m_graph.value(value).producer, user))
        return said;
    if (m_is_reserved[user.index])
        return FusionBlocker::AlreadyTaken;
    const bool is_shared = m_graph.is_output(value) || m_graph.value(value).uses.size() > 1;
    if (is_shared && (readers == Readers::One || !growing.may_have_several || node.op->shares_memory))
        return m_graph.is_output(value) ? FusionBlocker::GraphOutput : FusionBlocker::SeveralReaders;
    int inside = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (group_of(node.inputs[i]) != group)
            continue;
        ++inside;
        if (!task(user).inverse_maps[i])
            return FusionBlocker::NoInverse;
        if (const auto said = m_choices.forbidden(m_graph.value(node.inputs[i]).producer, user))
            return said;
    }
    if (inside > 1 && (readers == Readers::One || !meets_at_one_place(group, user)))
        return FusionBlocker::TwoPaths;
    if (readers == Readers::Several && comes_too_late(group, user) && !is_only_way_out(group, user))
        return FusionBlocker::Circular;
    const TaskMeasure& measure = measured(user);
    if (is_too_large(group, user, measure.size, measure.depth))
        return FusionBlocker::TooLarge;
    return std::nullopt;
}

// Does the user read something that might be computed from the group's tensors? What comes first in execution order is not.
bool Partitioner::comes_too_late(int group, NodeId user) const {
    std::uint32_t first = UINT32_MAX;
    for (NodeId id : m_groups[static_cast<std::size_t>(group)].nodes)
        first = std::min(first, m_position[id.index]);
    for (ValueId input : m_graph.node(user).inputs) {
        const NodeId producer = m_graph.value(input).producer;
        if (producer.valid() && m_members[producer.index].group != group && m_position[producer.index] > first)
            return true;
    }
    return false;
}

// Nobody outside but the user reads the group's tensors, so nothing that the user reads besides depends on them.
bool Partitioner::is_only_way_out(int group, NodeId user) const {
    for (NodeId id : m_groups[static_cast<std::size_t>(group)].nodes)
        for (ValueId output : m_graph.node(id).outputs)
            for (const Use& use : m_graph.value(output).uses)
                if (use.node != user && m_members[use.node.index].group != group)
                    return false;
    return true;
}

// Where the element that the map makes of that one is.
static Place moved(const Place& from, const InverseMap& map) {
    ir::Rewriter rewriter;
    for (std::size_t d = 0; d < map.axes.size(); ++d)
        rewriter.replace(map.axes[d], from.indices[d]);
    return {from.root,
            transformed(map.indices, [&](const ir::ExprRef& index) { return simplified(rewriter.rewrite(index)); })};
}

const Place& Partitioner::place_of(ValueId value) {
    if (const auto found = m_places.find(value.index); found != m_places.end())
        return found->second;
    const NodeId id = m_graph.value(value).producer;
    Place place;
    if (m_members[id.index].role == Role::Anchor) {
        place.root = value;
        for (std::size_t d = 0; d < m_graph.value(value).spec.shape.size(); ++d)
            place.indices.push_back(symbol_dim("axis " + std::to_string(d))); // equal by name, as variables are not
    } else {
        const Node& node = m_graph.node(id);
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (group_of(node.inputs[i]) != m_members[id.index].group || !node.task->inverse_maps[i])
                continue;
            place = moved(place_of(node.inputs[i]), *node.task->inverse_maps[i]);
            break;
        }
    }
    return m_places.emplace(value.index, std::move(place)).first->second;
}

// Several tensors of the group that the user reads follow from the same element of the anchor's result, and the user's
// element from each of them is the same.
bool Partitioner::meets_at_one_place(int group, NodeId user) {
    const Node& node = m_graph.node(user);
    std::optional<Place> first;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (group_of(node.inputs[i]) != group)
            continue;
        Place here = moved(place_of(node.inputs[i]), *node.task->inverse_maps[i]);
        if (!first)
            first = std::move(here);
        else if (first->root != here.root || !same_shape(first->indices, here.indices))
            return false;
    }
    return true;
}

void Partitioner::grow_prologues(int group) {
    for (std::size_t i = 0; i < m_groups[static_cast<std::size_t>(group)].nodes.size(); ++i) {
        const NodeId id = m_groups[static_cast<std::size_t>(group)].nodes[i];
        for (ValueId input : m_graph.node(id).inputs)
            if (const NodeId producer = m_graph.value(input).producer; producer.valid())
                take_prologue(group, producer);
    }
}

void Partitioner::take_prologue(int group, NodeId producer) {
    const NodeId anchor = m_groups[static_cast<std::size_t>(group)].nodes[0];
    if (!is_free(producer) || !fuses(producer) || !fuses(anchor) || !has_readers_in(group, m_graph.node(producer)))
        return;
    if (const auto refused = prologue_blocker(group, producer)) {
        m_members[producer.index].refused = refused;
        return;
    }
    Member member = m_members[producer.index];
    measure_prologue(producer, member);
    m_members[producer.index] = member;
    m_groups[static_cast<std::size_t>(group)].size += member.copies * measured(producer).size;
    join(producer, group, Role::Prologue);
}

void Partitioner::release_views() {
    for (const NodeId id : m_order) {
        const Member& member = m_members[id.index];
        const Node& node = m_graph.node(id);
        if (member.role != Role::Prologue || !node.op->shares_memory || group_of(node.inputs[0]) == member.group)
            continue;
        std::erase(m_groups[static_cast<std::size_t>(member.group)].nodes, id);
        start(id);
    }
}

void Partitioner::grow_widening_casts() {
    for (const NodeId id : m_order) {
        const Node& node = m_graph.node(id);
        if (!node.is(OpId::Cast))
            continue;
        const auto bits = [&](ValueId value) { return ir::info(m_graph.value(value).spec.dtype).bits; };
        const Readership& readers = m_readers[node.outputs[0].index];
        if (bits(node.inputs[0]) < bits(node.outputs[0]) && readers.count > 0)
            take_prologue(readers.group, id);
    }
}

// Bytes that become floats by steps of one operand are what is stored: who reads the floats computes the steps.
void Partitioner::grow_floats_of_bytes() {
    for (const NodeId id : m_order) {
        const Node& cast = m_graph.node(id);
        if (!cast.is(OpId::Cast) || !is_free(id) || ir::info(m_graph.value(cast.inputs[0]).spec.dtype).bits != 8)
            continue;
        std::vector<NodeId> steps = {id};
        for (NodeId next = next_step(id); next.valid(); next = next_step(next))
            steps.push_back(next);
        for (auto step = steps.rbegin(); step != steps.rend(); ++step)
            if (const Readership& readers = m_readers[m_graph.node(*step).outputs[0].index]; readers.count > 0)
                take_prologue(readers.group, *step);
    }
}

// The only reader, if it computes each element of this one alone.
NodeId Partitioner::next_step(NodeId id) const {
    const ValueId value = m_graph.node(id).outputs[0];
    const std::vector<Use>& uses = m_graph.value(value).uses;
    if (uses.size() != 1 || m_graph.is_output(value) || !is_free(uses[0].node))
        return {};
    const Node& reader = m_graph.node(uses[0].node);
    const auto is_computed = [&](ValueId input) { return !m_graph.value(input).is_constant(); };
    const bool is_step =
        reader.op->cls == OpClass::Elementwise && std::ranges::count_if(reader.inputs, is_computed) == 1;
    return is_step ? uses[0].node : NodeId();
}

// All that read any of its results are in the group.
bool Partitioner::has_readers_in(int group, const Node& producer) const {
    return std::ranges::all_of(producer.outputs, [&](ValueId output) {
        const Readership& readers = m_readers[output.index];
        const std::size_t uses = m_graph.value(output).uses.size();
        return !m_graph.is_output(output) && readers.count == uses && !readers.is_mixed &&
               (uses == 0 || readers.group == group);
    });
}

void Partitioner::measure_prologue(NodeId producer, Member& member) {
    member.copies = 0;
    for (ValueId output : m_graph.node(producer).outputs)
        for (const Use& use : m_graph.value(output).uses) {
            const Member& user = m_members[use.node.index];
            const TaskMeasure& reader = measured(use.node);
            const TaskMeasure::Reads& reads = reader.inputs[use.input];
            const bool is_prologue = user.role == Role::Prologue;
            const double elements = perf::estimate(m_graph.value(m_graph.node(use.node).outputs[0]).spec.shape);
            member.copies += (is_prologue ? user.copies : 1) * reads.in_text;
            member.evaluations += reads.done * (is_prologue && elements > 0 ? user.evaluations / elements : 1);
            member.depth = std::max(member.depth, (is_prologue ? user.depth : reader.depth));
            member.cost = std::max(member.cost, is_prologue ? user.cost : 0);
            member.feeds_anchor =
                member.feeds_anchor || user.role == Role::Anchor || (is_prologue && user.feeds_anchor);
        }
    member.depth += measured(producer).depth;
    member.cost += measured(producer).cost;
}

std::optional<FusionBlocker> Partitioner::prologue_blocker(int group, NodeId producer) {
    Member member;
    measure_prologue(producer, member);
    bool is_wanted = false;
    for (ValueId output : m_graph.node(producer).outputs)
        for (const Use& use : m_graph.value(output).uses) {
            if (const auto said = m_choices.forbidden(producer, use.node))
                return said;
            is_wanted = is_wanted || m_choices.is_forced(producer, use.node);
        }
    const GrowingGroup& growing = m_groups[static_cast<std::size_t>(group)];
    if (member.feeds_anchor && !task(growing.nodes[0]).allow_prologue)
        return FusionBlocker::NoPrologue;
    if (is_too_large(group, producer, member.copies * measured(producer).size, member.depth))
        return FusionBlocker::TooLarge;
    double elements = 0;
    for (ValueId output : m_graph.node(producer).outputs)
        elements += perf::estimate(m_graph.value(output).spec.shape);
    if (!is_wanted && late_for_attention(growing.nodes[0], producer))
        return FusionBlocker::Recomputed;
    if (!is_wanted && !is_worth_it(member, producer, elements))
        return FusionBlocker::Recomputed;
    return std::nullopt;
}

// Whether an element of it is computed from elements of several tensors, by this operator or by those whose results it only moves or
// converts one by one.
bool Partitioner::is_made_of_several(NodeId id) {
    while (id.valid() && fuses(id) && !is_anchor(id)) {
        const std::vector<ValueId>& inputs = m_graph.node(id).inputs;
        const auto has_several = [&](ValueId input) { return perf::estimate(m_graph.value(input).spec.shape) > 1; };
        if (std::ranges::count_if(inputs, has_several) > 1)
            return true;
        id = inputs.empty() ? NodeId() : m_graph.value(inputs[0]).producer;
    }
    return false;
}

// Attention that is better off when a kernel of its own makes this operand.
std::optional<FusionTimes> Partitioner::late_for_attention(NodeId anchor, NodeId producer) {
    const Node& node = m_graph.node(anchor);
    if (!m_target || !(node.is(OpId::Attn) || node.is(OpId::AttnMaskAdd)) || !is_made_of_several(producer))
        return std::nullopt;
    const auto times = attention_times(m_graph, producer, *m_target);
    return times && times->again > times->kept ? times : std::nullopt;
}

bool Partitioner::is_worth_it(const Member& member, NodeId producer, double elements) const {
    if (perf::is_cheaper_again(member.cost, member.evaluations, elements))
        return true;
    const auto times =
        m_target ? fusion_times(m_graph, producer, member.cost, member.evaluations, *m_target) : std::nullopt;
    return times && times->again < times->kept;
}

} // namespace hidet::graph
