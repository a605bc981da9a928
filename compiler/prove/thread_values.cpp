// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/prove/thread_state.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

DType integer_of(const ExprRef& expr) {
    return scalar_of(expr->type).value_or(DType::I64);
}

bool is_number(const TypeRef& type) {
    const auto dtype = scalar_of(type);
    return dtype && is_integer(*dtype);
}

bool is_bool(const TypeRef& type) {
    return scalar_of(type) == DType::Bool;
}

// Sizes, and numbers that a kernel is given: so many are no tensor's.
constexpr std::int64_t most_size = std::int64_t{1} << 31;

} // namespace

// ---- numbers that are not known -----------------------------------------------------------------------------------------

Term ThreadValues::unknown(const TypeRef& type, std::string why) {
    const auto dtype = scalar_of(type);
    if (!dtype || !is_integer(*dtype))
        return nullptr;
    if (*dtype == DType::Bool)
        return m_terms.condition_symbol("unknown", Same::InThread, std::move(why));
    const IntegerRange range = integer_range(*dtype);
    const bool is_short = range.highest < static_cast<std::uint64_t>(most_size) * 4;
    return m_terms.symbol("unknown", Same::InThread, std::move(why), is_short ? range.lowest : no_lowest,
                          is_short ? static_cast<std::int64_t>(range.highest) : no_highest);
}

Term ThreadValues::number(const ExprRef& expr) {
    const Value value = eval(expr);
    if (value.term)
        return m_terms.as_number(value.term);
    return m_terms.symbol("unknown", Same::InThread, "a value that is no whole number");
}

Term ThreadValues::condition(const ExprRef& expr) {
    const Value value = eval(expr);
    if (value.term)
        return m_terms.as_condition(value.term);
    return m_terms.condition_symbol("unknown", Same::InThread, "a comparison of values that are no whole numbers");
}

// A dimension or a number that is given with the launch: the same for all threads, and any.
Term ThreadValues::size_symbol(const std::string& name, const TypeRef& type, std::int64_t least) {
    Term& known = m_facts.sizes[name];
    if (known)
        return known;
    if (is_bool(type))
        return known = m_terms.condition_symbol(name, Same::InLaunch, "");
    const IntegerRange range = integer_range(scalar_of(type).value_or(DType::I32));
    const auto highest = std::min<std::uint64_t>(range.highest, static_cast<std::uint64_t>(most_size - 1));
    return known = m_terms.symbol(name, Same::InLaunch, "", std::max({range.lowest, -most_size, least}),
                                  static_cast<std::int64_t>(highest));
}

Term ThreadValues::eval_builtin(Builtin which) {
    const auto at = [&](Builtin first) { return static_cast<std::size_t>(which) - static_cast<std::size_t>(first); };
    switch (which) {
    case Builtin::ThreadIdxX:
    case Builtin::ThreadIdxY:
    case Builtin::ThreadIdxZ: return m_facts.thread[at(Builtin::ThreadIdxX)];
    case Builtin::BlockIdxX:
    case Builtin::BlockIdxY:
    case Builtin::BlockIdxZ: return m_facts.block[at(Builtin::BlockIdxX)];
    case Builtin::BlockDimX:
    case Builtin::BlockDimY:
    case Builtin::BlockDimZ: return m_facts.block_dim[at(Builtin::BlockDimX)];
    case Builtin::GridDimX:
    case Builtin::GridDimY:
    case Builtin::GridDimZ: return m_facts.grid_dim[at(Builtin::GridDimX)];
    case Builtin::ClusterThreadRank:
        return m_terms.add(m_terms.multiply(rank_in_cluster(m_terms, m_facts), product_of(m_facts.block_dim)),
                           linear_thread(m_terms, m_facts));
    case Builtin::ClusterBlockRank: return rank_in_cluster(m_terms, m_facts);
    case Builtin::ClusterDimThreads:
        return m_terms.multiply(product_of(m_facts.cluster_dim), product_of(m_facts.block_dim));
    case Builtin::ClusterDimBlocks: return product_of(m_facts.cluster_dim);
    }
    return m_terms.constant(0);
}

