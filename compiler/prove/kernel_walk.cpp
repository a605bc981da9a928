// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/kernel_walk.h"

#include <algorithm>

#include "compiler/ir/each_node.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/prove/steering.h"
#include "lang/base/text.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

constexpr std::int64_t most_threads = 4096; // whose index is a sum of bits
constexpr int most_accesses = 64;           // of an instruction

// A barrier of a warp for all of its lanes.
bool joins_warp(const Intrinsic& barrier) {
    if (barrier.id != IntrinsicId::SyncWarp)
        return false;
    const auto mask = barrier.args.empty() ? std::optional<std::int64_t>(-1) : constant_int(barrier.args[0]);
    return mask && (*mask & 0xFFFFFFFF) == 0xFFFFFFFF;
}

// Of names of instructions that reach memory or wait.
constexpr std::string_view memory_words[] = {"ld.",   "st.",      "cp.",      "red.",     "atom",
                                             "bar",   "fence",    "membar",   "mbarrier", "tma",
                                             "wgmma", "ldmatrix", "stmatrix", "tcgen05",  "griddep"};

// With the next iteration of the loop around the body.
bool continues(const StmtRef& body) {
    bool found = false;
    each_node(
        body, [&](const ContinueStmt&) { found = true; }, [](const ForStmt&) { return false; },
        [](const WhileStmt&) { return false; });
    return found;
}

bool touches_memory(const AsmStmt& stmt) {
    return stmt.memory_fence || std::ranges::any_of(memory_words, [&](std::string_view word) {
               return stmt.text.find(word) != std::string::npos;
           });
}

} // namespace

// ---- statements ---------------------------------------------------------------------------------------------------------

// More than it can take: a node makes few accesses. A loop that is walked again has the same places, and so has a statement
// behind one that is left out.
int KernelWalk::places_of(const Stmt& stmt) {
    int& known = m_places[&stmt];
    if (known == 0)
        look_through(stmt, [&](const Node&) { return known += 4 * most_accesses, true; });
    return known;
}

void KernelWalk::run(const StmtRef& stmt) {
    if (!stmt)
        return;
    const int begin = m_place;
    if (!is_false(running()))
        run_statement(stmt);
    m_place = begin + places_of(*stmt);
}

void KernelWalk::run_statement(const StmtRef& stmt) {
    switch (kind_of(*stmt)) {
    case StmtKind::EvaluateStmt: eval(static_cast<const EvaluateStmt&>(*stmt).value); return;
    case StmtKind::DeclareStmt: declare(static_cast<const DeclareStmt&>(*stmt)); return;
    case StmtKind::StoreStmt: store(static_cast<const StoreStmt&>(*stmt)); return;
    case StmtKind::AssignStmt: {
        const auto& assignment = static_cast<const AssignStmt&>(*stmt);
        assign(*assignment.var, eval(assignment.value));
        return;
    }
    case StmtKind::ReturnStmt: m_state.returned = m_terms.either(m_state.returned, running()); return;
    case StmtKind::BreakStmt:
    case StmtKind::ContinueStmt: m_state.left = m_terms.either(m_state.left, running()); return;
    case StmtKind::IfStmt: run_if(static_cast<const IfStmt&>(*stmt)); return;
    case StmtKind::ForStmt: {
        const auto& loop = static_cast<const ForStmt&>(*stmt);
        run_loop({stmt.get(), loop.var.get(), number(loop.extent), nullptr, loop.body, {}});
        return;
    }
    case StmtKind::WhileStmt: {
        const auto& loop = static_cast<const WhileStmt&>(*stmt);
        run_loop({stmt.get(), nullptr, nullptr, loop.condition, loop.body, {}});
        return;
    }
    case StmtKind::AssertStmt: assume(condition(static_cast<const AssertStmt&>(*stmt).condition)); return;
    case StmtKind::AsmStmt: run_assembly(static_cast<const AsmStmt&>(*stmt)); return;
    case StmtKind::SeqStmt:
        for (const StmtRef& each : static_cast<const SeqStmt&>(*stmt).stmts)
            run(each);
        return;
    case StmtKind::LaunchStmt: launch_here(static_cast<const LaunchStmt&>(*stmt)); return;
    case StmtKind::ForMappingStmt: // loops by now
    case StmtKind::CommentStmt: return;
    }
}

void KernelWalk::assume(Term holds) {
    m_facts.launched = m_terms.both(m_facts.launched, m_terms.either(m_terms.negate(running()), holds));
}

