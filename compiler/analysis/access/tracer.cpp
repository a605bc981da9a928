// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/access/tracer.h"

#include <algorithm>

#include "compiler/analysis/underlying_object.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/family.h"
#include "lang/base/transformed.h"

namespace hidet::compiler::access {

using namespace ir;

namespace {

constexpr int most_runs = 48;             // of a kernel, each with more stretches than the one before
constexpr std::size_t most_sampled = 3;   // stretches of a variable, where there is no time for all
constexpr std::int64_t most_trips = 4096; // of a while loop
constexpr std::size_t most_stretches = 1 << 20;

bool is_tracked(const TypeRef& type) {
    if (is_address(type))
        return true;
    const auto dtype = scalar_of(type);
    return dtype && is_integer(*dtype);
}

// The variables that a loop assigns and that are declared outside of it.
struct Assigned {
    explicit Assigned(const StmtRef& body) {
        std::unordered_set<const Var*> declared;
        const auto add = [&](const Var* var) {
            if (var && std::ranges::find(found, var) == found.end())
                found.push_back(var);
        };
        each_node(
            body, [&](const DeclareStmt& stmt) { declared.insert(stmt.var.get()); },
            [&](const AssignStmt& stmt) { add(stmt.var.get()); },
            [&](const AsmStmt& stmt) {
                for (const ExprRef& output : stmt.outputs)
                    add(as<Var>(output));
            },
            [&](const Address& expr) { add(as<Var>(expr.place)); },
            [&](const StoreStmt& stmt) {
                const auto dtype = scalar_of(element_of(stmt.base->type));
                const auto* var = as<Var>(stmt.base);
                writes_registers = writes_registers || (dtype && is_integer(*dtype) && var && is_array(var->type) &&
                                                        !declared.contains(var));
            });
        std::erase_if(found, [&](const Var* var) { return declared.contains(var) || !is_tracked(var->type); });
    }
    std::vector<const Var*> found;
    bool writes_registers = false;
};

bool same(const Value& a, const Value& b) {
    if (a.known != b.known || a.memory != b.memory || a.object != b.object || a.constant != b.constant ||
        !(a.terms == b.terms) || !a.lanes != !b.lanes)
        return false;
    return !a.lanes || a.lanes == b.lanes ||
           std::ranges::equal(*a.lanes, *b.lanes, [](ScalarValue x, ScalarValue y) { return x.i == y.i; });
}

} // namespace

bool Mask::any() const {
    return std::ranges::any_of(warps, [](std::uint32_t warp) { return warp != 0; });
}

bool Mask::holds(const Mask& other) const {
    return !other.without(*this).any();
}

Mask Mask::without(const Mask& other) const {
    Mask out = *this;
    for (std::size_t w = 0; w < warps.size(); ++w)
        out.warps[w] &= ~other.warps[w];
    return out;
}

Mask Mask::both(const Mask& other) const {
    Mask out = *this;
    for (std::size_t w = 0; w < warps.size(); ++w)
        out.warps[w] &= other.warps[w];
    return out;
}

void Mask::add(const Mask& other) {
    for (std::size_t w = 0; w < warps.size(); ++w)
        warps[w] |= other.warps[w];
}

// ---- blocks -----------------------------------------------------------------------------------------------------------

bool Tracer::trace() {
    for (int i = 0; i < most_runs; ++i) {
        m_again = m_stopped = false;
        m_open.clear(), m_loops.clear();
        m_weight = 1;
        m_work = 0;
        m_guards = m_cut_short = 0;
        begin();
        run_blocks(2);
        if (m_limits.cancelled && m_limits.cancelled->load(std::memory_order_relaxed))
            return false;
        if (m_stopped && !m_samples)
            m_samples = m_again = true;
        if (m_domain.take_refined())
            m_again = true;
        if (!m_again)
            break;
    }
    return true;
}

// From the slowest dimension of the grid to the fastest one.
void Tracer::run_blocks(int axis) {
    if (axis < 0)
        return begin_block();
    const int id = m_axes[static_cast<std::size_t>(axis)];
    const std::int64_t count = m_grid[static_cast<std::size_t>(axis)];
    const std::vector<Stretch> stretches = m_domain.stretches(id, count, m_samples ? most_sampled : most_stretches);
    m_open.push_back(id);
    for (const Stretch& stretch : stretches) {
        m_domain.atom(id).begin = stretch.begin, m_domain.atom(id).count = stretch.count;
        if (axis == 0 && !is_wanted())
            continue;
        const double weight = std::exchange(m_weight, m_weight * stretch.weight);
        m_cut_short += stretch.weight != 1;
        run_blocks(axis - 1);
        m_cut_short -= stretch.weight != 1;
        m_weight = weight;
        if (m_stopped)
            break;
    }
    m_open.pop_back();
}

void Tracer::begin_block() {
    m_cells.clear(), m_objects.clear();
    m_shared_bytes = 0;
    m_returned = {};
    m_guards = 0;
    m_may_have_left = m_skipped_turns = false;
    for (const VarRef& param : m_kernel.params) {
        Value value = Domain::data("a parameter", true);
        if (is_pointer(param->type) && !is_tensor_map(param->type)) {
            value = Domain::constant(0);
            value.memory = Memory::Global;
            value.object = object_of(param.get(), Memory::Global, 0);
        } else if (const auto dtype = scalar_of(param->type); dtype && is_integer(*dtype)) {
            value = size_of(*param, param->name);
        }
        m_cells[param.get()] = {value, m_all, 0};
    }
    run(m_kernel.body, m_all);
}

// ---- statements -------------------------------------------------------------------------------------------------------

Mask Tracer::running(const Mask& mask) const {
    Mask out = mask.without(m_returned);
    if (!m_loops.empty())
        out = out.without(m_loops.back().broken).without(m_loops.back().continued);
    return out;
}

bool Tracer::is_exhausted() {
    if (m_stopped)
        return true;
    const std::int64_t most = m_samples ? 2 * m_limits.work : m_limits.work;
    const bool is_cancelled = m_limits.cancelled && m_limits.cancelled->load(std::memory_order_relaxed);
    m_stopped = m_work > most || is_cancelled;
    return m_stopped;
}

void Tracer::run(const StmtRef& stmt, const Mask& mask) {
    if (!stmt || is_exhausted() || !mask.any())
        return;
    switch (ir::kind_of(*stmt)) {
    case StmtKind::SeqStmt: return run_seq(static_cast<const SeqStmt&>(*stmt), mask);
    case StmtKind::IfStmt: return run_if(static_cast<const IfStmt&>(*stmt), mask);
    case StmtKind::ForStmt: return run_for(static_cast<const ForStmt&>(*stmt), mask);
    case StmtKind::WhileStmt: return run_while(static_cast<const WhileStmt&>(*stmt), mask);
    case StmtKind::DeclareStmt: return declare(static_cast<const DeclareStmt&>(*stmt), mask);
    case StmtKind::StoreStmt: return store(static_cast<const StoreStmt&>(*stmt), mask);
    case StmtKind::AssignStmt: {
        const auto& assignment = static_cast<const AssignStmt&>(*stmt);
        return assign(*assignment.var, eval(assignment.value, mask), mask);
    }
    case StmtKind::EvaluateStmt: eval(static_cast<const EvaluateStmt&>(*stmt).value, mask); return;
    case StmtKind::AssertStmt: eval(static_cast<const AssertStmt&>(*stmt).condition, mask); return;
    case HIDET_EXIT_STMTS: return leave(*stmt, mask);
    case StmtKind::AsmStmt: {
        const auto& text = static_cast<const AsmStmt&>(*stmt);
        for (const ExprRef& input : text.inputs)
            eval(input, mask);
        for (const ExprRef& output : text.outputs)
            write_unknown(*stmt, output, "written by assembly", mask);
        if (text.text.find('[') != std::string::npos)
            touch_elsewhere(*stmt, AccessKind::Assembly, "assembly");
        return;
    }
    case StmtKind::CommentStmt:
    case StmtKind::LaunchStmt:
    case StmtKind::ForMappingStmt: return; // mappings are loops by now
    }
}

void Tracer::run_seq(const SeqStmt& seq, const Mask& mask) {
    for (const StmtRef& stmt : seq.stmts)
        run(stmt, running(mask));
}

void Tracer::run_if(const IfStmt& branch, const Mask& mask) {
    const Value condition = eval(branch.condition, mask);
    if (!condition.known)
        return guard_on_data(condition.why, [&] {
            run(branch.then_body, mask);
            run(branch.else_body, running(mask));
        });
    const Mask taken = where(condition, mask);
    run(branch.then_body, taken);
    run(branch.else_body, running(mask.without(taken)));
}

void Tracer::leave(const Stmt& stmt, const Mask& mask) {
    if (const auto* end = stmt.kind == Kind::ReturnStmt ? static_cast<const ReturnStmt*>(&stmt) : nullptr)
        if (end->value)
            eval(end->value, mask);
    m_may_have_left = m_may_have_left || (m_guards > 0 && stmt.kind == Kind::ReturnStmt);
    if (m_guards > 0) { // it may: then the loops around it end when data says so
        for (std::size_t i = m_loops.size(); i-- > 0;) {
            m_again = m_left_early.insert(m_loops[i].stmt).second || m_again;
            if (stmt.kind != Kind::ReturnStmt)
                break;
        }
        return;
    }
    if (stmt.kind == Kind::ReturnStmt)
        return m_returned.add(mask);
    if (m_loops.empty())
        return;
    (stmt.kind == Kind::BreakStmt ? m_loops.back().broken : m_loops.back().continued).add(mask);
    // Whoever leaves does so in one iteration.
    if (stmt.kind == Kind::BreakStmt && m_loops.back().atom >= 0)
        m_domain.cut_all(m_loops.back().atom);
}

// ---- loops ------------------------------------------------------------------------------------------------------------

void Tracer::run_for(const ForStmt& loop, const Mask& mask) {
    Value extent = eval(loop.extent, mask);
    const int id = atom_of(loop, loop.var->name, true);
    if (extent.known && !extent.terms.empty()) {
        if (m_domain.bounds_of(extent.terms).known)
            m_domain.cut_all(extent.terms);
        else
            extent = Domain::data("a trip count depends on a size that is not known", false);
    }
    m_loops.push_back({&loop, id, loop.var->name, 0, {}, {}});
    if (!extent.known || m_left_early.contains(&loop)) {
        guard_on_data(extent.known ? "a loop may end early" : extent.why, [&] { run_any_turn(loop, extent, mask); });
    } else {
        const std::int64_t count = m_domain.greatest(extent);
        m_loops.back().trips = count;
        m_domain.atom(id).count = count;
        if (extent.lanes)
            m_domain.cut_all(id);
        for (const Stretch& stretch : m_domain.stretches(id, count, m_samples ? most_sampled : most_stretches)) {
            run_stretch(loop, stretch, extent, mask);
            m_skipped_turns = m_skipped_turns || stretch.weight != 1;
            if (m_stopped)
                break;
        }
    }
    m_loops.pop_back();
}

void Tracer::run_any_turn(const ForStmt& loop, const Value&, const Mask& mask) {
    run_stretch(loop, {0, 1, 1}, Domain::constant(1), mask);
}

void Tracer::run_stretch(const ForStmt& loop, const Stretch& stretch, const Value& extent, const Mask& mask) {
    const int id = m_loops.back().atom;
    m_domain.atom(id).begin = stretch.begin, m_domain.atom(id).count = stretch.count;
    m_loops.back().continued = {};
    const Value runs = m_domain.binary(BinOp::Lt, Domain::constant(stretch.begin), extent, DType::I64);
    const Mask some = where(runs, running(mask));
    if (!some.any())
        return;
    const double weight = std::exchange(m_weight, m_weight * stretch.weight);
    m_cut_short += stretch.weight != 1;
    m_open.push_back(id);
    m_cells[loop.var.get()] = {m_domain.open(id), some, m_guards};
    if (stretch.count == 1)
        run(loop.body, some);
    else
        run_open(loop, id, some);
    m_open.pop_back();
    m_cut_short -= stretch.weight != 1;
    m_weight = weight;
}

const std::vector<const Var*>& Tracer::carried_by(const Stmt& loop, const StmtRef& body) {
    const auto [at, is_new] = m_carried.try_emplace(&loop);
    if (is_new) {
        Assigned assigned(body);
        if (assigned.writes_registers)
            assigned.found.push_back(nullptr);
        at->second = std::move(assigned.found);
    }
    return at->second;
}

// One turn stands for all, and what turns change may be anything.
void Tracer::forget_carried(const Stmt& loop, const StmtRef& body) {
    for (const Var* var : carried_by(loop, body)) {
        if (var)
            m_cells[var].value = Domain::data("how often a loop runs", false);
        else
            for (Object& object : m_objects)
                object.slots.clear();
    }
}

// Variables that each iteration changes: what the first one adds is taken for what each one adds, which is looked at
// afterwards. A variable that changes otherwise may be written before it is read; else the iterations are looked at one by one.
void Tracer::run_open(const ForStmt& loop, int id, const Mask& mask) {
    const std::vector<const Var*>& carried = carried_by(loop, loop.body);
    if (carried.empty())
        return run(loop.body, mask);
    if (!carried.back())
        return m_domain.cut_all(id); // elements of arrays
    std::vector<Value> before = transformed(carried, [&](const Var* var) { return m_cells[var].value; });

    const bool counts = std::exchange(m_counts, false);
    const std::int64_t count = std::exchange(m_domain.atom(id).count, 1);
    m_cells[loop.var.get()].value = m_domain.open(id);
    run(loop.body, mask);
    m_domain.atom(id).count = count;
    m_counts = counts;

    std::vector<Value> expected;
    for (std::size_t i = 0; i < carried.size(); ++i) {
        Value& value = m_cells[carried[i]].value;
        const Value step = m_domain.add(value, before[i], -1);
        Value begin = before[i];
        if (step.is_constant() && begin.known && value.memory == begin.memory && value.object == begin.object &&
            begin.terms.add(id, step.constant)) {
            value = begin;
            begin.constant += step.constant;
            expected.push_back(begin);
        } else {
            value = Domain::data(stale, false);
            expected.push_back(value);
        }
    }
    m_cells[loop.var.get()].value = m_domain.open(id);
    m_read_stale = false;
    m_loops.back().continued = {};
    run(loop.body, mask);
    for (std::size_t i = 0; i < carried.size(); ++i) {
        Value& value = m_cells[carried[i]].value;
        if (m_read_stale || (expected[i].known && !same(value, expected[i])))
            m_domain.cut_all(id);
        value = m_domain.at_end(value, id);
    }
}

void Tracer::run_while(const WhileStmt& loop, const Mask& mask) {
    m_loops.push_back({&loop, -1, "while", 0, {}, {}});
    bool is_known = !m_left_early.contains(&loop);
    for (std::int64_t trip = 0; is_known && !is_exhausted(); ++trip) {
        m_loops.back().continued = {};
        const Mask left = running(mask);
        const Value condition = eval(loop.condition, left);
        is_known = condition.known && trip < most_trips;
        if (!is_known)
            m_again = m_left_early.insert(&loop).second || m_again;
        const Mask some = is_known ? where(condition, left) : Mask{};
        if (!some.any())
            break;
        run(loop.body, some);
    }
    if (!is_known)
        guard_on_data("a loop that data ends", [&] {
            if (proves())
                forget_carried(loop, loop.body);
            eval(loop.condition, mask);
            run(loop.body, mask);
        });
    m_loops.pop_back();
}

// Null where the box is not known.
const std::shared_ptr<const Box>& Tracer::box_behind(const ExprRef& map) {
    static const std::shared_ptr<const Box> none;
    const auto* parameter = as<Var>(underlying_object(map));
    if (!parameter)
        return none;
    const auto [known, is_new] = m_boxes.try_emplace(parameter);
    if (is_new)
        known->second = box_of(m_module, m_kernel, *parameter, m_sizes);
    return known->second;
}

// ---- variables --------------------------------------------------------------------------------------------------------

void Tracer::declare(const DeclareStmt& stmt, const Mask& mask) {
    const Var& var = *stmt.var;
    if (is_array(var.type)) {
        const bool is_shared = stmt.scope == Scope::Shared;
        Value place = Domain::constant(0);
        place.memory = is_shared ? Memory::Shared : Memory::Register;
        place.object = object_of(&var, place.memory, std::max<std::int64_t>(size_in_bytes(var.type), 0));
        place.constant = m_objects[static_cast<std::size_t>(place.object)].begin;
        m_cells[&var] = {place, mask, m_guards};
        return;
    }
    Value value = stmt.init ? eval(stmt.init, mask) : Domain::data("never written", false);
    if (!is_tracked(var.type))
        value = Domain::data(floating_point, false);
    m_cells[&var] = {value, mask, m_guards};
}

void Tracer::assign(const Var& var, const Value& value, const Mask& mask) {
    Cell& cell = m_cells[&var];
    if (!is_tracked(var.type))
        return;
    if (m_guards > cell.guards && !same(value, cell.value)) {
        cell.value = Domain::data(m_guard, false);
        return;
    }
    if (mask.holds(cell.declared.without(m_returned))) {
        cell.value = value;
        return;
    }
    const Value taken = m_domain.each([&](std::size_t t) { return mask.has(t) ? 1 : 0; });
    cell.value = m_domain.select(taken, value, cell.value);
}

void Tracer::write_unknown(const Stmt& stmt, const ExprRef& place, const char* why, const Mask& mask) {
    forget(place, why);
    const Value unknown = Domain::data(why, false);
    if (const auto* element = as<TensorElement>(place))
        write(stmt, element->base, address_of(place, mask), unknown, mask);
    if (const auto* deref = as<Deref>(place))
        write(stmt, deref->pointer, address_of(place, mask), unknown, mask);
}

} // namespace hidet::compiler::access