Term ThreadValues::product_of(const std::array<Term, 3>& extents) {
    return m_terms.multiply(extents[0], m_terms.multiply(extents[1], extents[2]));
}

// A dynamic dimension, by its name.
Term ThreadValues::symbol_value(const Intrinsic& expr) {
    const auto* name = as<Constant>(expr.args[0]);
    const auto* text = name ? std::get_if<std::string>(&name->value) : nullptr;
    if (!text)
        return unknown(expr.type, "a dimension");
    return size_symbol(*text, expr.type, 0);
}

Value ThreadValues::read_variable(const Var& var) {
    if (const auto let = m_lets.find(&var); let != m_lets.end())
        return let->second;
    if (const auto at = m_state.variables.find(&var); at != m_state.variables.end())
        return at->second;
    if (is_address(var.type))
        return object_value(var, Space::Global);
    if (is_number(var.type))
        return {.term = size_symbol(var.name, var.type, no_lowest)};
    return {};
}

// ---- expressions --------------------------------------------------------------------------------------------------------

Value ThreadValues::eval(const ExprRef& expr) {
    switch (kind_of(*expr)) {
    case ExprKind::Constant: {
        const auto value = constant_int(expr);
        if (!value || !is_number(expr->type))
            return {};
        return {.term = is_bool(expr->type) ? m_terms.truth(*value != 0) : m_terms.constant(*value)};
    }
    case ExprKind::Var: return read_variable(static_cast<const Var&>(*expr));
    case ExprKind::SymbolVar: {
        const auto& symbol = static_cast<const SymbolVar&>(*expr);
        return {.term = size_symbol(symbol.name, expr->type, 0)};
    }
    case ExprKind::BuiltinVar: return {.term = eval_builtin(static_cast<const BuiltinVar&>(*expr).which)};
    case ExprKind::Unary: return eval_unary(static_cast<const Unary&>(*expr));
    case ExprKind::Binary: return eval_binary(static_cast<const Binary&>(*expr));
    case ExprKind::Select: return eval_select(static_cast<const Select&>(*expr));
    case ExprKind::Cast: return eval_cast(static_cast<const Cast&>(*expr));
    case ExprKind::Intrinsic: return eval_intrinsic(static_cast<const Intrinsic&>(*expr));
    case ExprKind::Address: return address_of(static_cast<const Address&>(*expr).place);
    case ExprKind::TensorElement: {
        const auto& element = static_cast<const TensorElement&>(*expr);
        return load(*expr, address_of_element(element.base, element.indices), expr->type);
    }
    case ExprKind::Deref: {
        const auto& deref = static_cast<const Deref&>(*expr);
        if (const auto* place = as<Address>(deref.pointer); place && place->place->kind == Kind::Var)
            return eval(place->place);
        return load(*expr, eval(deref.pointer), expr->type);
    }
    case ExprKind::Let: {
        const auto& let = static_cast<const Let&>(*expr);
        m_lets[let.var.get()] = eval(let.value);
        return eval(let.body);
    }
    case ExprKind::Call: {
        for (const ExprRef& arg : static_cast<const Call&>(*expr).args)
            eval(arg);
        if (!m_is_host)
            obstacle(*expr, {nullptr, "a function that is called", true, true});
        return {.term = unknown(expr->type, "what a function returns")};
    }
    case ExprKind::TensorSlice: break; // elements by now
    }
    return {};
}

Value ThreadValues::eval_unary(const Unary& expr) {
    const Value a = eval(expr.a);
    if (!a.term)
        return {.term = unknown(expr.type, "a value that is no whole number")};
    switch (expr.op) {
    case UnOp::Neg: return {.term = m_terms.scaled(m_terms.as_number(a.term), -1)};
    case UnOp::Not: return {.term = m_terms.negate(m_terms.as_condition(a.term))};
    case UnOp::BitNot: return {.term = m_terms.sub(m_terms.constant(-1), m_terms.as_number(a.term))};
    }
    return {};
}