Value KernelWalk::merged(Terms& terms, Term condition, const Value& a, const Value& b) {
    if (a == b)
        return a;
    if (a.object != b.object)
        return {};
    Value out;
    out.object = a.object, out.block = a.block;
    if (a.object >= 0 && (a.block != b.block || a.descriptor != b.descriptor))
        return {};
    out.descriptor = a.descriptor;
    if (a.object >= 0) {
        out.offset = a.offset && b.offset ? terms.choose(condition, a.offset, b.offset) : nullptr;
        return out;
    }
    if (!a.term || !b.term)
        return {};
    out.term = a.term->is_condition == b.term->is_condition
                   ? terms.choose(condition, a.term, b.term)
                   : terms.choose(condition, terms.as_number(a.term), terms.as_number(b.term));
    return out;
}

void KernelWalk::run_if(const IfStmt& branch) {
    const Term holds = condition(branch.condition);
    const std::vector<OpenAccess> open = m_state.open;
    ThreadState before = m_state;
    under(holds, [&] { return run(branch.then_body), 0; });
    std::swap(before, m_state); // `before` is what the first branch made
    under(m_terms.negate(holds), [&] { return run(branch.else_body), 0; });
    if (is_true(holds)) {
        m_state = std::move(before);
        return;
    }
    for (auto& [var, value] : m_state.variables)
        if (const auto other = before.variables.find(var); other != before.variables.end())
            value = merged(m_terms, holds, other->second, value);
    m_state.returned = m_terms.choose(holds, before.returned, m_state.returned);
    m_state.left = m_terms.choose(holds, before.left, m_state.left);
    if (!does_meet(branch.then_body) && !does_meet(branch.else_body))
        drop_untouched(open, before.open, m_state.open);
    for (const OpenAccess& each : before.open) {
        const auto known = find_same(m_state.open, each);
        if (known == m_state.open.end())
            m_state.open.push_back(each);
        else
            join(*known, each);
    }
}

std::vector<OpenAccess>::iterator KernelWalk::find_same(std::vector<OpenAccess>& in, const OpenAccess& open) {
    return std::ranges::find_if(in, [&](const OpenAccess& each) {
        return each.access == open.access && each.when == open.when && each.is_under_way == open.is_under_way &&
               each.is_unfenced == open.is_unfenced;
    });
}

// Where one branch alone waits for a copy, what it made of that says itself when: what the other one knows adds nothing.
void KernelWalk::drop_untouched(const std::vector<OpenAccess>& before, std::vector<OpenAccess>& a,
                                std::vector<OpenAccess>& b) {
    for (const OpenAccess& open : before) {
        const auto in_a = find_same(a, open), in_b = find_same(b, open);
        if ((in_a == a.end()) == (in_b == b.end()))
            continue;
        if (in_a == a.end())
            b.erase(in_b);
        else
            a.erase(in_a);
    }
}

// What one of the branches said of it has the branch's condition.
void KernelWalk::join(OpenAccess& known, const OpenAccess& other) {
    const auto either = [&](Term& a, Term b) { a = a && b ? m_terms.either(a, b) : a ? a : b; };
    if (!known.fenced)
        known.fenced_at = other.fenced_at;
    either(known.fenced, other.fenced);
    if (!known.fenced_later)
        known.fenced_later_at = other.fenced_later_at;
    either(known.fenced_later, other.fenced_later);
    either(known.closed, other.closed);
}

void KernelWalk::declare(const DeclareStmt& stmt) {
    const Var& var = *stmt.var;
    if (is_array(var.type) && !stmt.init) {
        m_lets[&var] = object_value(var, stmt.scope == Scope::Shared ? Space::Shared : Space::Register);
        return;
    }
    if (stmt.scope == Scope::Shared)
        obstacle(stmt, {nullptr, "a variable in shared memory", true, false});
    Value value = stmt.init ? eval(stmt.init) : Value{.term = unknown(var.type, "a variable without a value")};
    if (stmt.is_let || is_array(var.type))
        m_lets[&var] = std::move(value);
    else
        m_state.variables[&var] = as_kept(var, std::move(value));
}

// A variable that pointers are kept to may change at any time; one that is assigned keeps an address, and no elements.
Value KernelWalk::as_kept(const Var& var, Value value) {
    if (m_pointed_at.contains(&var))
        return {.term = unknown(var.type, "a variable that a pointer is kept to")};
    if (m_assigned.contains(&var))
        value.index.clear(), value.shape.clear(), value.views.clear();
    return value;
}

