// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/analysis/access/tracer.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "lang/base/transformed.h"

namespace hidet::compiler::access {

using namespace ir;

namespace {

DType dtype_of(const ExprRef& expr) {
    return scalar_of(expr->type).value_or(DType::I64);
}

bool holds_all(std::int64_t lowest, std::int64_t highest, DType dtype) {
    const IntegerRange range = integer_range(dtype);
    return range.lowest <= lowest && (highest < 0 || static_cast<std::uint64_t>(highest) <= range.highest);
}

} // namespace

TracedValues::TracedValues(const Function& kernel, const SymbolValues& sizes)
    : m_kernel(kernel), m_sizes(sizes), m_domain([&] {
          std::int64_t threads = 1;
          for (const ExprRef& extent : kernel.block_dim)
              threads *= std::max<std::int64_t>(constant_int(extent).value_or(1), 1);
          return static_cast<std::size_t>(std::min<std::int64_t>(threads, 1024));
      }()) {
    for (std::size_t d = 0; d < 3; ++d) {
        m_block[d] = d < kernel.block_dim.size() ? constant_int(kernel.block_dim[d]).value_or(1) : 1;
        m_cluster[d] = d < kernel.cluster_dim.size() ? constant_int(kernel.cluster_dim[d]).value_or(1) : 1;
        const auto grid =
            d < kernel.grid_dim.size() ? known_size(kernel.grid_dim[d], sizes) : std::optional<std::int64_t>(1);
        m_knows_grid = m_knows_grid && grid;
        m_grid[d] = std::max<std::int64_t>(grid.value_or(1), 1);
        m_axes[d] = m_domain.add_atom(builtin_name(static_cast<Builtin>(static_cast<int>(Builtin::BlockIdxX) + d)),
                                      grid.has_value());
    }
    for (std::size_t t = 0; t < m_domain.threads(); ++t)
        m_all.warps[t / 32] |= std::uint32_t{1} << t % 32;
}

Mask TracedValues::where(const Value& condition, const Mask& mask) const {
    if (!condition.lanes)
        return condition.constant ? mask : Mask{};
    Mask out;
    for (std::size_t t = 0; t < m_domain.threads(); ++t)
        if (condition.base(t))
            out.warps[t / 32] |= std::uint32_t{1} << t % 32;
    return out.both(mask);
}

void TracedValues::guard_on_data(const char* why, const std::function<void()>& body) {
    const char* before = std::exchange(m_guard, why);
    ++m_guards;
    body();
    --m_guards;
    m_guard = before;
}

int TracedValues::atom_of(const Node& node, const std::string& name, bool is_bounded) {
    const auto [at, is_new] = m_atoms.try_emplace(&node, 0);
    if (is_new)
        at->second = m_domain.add_atom(name, is_bounded);
    if (is_new && !is_bounded)
        m_unknown |= Domain::bit(at->second);
    return at->second;
}

void TracedValues::forget(const ExprRef& place, const char* why) {
    if (const auto* var = as<Var>(place); var && m_cells.contains(var))
        m_cells[var].value = Domain::data(why, false);
}

bool TracedValues::may_wrap(const Value& value, DType dtype) const {
    if (!value.known || value.memory != Memory::None || !is_integer(dtype) || dtype == DType::Bool)
        return false;
    const Domain::Bounds bounds = m_domain.bounds_of(value.terms);
    for (std::size_t t = 0; bounds.known && t < (value.lanes ? m_domain.threads() : 1); ++t)
        if (!holds_all(value.base(t) + bounds.lowest, value.base(t) + bounds.highest, dtype))
            return true;
    return false;
}

Value TracedValues::eval(const ExprRef& expr, const Mask& mask) {
    ++m_work;
    switch (ir::kind_of(*expr)) {
    case ExprKind::Constant: {
        const auto value = constant_int(expr);
        return value ? Domain::constant(*value) : Domain::data(floating_point, true);
    }
    case ExprKind::Var: return read_variable(static_cast<const Var&>(*expr));
    case ExprKind::SymbolVar: return size_of(*expr, static_cast<const SymbolVar&>(*expr).name);
    case ExprKind::BuiltinVar: return eval_builtin(static_cast<const BuiltinVar&>(*expr).which);
    case ExprKind::Binary: return eval_binary(static_cast<const Binary&>(*expr), mask);
    case ExprKind::Select: return eval_select(static_cast<const Select&>(*expr), mask);
    case ExprKind::Cast: return eval_cast(static_cast<const Cast&>(*expr), mask);
    case ExprKind::Intrinsic: return eval_intrinsic(static_cast<const Intrinsic&>(*expr), mask);
    case ExprKind::Address: return address_of(static_cast<const Address&>(*expr).place, mask);
    case ExprKind::Unary: {
        const auto& unary = static_cast<const Unary&>(*expr);
        const Value a = eval(unary.a, mask);
        if (!a.known)
            return a;
        if (unary.op == UnOp::Neg)
            return m_domain.scaled(a, -1);
        if (unary.op == UnOp::Not)
            return m_domain.binary(BinOp::Eq, a, Domain::constant(0), DType::I64);
        return m_domain.apply(scalar_op(unary.op), dtype_of(unary.a), {&a, 1});
    }
    case ExprKind::TensorElement: {
        const auto& element = static_cast<const TensorElement&>(*expr);
        return load(*expr, address_of_element(element.base, element.indices, mask), expr->type, element.base, mask);
    }
    case ExprKind::Deref: {
        const auto& deref = static_cast<const Deref&>(*expr);
        return load(*expr, eval(deref.pointer, mask), expr->type, deref.pointer, mask);
    }
    case ExprKind::Let: {
        const auto& let = static_cast<const Let&>(*expr);
        m_cells[let.var.get()] = {eval(let.value, mask), mask, m_guards};
        return eval(let.body, mask);
    }
    case ExprKind::Call: {
        const auto& call = static_cast<const Call&>(*expr);
        for (const ExprRef& arg : call.args)
            eval(arg, mask);
        touch_elsewhere(*expr, AccessKind::Assembly, "a function that is called");
        return Domain::data("what a function returns", false);
    }
    case ExprKind::TensorSlice: break; // elements by now
    }
    return Domain::data("", false);
}

Value TracedValues::read_variable(const Var& var) {
    const auto found = m_cells.find(&var);
    if (found == m_cells.end()) {
        Value value = Domain::data("a variable of the module", true);
        if (is_address(var.type)) {
            value = Domain::constant(0);
            value.memory = Memory::Global;
            value.object = object_of(&var, Memory::Global, 0);
        }
        return value;
    }
    const Value& value = found->second.value;
    m_read_stale = m_read_stale || (!value.known && value.why == stale);
    return value;
}

// A dynamic dimension or a number that the kernel is given: known, or any.
Value TracedValues::size_of(const Node& node, const std::string& name) {
    if (const auto known = m_sizes.find(name); known != m_sizes.end())
        return Domain::constant(known->second);
    return m_domain.open(atom_of(node, name, false));
}

Value TracedValues::lane_of_thread(Builtin which) {
    const auto thread = [&](std::size_t t) { return static_cast<std::int64_t>(t); };
    const auto known = [&](std::size_t index, auto&& of) {
        std::optional<Value>& lanes = m_thread_lanes[index];
        if (!lanes)
            lanes = m_domain.each(of);
        return *lanes;
    };
    switch (which) {
    case Builtin::ThreadIdxX: return known(0, [&](std::size_t t) { return thread(t) % m_block[0]; });
    case Builtin::ThreadIdxY: return known(1, [&](std::size_t t) { return thread(t) / m_block[0] % m_block[1]; });
    case Builtin::ThreadIdxZ: return known(2, [&](std::size_t t) { return thread(t) / m_block[0] / m_block[1]; });
    default: return known(3, thread);
    }
}

Value TracedValues::clusters_rank() {
    Value rank = Domain::constant(0);
    std::int64_t by = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        const Value index = m_domain.open(m_axes[d]);
        const Value within = m_domain.binary(BinOp::FloorMod, index, Domain::constant(m_cluster[d]), DType::I64);
        rank = m_domain.add(rank, m_domain.scaled(within, by));
        by *= m_cluster[d];
    }
    return rank;
}