// `and` and `or` evaluate their right side where the left one does not decide.
Value ThreadValues::eval_binary(const Binary& expr) {
    if (expr.op == BinOp::And || expr.op == BinOp::Or) {
        const Term a = condition(expr.a);
        const bool is_and = expr.op == BinOp::And;
        const Term b = under(is_and ? a : m_terms.negate(a), [&] { return condition(expr.b); });
        return {.term = is_and ? m_terms.both(a, b) : m_terms.either(a, b)};
    }
    const Value left = eval(expr.a), right = eval(expr.b);
    if (left.object >= 0 && is_pointer(expr.a->type) && right.term) {
        const std::int64_t bytes = std::max<std::int64_t>(size_in_bytes(element_of(expr.a->type)), 1);
        return moved(left, m_terms.scaled(right.term, expr.op == BinOp::Sub ? -bytes : bytes));
    }
    if (left.object >= 0 || right.object >= 0) { // addresses as numbers: of shared memory, for instructions
        const Value& address = left.object >= 0 ? left : right;
        const Value& by = left.object >= 0 ? right : left;
        if (by.term && (left.object >= 0 || expr.op == BinOp::Add || expr.op == BinOp::BitOr))
            if (auto descriptor = descriptor_of(expr.op, address, m_terms.as_number(by.term)))
                return *descriptor;
        if (address.descriptor)
            return {.term = unknown(expr.type, "arithmetic with an address")};
        if (expr.op == BinOp::Add && by.term)
            return moved(address, by.term);
        return {.term = unknown(expr.type, "arithmetic with an address")};
    }
    if (!left.term || !right.term)
        return {.term = unknown(expr.type, "a value that is no whole number")};
    const DType dtype = integer_of(expr.a);
    const Term a = m_terms.as_number(left.term), b = m_terms.as_number(right.term);
    const bool is_wide_unsigned = dtype == DType::U32 || dtype == DType::U64;
    switch (expr.op) {
    case BinOp::Add: return {.term = m_terms.add(a, b)};
    case BinOp::Sub: {
        const Term difference = m_terms.sub(a, b);
        if (!is_wide_unsigned || m_terms.constant_of(difference).value_or(-1) >= 0)
            return {.term = difference};
        if (dtype == DType::U64)
            return {.term =
                        m_terms.choose(m_terms.less(a, b),
                                       m_terms.symbol("wrapped", Same::InThread, "a difference below 0"), difference)};
        return {.term = m_terms.choose(m_terms.less(a, b),
                                       m_terms.add(difference, m_terms.constant(std::int64_t{1} << 32)), difference)};
    }
    case BinOp::Mul: return {.term = m_terms.multiply(a, b)};
    case BinOp::Div: return {.term = m_terms.truncated_quotient(a, b)};
    case BinOp::Mod: return {.term = m_terms.truncated_remainder(a, b)};
    case BinOp::FloorDiv: return {.term = m_terms.quotient(a, b)};
    case BinOp::FloorMod: return {.term = m_terms.remainder(a, b)};
    case BinOp::Lt: return {.term = m_terms.less(a, b)};
    case BinOp::Le: return {.term = m_terms.less_equal(a, b)};
    case BinOp::Eq: return {.term = m_terms.equal(a, b)};
    case BinOp::Ne: return {.term = m_terms.negate(m_terms.equal(a, b))};
    case BinOp::BitAnd: return {.term = m_terms.bit_and(a, b)};
    case BinOp::BitOr: return {.term = m_terms.bit_or(a, b)};
    case BinOp::BitXor: return {.term = m_terms.bit_xor(a, b)};
    case BinOp::Shl: return {.term = m_terms.shift_left(a, b)};
    case BinOp::Shr: return {.term = m_terms.shift_right(a, b)};
    case BinOp::And:
    case BinOp::Or: break;
    }
    return {};
}

Value ThreadValues::eval_select(const Select& expr) {
    const Term holds = condition(expr.condition);
    const Value a = under(holds, [&] { return eval(expr.a); });
    const Value b = under(m_terms.negate(holds), [&] { return eval(expr.b); });
    if (is_true(holds) || is_false(holds))
        return is_true(holds) ? a : b;
    if (a.term && b.term)
        return {.term = a.term->is_condition == b.term->is_condition
                            ? m_terms.choose(holds, a.term, b.term)
                            : m_terms.choose(holds, m_terms.as_number(a.term), m_terms.as_number(b.term))};
    return {.term = unknown(expr.type, "a choice of values that are no whole numbers")};
}