void KernelWalk::find_variables(const StmtRef& body) {
    const auto look = [&](const ExprRef& kept) {
        if (kept)
            each_node(
                kept,
                [&](const Address& address) {
                    if (const auto* var = as<Var>(address.place))
                        m_pointed_at.insert(var);
                },
                [](const Intrinsic&) { return false; }, [](const Deref&) { return false; });
    };
    each_node(
        body, [&](const DeclareStmt& declare) { look(declare.init); },
        [&](const AssignStmt& assign) { look(assign.value), m_assigned.insert(assign.var.get()); },
        [&](const StoreStmt& store) { look(store.value); });
}

// Who left the iteration keeps what it had.
void KernelWalk::assign(const Var& var, Value value) {
    Value& known = m_state.variables[&var];
    value = as_kept(var, std::move(value));
    known = is_false(m_state.left) ? std::move(value) : merged(m_terms, m_state.left, known, value);
}

void KernelWalk::store(const StoreStmt& stmt) {
    Value value = eval(stmt.value);
    const std::int64_t bytes = bytes_of_element(element_of(stmt.base->type));
    const Value place = address_of_element(stmt.base, stmt.indices);
    access(stmt, Does::Writes, place, m_terms.constant(bytes), bytes, bytes);
    if (!m_is_host)
        return;
    // Numbers of tensor maps may stand in tensors of the launch function.
    if (place.offset && Terms::constant_of(place.offset) && m_loops.empty() && is_true(running()))
        m_elements[{place.object, place.offset}] = std::move(value);
    else
        std::erase_if(m_elements, [&](const auto& each) { return each.first.first == place.object; });
}

void KernelWalk::run_assembly(const AsmStmt& stmt) {
    for (const ExprRef& input : stmt.inputs)
        eval(input);
    for (const ExprRef& output : stmt.outputs)
        forget(output, "what inline assembly gives");
    if (touches_memory(stmt))
        obstacle(stmt, {nullptr, "inline assembly", true, true});
}

// ---- barriers -----------------------------------------------------------------------------------------------------------

void KernelWalk::meet(const Intrinsic& barrier) {
    if (barrier.id == IntrinsicId::SyncWarp && !joins_warp(barrier))
        obstacle(barrier, {nullptr, "a barrier of some lanes", false, false});
    if (joins_warp(barrier))
        meet_warp(barrier);
    if (!is_meeting(barrier))
        return;
    if (barrier.id != IntrinsicId::SyncWarp)
        note_sync({.at = &barrier, .kind = SyncKind::MeetBlock});
    // Each claim is about barriers of its own; the warp waits at those of the block, too.
    const bool is_of_view = m_view == View::Block || (barrier.id == IntrinsicId::SyncWarp) == (m_view == View::Warp);
    if (!m_is_silent && is_of_view)
        m_facts.meetings.push_back({&barrier, running(), m_state.returned, nullptr,
                                    is_false(m_state.left) ? "" : "iterations that do not reach a barrier"});
    if (!m_is_silent)
        m_facts.intervals.push_back(m_state.open);
    std::vector<OpenAccess> of_left; // who left this iteration has met nobody
    for (const OpenAccess& open : m_state.open)
        if (!is_false(m_state.left) && !open.is_under_way && !open.is_unfenced)
            of_left.push_back(open),
                of_left.back().when = m_terms.both(open.when ? open.when : m_terms.truth(true), m_state.left);
    keep_open_behind_barrier(m_state.open);
    m_state.open.insert(m_state.open.end(), of_left.begin(), of_left.end());
}

// Copies that are under way, and what those that begin later do not see.
void KernelWalk::keep_open_behind_barrier(std::vector<OpenAccess>& open) const {
    const auto is_unfenced = [&](const OpenAccess& each) {
        const MemoryAccess& access = m_facts.accesses[each.access];
        return m_has_copies && access.ends_by == EndsBy::Itself && access.does != Does::Reads &&
               !access.is_of_barrier && !(each.fenced && is_true(each.fenced)) &&
               m_facts.objects[static_cast<std::size_t>(access.place.object)].space == Space::Shared;
    };
    std::erase_if(open, [&](OpenAccess& each) {
        each.is_unfenced = each.is_unfenced || (!each.is_under_way && is_unfenced(each));
        return !each.is_under_way && !each.is_unfenced;
    });
}