Value TracedValues::eval_builtin(Builtin which) {
    const auto blocks = m_cluster[0] * m_cluster[1] * m_cluster[2];
    const auto threads = static_cast<std::int64_t>(m_domain.threads());
    switch (which) {
    case Builtin::ThreadIdxX:
    case Builtin::ThreadIdxY:
    case Builtin::ThreadIdxZ: return lane_of_thread(which);
    case Builtin::BlockIdxX: return m_domain.open(m_axes[0]);
    case Builtin::BlockIdxY: return m_domain.open(m_axes[1]);
    case Builtin::BlockIdxZ: return m_domain.open(m_axes[2]);
    case Builtin::BlockDimX: return Domain::constant(m_block[0]);
    case Builtin::BlockDimY: return Domain::constant(m_block[1]);
    case Builtin::BlockDimZ: return Domain::constant(m_block[2]);
    case Builtin::GridDimX:
    case Builtin::GridDimY:
    case Builtin::GridDimZ: {
        const auto d = static_cast<std::size_t>(which) - static_cast<std::size_t>(Builtin::GridDimX);
        return m_knows_grid ? Domain::constant(m_grid[d]) : Domain::data("the grid is not known", true);
    }
    case Builtin::ClusterBlockRank: return clusters_rank();
    case Builtin::ClusterThreadRank:
        return m_domain.add(m_domain.scaled(clusters_rank(), threads), lane_of_thread(Builtin::ClusterThreadRank));
    case Builtin::ClusterDimBlocks: return Domain::constant(blocks);
    case Builtin::ClusterDimThreads: return Domain::constant(blocks * threads);
    }
    return Domain::data("", false);
}