Value ThreadValues::eval_cast(const Cast& expr) {
    const Value a = eval(expr.a);
    if (a.object >= 0 || !is_number(expr.type))
        return a.object >= 0 ? a : Value{};
    if (!a.term || !is_number(expr.a->type))
        return {.term = unknown(expr.type, "a value that is no whole number")};
    const DType to = *scalar_of(expr.type);
    if (to == DType::Bool)
        return {.term = m_terms.as_condition(a.term)};
    const Term value = m_terms.as_number(a.term);
    const DType from = integer_of(expr.a);
    const IntegerRange range = integer_range(to), given = integer_range(from);
    if (m_terms.constant_of(value) || (range.lowest <= given.lowest && given.highest <= range.highest))
        return {.term = value};
    const Term zero = m_terms.constant(0);
    if (bytes_of(to) < 4) { // it wraps
        const std::int64_t count = std::int64_t{1} << 8 * bytes_of(to);
        return {.term = m_terms.add(
                    m_terms.remainder(m_terms.add(value, m_terms.constant(-range.lowest)), m_terms.constant(count)),
                    m_terms.constant(range.lowest))};
    }
    if (range.lowest == 0 && given.lowest < 0 && bytes_of(to) == 4)
        return {.term = m_terms.choose(m_terms.less(value, zero),
                                       m_terms.add(value, m_terms.constant(std::int64_t{1} << 32)), value)};
    return {.term = value}; // no sum overflows: the assumption of all of this
}

// The same lane of a warp for the same mask, and any one.
Term ThreadValues::elected(const Intrinsic& expr) {
    const auto mask = constant_int(expr.args.at(0));
    if (!mask || (*mask & 0xFFFFFFFF) != 0xFFFFFFFF)
        return unknown(expr.type, "cuda.elect_sync");
    const Term thread = linear_thread(m_terms, m_facts), lanes = m_terms.constant(32);
    const Term lane = m_terms.apply("elected lane", {m_terms.quotient(thread, lanes)}, 0, 31, "");
    return m_terms.equal(m_terms.remainder(thread, lanes), lane);
}