bool KernelWalk::is_meeting(const Intrinsic& barrier) const {
    if (m_view == View::Cluster)
        return barrier.id == IntrinsicId::ClusterSync;
    const bool is_named = barrier.id == IntrinsicId::BarrierSync || barrier.id == IntrinsicId::BarrierArrive;
    return (info(barrier.id).does == hidet::ir::Does::JoinsBlock && !is_named) ||
           (m_view == View::Warp && joins_warp(barrier));
}

bool KernelWalk::does_meet(const StmtRef& body) const {
    return any_of_nodes(body, [&](const Intrinsic& each) { return is_meeting(each); });
}

bool KernelWalk::meets_in_each_iteration(const StmtRef& body) const {
    if (continues(body))
        return false;
    if (const auto* seq = as<SeqStmt>(body))
        return std::ranges::any_of(seq->stmts, [&](const StmtRef& stmt) { return meets_in_each_iteration(stmt); });
    if (const auto* evaluate = as<EvaluateStmt>(body)) {
        const auto* barrier = as<Intrinsic>(evaluate->value);
        return barrier && is_meeting(*barrier);
    }
    if (const auto* branch = as<IfStmt>(body))
        return branch->else_body && meets_in_each_iteration(branch->then_body) &&
               meets_in_each_iteration(branch->else_body);
    if (const auto* loop = as<ForStmt>(body))
        return constant_int(loop->extent).value_or(0) > 0 && meets_in_each_iteration(loop->body);
    return false;
}

// ---- the launch -----------------------------------------------------------------------------------------------------------

void KernelWalk::enter_host(const Function& host, const LaunchStmt& launch, const Function& kernel) {
    m_launch = &launch, m_kernel = &kernel;
    find_variables(host.body);
    m_is_host = m_is_silent = true;
    run(host.body);
    m_is_host = m_is_silent = false;
    m_state = {};
    m_state.returned = m_state.left = m_terms.truth(false);
}

void KernelWalk::launch_here(const LaunchStmt& stmt) {
    if (&stmt != m_launch || m_has_launched)
        return;
    m_has_launched = true;
    m_facts.launched = m_terms.both(m_facts.launched, running());
    for (std::size_t d = 0; d < 3; ++d) {
        m_facts.grid_dim[d] = number(stmt.grid[d]);
        m_facts.block_dim[d] = number(stmt.block[d]);
    }
    for (std::size_t i = 0; i < stmt.args.size() && i < m_kernel->params.size(); ++i) {
        const Var& param = *m_kernel->params[i];
        hand_over(stmt.args[i], param);
        if (tensor_of(param.type)) // it says itself what it is
            continue;
        Value value = eval(stmt.args[i]);
        if (value.term || value.object >= 0)
            m_lets[&param] = std::move(value);
    }
}

// Tensors that are described by maps are those that the kernel is given beside them.
void KernelWalk::hand_over(const ExprRef& arg, const Var& param) {
    ExprRef given = arg;
    while (const auto* cast = as<Cast>(given))
        given = cast->a;
    const auto* var = as<Var>(given);
    if (const auto map = m_maps.find(var); var && map != m_maps.end())
        m_maps[&param] = MappedTensor(map->second);
    for (auto& [map, tensor] : m_maps)
        if (tensor.tensor == var && is_address(param.type))
            tensor.tensor = &param;
}

void KernelWalk::remember_written(const KernelFacts& before) {
    for (const Object& object : before.objects)
        if (object.is_written)
            m_written.insert(object.name);
}