// `and` and `or` evaluate their right side where the left one does not decide.
Value TracedValues::eval_binary(const Binary& expr, const Mask& mask) {
    const Value a = eval(expr.a, mask);
    if (expr.op != BinOp::And && expr.op != BinOp::Or) {
        const Value b = eval(expr.b, mask);
        if (a.memory != Memory::None && is_pointer(expr.a->type) && !is_pointer(expr.b->type)) {
            const std::int64_t bytes = std::max<std::int64_t>(size_in_bytes(element_of(expr.a->type)), 1);
            return m_domain.add(a, m_domain.scaled(b, bytes), expr.op == BinOp::Sub ? -1 : 1);
        }
        // Sums and products that wrap around on their way are right again at the end; nothing else is.
        const bool is_sum =
            expr.op == BinOp::Add || expr.op == BinOp::Sub || expr.op == BinOp::Mul || expr.op == BinOp::Shl;
        if (proves() && !is_sum && (may_wrap(a, dtype_of(expr.a)) || may_wrap(b, dtype_of(expr.a))))
            return Domain::data("arithmetic that wraps around", false);
        return m_domain.binary(expr.op, a, b, dtype_of(expr.a));
    }
    const bool is_and = expr.op == BinOp::And;
    if (!a.known) {
        Value b;
        guard_on_data(a.why, [&] { b = eval(expr.b, mask); });
        return b.is_constant() && (b.constant != 0) != is_and ? b : a;
    }
    const Mask holds = where(a, mask);
    const Mask rest = is_and ? holds : mask.without(holds);
    if (!rest.any())
        return a;
    const Value b = eval(expr.b, rest);
    if (!a.lanes)
        return b;
    if (!b.known) {
        Value out = b;
        out.same = false;
        return out;
    }
    Value out = m_domain.each(
        [&](std::size_t t) { return is_and ? (a.base(t) && b.base(t) ? 1 : 0) : (a.base(t) || b.base(t) ? 1 : 0); });
    out.deps = a.deps | b.deps;
    return out;
}

Value TracedValues::eval_select(const Select& expr, const Mask& mask) {
    const Value condition = eval(expr.condition, mask);
    if (!condition.known) {
        Value a, b;
        guard_on_data(condition.why, [&] { a = eval(expr.a, mask), b = eval(expr.b, mask); });
        return Domain::data(condition.why, false);
    }
    const Mask taken = where(condition, mask), others = mask.without(taken);
    const Value a = taken.any() ? eval(expr.a, taken) : Value{};
    const Value b = others.any() ? eval(expr.b, others) : Value{};
    if (!others.any() || !taken.any()) {
        Value out = others.any() ? b : a;
        out.deps |= condition.deps;
        return out;
    }
    return m_domain.select(condition, a, b);
}

Value TracedValues::eval_cast(const Cast& expr, const Mask& mask) {
    const auto from = scalar_of(expr.a->type), to = scalar_of(expr.type);
    if (is_array(expr.a->type))
        return eval(expr.a, mask);
    const Value a = eval(expr.a, mask);
    if (!from || !to)
        return a; // addresses
    if (!is_integer(*from) || !is_integer(*to))
        return is_integer(*from) == is_integer(*to)
                   ? a
                   : Domain::data(a.known ? floating_point : a.why, a.is_uniform(), a.deps);
    if (proves() && *to != DType::Bool && (may_wrap(a, *from) || (!a.terms.empty() && may_wrap(a, *to))))
        return Domain::data("arithmetic that wraps around", false);
    return m_domain.converted(a, *from, *to);
}