Value ThreadValues::eval_intrinsic(const Intrinsic& expr) {
    const IntrinsicInfo& row = info(expr.id);
    switch (expr.id) {
    case IntrinsicId::Min:
    case IntrinsicId::Max: {
        const Value a = eval(expr.args[0]), b = eval(expr.args[1]);
        if (!a.term || !b.term)
            return {.term = unknown(expr.type, "a value that is no whole number")};
        return {.term = expr.id == IntrinsicId::Min ? m_terms.least(a.term, b.term) : m_terms.greatest(a.term, b.term)};
    }
    case IntrinsicId::Assume: {
        const Term holds = condition(expr.args[0]);
        m_facts.launched = m_terms.both(m_facts.launched, m_terms.either(m_terms.negate(running()), holds));
        return {};
    }
    case IntrinsicId::DynamicSharedMemory: {
        const Term from = number(expr.args[0]);
        Value out;
        out.object = object_of(nullptr, Space::Shared, nullptr, "dynamic shared memory");
        out.offset = from;
        return out;
    }
    case IntrinsicId::CvtaToShared: return eval(expr.args[0]);
    case IntrinsicId::MapSharedRank: {
        Value out = eval(expr.args[0]);
        out.block = number(expr.args[1]);
        return out;
    }
    case IntrinsicId::GetSymbolValue: return {.term = symbol_value(expr)};
    case IntrinsicId::CpAsync: copy_async(expr); return {};
    case IntrinsicId::CpAsyncWait: wait_for_groups(EndsBy::CopyGroup, number(expr.args[0])); return {};
    case IntrinsicId::CpAsyncCommit:
    case IntrinsicId::CpAsyncWaitAll: { // the latter of copies without a group, too
        close_group(EndsBy::CopyGroup);
        if (expr.id == IntrinsicId::CpAsyncWaitAll)
            wait_for_groups(EndsBy::CopyGroup, m_terms.constant(0));
        return {};
    }
    case IntrinsicId::BarrierSync:
    case IntrinsicId::BarrierArrive: use_named_barrier(expr); return {};
    case IntrinsicId::CreateTensorMap:
    case IntrinsicId::CreateIm2colMap: make_map(expr); return {};
    case IntrinsicId::FenceAsyncShared:
    case IntrinsicId::FenceProxyAsync: {
        const bool is_for_shared =
            expr.id == IntrinsicId::FenceAsyncShared || attribute<ProxySpace>(expr.attr) == ProxySpace::none;
        if (is_for_shared)
            fence_for_copies();
        note_sync({.at = &expr, .kind = SyncKind::Fence});
        return {};
    }
    case IntrinsicId::FenceBarrierInit: note_sync({.at = &expr, .kind = SyncKind::Fence}); return {};
    case IntrinsicId::SetMaxNReg: return {};
    case IntrinsicId::Wgmma:
    case IntrinsicId::WgmmaRegisters: multiply_tiles(expr); return {};
    case IntrinsicId::WgmmaCommit: close_group(EndsBy::Product); return {};
    case IntrinsicId::WgmmaWait: wait_for_groups(EndsBy::Product, number(expr.args[0])); return {};
    case IntrinsicId::WmmaLoadA:
    case IntrinsicId::WmmaLoadB:
    case IntrinsicId::WmmaStore: move_tile(expr); return {};
    case IntrinsicId::ElectSync: return {.term = elected(expr)};
    case IntrinsicId::SyncThreads:
    case IntrinsicId::SyncThreadsAnd:
    case IntrinsicId::SyncThreadsCount:
    case IntrinsicId::SyncThreadsOr:
    case IntrinsicId::SyncWarp:
    case IntrinsicId::ClusterSync:
        for (const ExprRef& arg : expr.args)
            eval(arg);
        meet(expr);
        if (!scalar_of(expr.type))
            return {};
        return {.term = m_terms.symbol("counted", Same::InBlock, "what a barrier counts", 0, most_size)};
    default: break;
    }
    if (row.category == IntrinsicCategory::Mbarrier)
        return use_mbarrier(expr);
    if (row.category == IntrinsicCategory::AsyncCopy)
        return copy_in_bulk(expr), Value{};
    if (wide_access_of(expr))
        return access_wide(expr), Value{};
    std::vector<Value> args;
    for (const ExprRef& arg : expr.args)
        args.push_back(eval(arg));
    if (row.category == IntrinsicCategory::Atomic) {
        const std::int64_t bytes = bytes_of(integer_of(expr.args[1]));
        access(expr, Does::UpdatesAtOnce, args[0], m_terms.constant(bytes), bytes, bytes);
        return {.term = unknown(expr.type, "the result of an atomic operation")};
    }
    if (expr.id == IntrinsicId::LdMatrix || expr.id == IntrinsicId::StMatrix || expr.id == IntrinsicId::MmaSync)
        meet_lanes(expr);
    if (const auto obstacle_here = unseen(expr.id))
        obstacle(expr, *obstacle_here);
    if (expr.id == IntrinsicId::LdMatrix || expr.id == IntrinsicId::StMatrix) {
        for (std::size_t i = 0; i + 1 < expr.args.size(); ++i)
            access_operand(expr, i, args[i]);
        // Eight lanes give the rows of each 8 x 8 matrix.
        const std::int64_t lanes = std::min<std::int64_t>(32, 8 * std::ssize(expr.args) - 8);
        const Term lane = m_terms.remainder(linear_thread(m_terms, m_facts), m_terms.constant(32));
        under(m_terms.less(lane, m_terms.constant(lanes)), [&] {
            access(expr, expr.id == IntrinsicId::LdMatrix ? Does::Reads : Does::Writes, as_number(args.back()),
                   m_terms.constant(16), 16, 16, true);
            return 0;
        });
        return {};
    }
    for (std::size_t i = 0; i < args.size(); ++i)
        access_operand(expr, i, args[i]);
    return {.term = unknown(expr.type, row.name)};
}

} // namespace hidet::compiler::prove