// The thread, its block, and what they may be.
void KernelWalk::open_indices(const Function& kernel, const KernelFacts* same_as) {
    if (same_as) {
        m_facts.thread = same_as->thread, m_facts.block = same_as->block;
        m_facts.block_dim = same_as->block_dim, m_facts.grid_dim = same_as->grid_dim;
        m_facts.cluster_dim = same_as->cluster_dim, m_facts.has_cluster = same_as->has_cluster;
        return;
    }
    static constexpr char axes[] = {'x', 'y', 'z'};
    const auto index = [&](const char* name, std::size_t d, Same same, Term extent) {
        if (extent == m_terms.constant(1))
            return m_terms.constant(0);
        const std::string full = cat(name, ".", axes[d]);
        const auto count = Terms::constant_of(extent);
        if (count && same == Same::InThread && *count > 0 && *count <= most_threads)
            return m_terms.index_symbol(full, same, *count);
        const Term out =
            m_terms.symbol(full, same, "", 0, extent->highest == no_highest ? no_highest : extent->highest - 1);
        m_terms.give(out, m_terms.less(out, extent));
        return out;
    };
    for (std::size_t d = 0; d < 3; ++d) {
        const auto extent = [&](const ExprVec& of) { return d < of.size() ? number(of[d]) : m_terms.constant(1); };
        if (!m_facts.block_dim[d])
            m_facts.block_dim[d] = extent(kernel.block_dim);
        if (!m_facts.grid_dim[d])
            m_facts.grid_dim[d] = extent(kernel.grid_dim);
    }
    for (std::size_t d = 0; d < 3; ++d) {
        m_facts.cluster_dim[d] = d < kernel.cluster_dim.size() ? number(kernel.cluster_dim[d]) : m_terms.constant(1);
        m_facts.has_cluster = m_facts.has_cluster || Terms::constant_of(m_facts.cluster_dim[d]) != 1;
        m_facts.launched =
            m_terms.both(m_facts.launched, m_terms.equal(m_terms.remainder(m_facts.grid_dim[d], m_facts.cluster_dim[d]),
                                                         m_terms.constant(0)));
        m_facts.thread[d] = index("threadIdx", d, Same::InThread, m_facts.block_dim[d]);
        m_facts.block[d] = index("blockIdx", d, Same::InBlock, m_facts.grid_dim[d]);
    }
}

void KernelWalk::run_kernel(const Function& kernel) {
    if (kernel.dynamic_smem_bytes)
        object_of(nullptr, Space::Shared, number(kernel.dynamic_smem_bytes), "dynamic shared memory");
    for (const EndsBy kind : {EndsBy::CopyGroup, EndsBy::BulkGroup, EndsBy::Product})
        groups(kind); // none yet
    m_has_copies = any_of_nodes(kernel.body, [](const Intrinsic& each) {
        return info(each.id).category == IntrinsicCategory::AsyncCopy || each.id == IntrinsicId::Wgmma ||
               each.id == IntrinsicId::WgmmaRegisters;
    });
    m_has_syncs = any_of_nodes(kernel.body, [](const Intrinsic& each) {
        return each.id == IntrinsicId::MbarrierInit || each.id == IntrinsicId::BarrierSync;
    });
    m_steering = steering_variables(kernel);
    find_variables(kernel.body);
    run(kernel.body);
    end_of_kernel(kernel);
    m_facts.intervals.push_back(m_state.open);
}

// A block takes its shared memory with it: others must have met it before, behind their last access.
void KernelWalk::end_of_kernel(const Function& kernel) {
    const auto is_elsewhere = [&](const OpenAccess& open) {
        return m_facts.accesses[open.access].place.block != nullptr;
    };
    if (m_view == View::Cluster && std::ranges::any_of(m_state.open, is_elsewhere))
        m_facts.obstacles.push_back({&kernel, "memory of a block that may have ended", true, false});
}

Term rank_in_cluster(Terms& terms, const KernelFacts& facts) {
    Term out = terms.constant(0);
    for (const std::size_t d : {2, 1, 0})
        out =
            terms.add(terms.multiply(out, facts.cluster_dim[d]), terms.remainder(facts.block[d], facts.cluster_dim[d]));
    return out;
}

Term linear_thread(Terms& terms, const KernelFacts& facts) {
    Term out = facts.thread[2];
    for (const std::size_t d : {1, 0})
        out = terms.add(terms.multiply(out, facts.block_dim[d]), facts.thread[d]);
    return out;
}

bool has_warp_barriers(const Function& kernel) {
    return any_of_nodes(kernel.body, [](const Intrinsic& each) { return each.id == IntrinsicId::SyncWarp; });
}

KernelFacts facts_of(Terms& terms, const Function& kernel, const LaunchOf& launch, View view, const Ask& solver,
                     const KernelFacts* same_as) {
    const auto walked = [&](const KernelFacts* before) {
        KernelFacts facts;
        facts.launched = terms.truth(true);
        if (same_as)
            facts.sizes = same_as->sizes;
        KernelWalk walk(terms, facts, view, solver);
        if (before)
            walk.remember_written(*before);
        if (launch.launch)
            walk.enter_host(*launch.host, *launch.launch, kernel);
        walk.open_indices(kernel, same_as);
        walk.run_kernel(kernel);
        return facts;
    };
    const KernelFacts first = walked(nullptr); // says which memory is written
    return walked(&first);
}

} // namespace hidet::compiler::prove