// An operand that says where memory is read or written.
void TracedValues::use_operand(const Intrinsic& expr, std::size_t index, const Value& value, const Mask& mask,
                               bool copies) {
    const IntrinsicInfo& row = info(expr.id);
    const IntrinsicParameter& parameter = parameter_of(row, index, expr.args.size());
    const ExprRef& arg = expr.args[index];
    if (parameter.role != ParameterRole::Address || !parameter.access.any())
        return;
    if (const auto* place = as<Address>(arg); place && parameter.access.writes)
        forget(place->place, row.name);
    const TypeRef element = element_of(arg->type);
    if (copies || !element)
        return;
    const int bytes = static_cast<int>(std::max<std::int64_t>(size_in_bytes(element), 1));
    if (parameter.access.reads)
        touch(expr, AccessKind::Load, value, bytes, arg, mask);
    if (parameter.access.writes)
        touch(expr, AccessKind::Store, value, bytes, arg, mask);
}

Value TracedValues::eval_intrinsic(const Intrinsic& expr, const Mask& mask) {
    const IntrinsicInfo& row = info(expr.id);
    switch (expr.id) {
    case IntrinsicId::CpAsync: copy_async(expr, mask); return {};
    case IntrinsicId::LdMatrix:
    case IntrinsicId::StMatrix: move_matrices(expr, mask); return {};
    case IntrinsicId::WmmaLoadA:
    case IntrinsicId::WmmaLoadB:
    case IntrinsicId::WmmaStore: move_tile(expr, mask); return {};
    case IntrinsicId::DynamicSharedMemory: {
        Value at = eval(expr.args[0], mask);
        at.memory = Memory::Shared, at.object = object_of(nullptr, Memory::Shared, 0);
        at.constant += m_objects[static_cast<std::size_t>(at.object)].begin;
        return at;
    }
    case IntrinsicId::ElectSync: return m_domain.each([](std::size_t t) { return t % 32 == 0 ? 1 : 0; });
    default: break;
    }
    if (const auto wide = wide_access(expr.id)) {
        access_wide(expr, *wide, mask);
        return {};
    }
    std::vector<Value> args = transformed(expr.args, [&](const ExprRef& arg) { return eval(arg, mask); });
    if (expr.id == IntrinsicId::CvtaToShared)
        return args[0];
    if (expr.id == IntrinsicId::MapSharedRank) { // the same place of another block
        Value place = Domain::data("shared memory of another block", false);
        place.memory = Memory::Shared, place.object = args[0].object;
        return place;
    }
    if (row.category == IntrinsicCategory::Atomic) {
        touch(expr, AccessKind::Atomic, args[0], bytes_of(dtype_of(expr.args[1])), expr.args[0], mask);
        return Domain::data("the result of an atomic operation", false);
    }
    if (expr.id == IntrinsicId::LoadAcquire)
        return load(expr, args[0], expr.type, expr.args[0], mask);
    if (expr.id == IntrinsicId::StoreRelease) {
        touch(expr, AccessKind::Store, args[0], bytes_of(dtype_of(expr.args[1])), expr.args[0], mask);
        return {};
    }
    if (expr.id == IntrinsicId::Min && is_integer(dtype_of(expr.args[0])))
        return m_domain.least(args[0], args[1], false);
    if (expr.id == IntrinsicId::Max && is_integer(dtype_of(expr.args[0])))
        return m_domain.least(args[0], args[1], true);
    const bool copies = row.category == IntrinsicCategory::AsyncCopy && row.does == Does::Nothing;
    if (copies && m_counts && !m_stopped)
        copy_by_unit(expr, args, mask);
    for (std::size_t i = 0; i < expr.args.size(); ++i)
        use_operand(expr, i, args[i], mask, copies);
    const auto result = scalar_of(expr.type);
    const auto op = scalar_op(expr.id);
    if (op && result && is_integer(*result) && is_integer(dtype_of(expr.args[0])))
        return m_domain.apply(*op, dtype_of(expr.args[0]), args);
    bool is_uniform = row.does == Does::Nothing || row.does == Does::JoinsBlock;
    for (const Value& arg : args)
        is_uniform = is_uniform && arg.is_uniform();
    return Domain::data(row.name, is_uniform);
}

} // namespace hidet::compiler::access
