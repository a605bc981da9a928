// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/timed_statements.h"

#include "compiler/analysis/underlying_object.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using namespace ir;
using artifact::AwaitedKind;
using artifact::TimedKind;

namespace {

std::optional<AwaitedKind> awaited_by(IntrinsicId id) {
    switch (id) {
    case IntrinsicId::CpAsyncWait:
    case IntrinsicId::CpAsyncWaitAll: return AwaitedKind::Copies;
    case IntrinsicId::CopyBulkWait: return AwaitedKind::Stores;
    case IntrinsicId::WgmmaWait: return AwaitedKind::Products;
    case IntrinsicId::ClusterSync: return AwaitedKind::Cluster;
    case IntrinsicId::MbarrierWait:
    case IntrinsicId::MbarrierTryWait:
    case IntrinsicId::MbarrierTestWait: return AwaitedKind::Mbarrier;
    case IntrinsicId::SyncThreads:
    case IntrinsicId::SyncThreadsCount:
    case IntrinsicId::SyncThreadsAnd:
    case IntrinsicId::SyncThreadsOr:
    case IntrinsicId::BarrierSync: return AwaitedKind::Barrier;
    default: return std::nullopt;
    }
}

// A warp group's products with what begins and closes them: compilers want nothing else in between.
bool is_product(IntrinsicId id) {
    switch (id) {
    case IntrinsicId::MmaSync:
    case IntrinsicId::WmmaMma:
    case IntrinsicId::Wgmma:
    case IntrinsicId::WgmmaRegisters:
    case IntrinsicId::WgmmaFence:
    case IntrinsicId::WgmmaCommit: return true;
    default: return false;
    }
}

// What lies behind an address: the variable that it begins at.
const Var* root_of(const ExprRef& place) {
    switch (kind_of(*place)) {
    case ExprKind::Var: return static_cast<const Var*>(place.get());
    case ExprKind::Address: return root_of(static_cast<const Address&>(*place).place);
    case ExprKind::TensorElement: return root_of(static_cast<const TensorElement&>(*place).base);
    case ExprKind::Deref: return root_of(static_cast<const Deref&>(*place).pointer);
    case ExprKind::Cast: return root_of(static_cast<const Cast&>(*place).a);
    case ExprKind::Binary: {
        const auto& sum = static_cast<const Binary&>(*place);
        return root_of(is_address(sum.a->type) ? sum.a : sum.b);
    }
    default: return nullptr;
    }
}

std::string barrier_name(const Intrinsic& call, AwaitedKind awaited) {
    if (awaited == AwaitedKind::Cluster)
        return "the cluster";
    if (awaited == AwaitedKind::Mbarrier) {
        const Var* root = root_of(call.args.at(0));
        return root ? root->name : "";
    }
    if (awaited != AwaitedKind::Barrier)
        return "";
    const auto number =
        call.id == IntrinsicId::BarrierSync ? constant_int(call.args.at(0)) : std::optional<std::int64_t>(0);
    return number ? cat("barrier ", *number) : "a barrier";
}

ExprRef barrier_index(const ExprRef& place) {
    if (const TensorElement* element = element_behind_address(place))
        return element->indices.size() == 1 ? element->indices.front() : nullptr;
    const auto* sum = as<Binary>(place);
    if (!sum || sum->op != BinOp::Add)
        return nullptr;
    return is_address(sum->a->type) ? sum->b : sum->a;
}

// What is computed adds a product of floats to something.
bool is_sum_of_products(const ExprRef& value) {
    const auto scalar = value ? scalar_of(value->type) : std::nullopt;
    if (!scalar || !is_float(*scalar))
        return false;
    if (const auto* cast = as<Cast>(value))
        return is_sum_of_products(cast->a);
    if (const auto* call = as<Intrinsic>(value))
        return call->id == IntrinsicId::Fma;
    const auto* sum = as<Binary>(value);
    const auto is_product_of = [](const ExprRef& expr) {
        const auto* product = as<Binary>(expr);
        return product && product->op == BinOp::Mul;
    };
    return sum && sum->op == BinOp::Add && (is_product_of(sum->a) || is_product_of(sum->b));
}

const Intrinsic* find_call(const Node& node, const auto& is) {
    const Intrinsic* found = nullptr;
    any_node(node, [&](const Node& each) {
        if (each.kind == Kind::Intrinsic && is(static_cast<const Intrinsic&>(each)))
            found = static_cast<const Intrinsic*>(&each);
        return found != nullptr;
    });
    return found;
}

} // namespace

TimedStatements::TimedStatements(const Function& kernel) : m_kernel(kernel) {
    each_node(kernel.body, [&](const DeclareStmt& stmt) { m_declared[stmt.var.get()] = &stmt; });
}

bool TimedStatements::is_global(const ExprRef& base) const {
    const Var* root = root_of(base);
    for (int depth = 0; root && depth < 16; ++depth) {
        const auto declared = m_declared.find(root);
        if (declared == m_declared.end()) // of the kernel or of the module
            return is_address(root->type);
        if (is_array(root->type) || !declared->second->init)
            return false;
        root = root_of(declared->second->init);
    }
    return false;
}

// Of a ring of stages the first index says which. What is added to a pointer may hide another one.
ExprRef TimedStatements::stage_index(const ExprRef& place) const {
    ExprRef at = place;
    for (int depth = 0; depth < 16; ++depth) {
        if (const TensorElement* element = element_behind_address(at))
            return element->indices.size() > 1 ? element->indices.front() : nullptr;
        while (const auto* cast = as<Cast>(at))
            at = cast->a;
        const auto declared =
            at->kind == Kind::Var ? m_declared.find(static_cast<const Var*>(at.get())) : m_declared.end();
        if (declared == m_declared.end() || !declared->second->is_let || !declared->second->init)
            return nullptr;
        at = declared->second->init;
    }
    return nullptr;
}

// `to`: where it writes.
TimedStatement TimedStatements::copy_by(const Intrinsic& call, const ExprRef& to) const {
    TimedStatement out{.kind = TimedKind::Copy, .origin = call.origin, .begins_copies = true};
    const IntrinsicInfo& row = info(call.id);
    for (std::size_t i = 0; i < call.args.size(); ++i)
        if (parameter_of(row, i, call.args.size()).role == ParameterRole::Barrier) {
            const Var* root = root_of(call.args[i]);
            out.barrier = root ? root->name : "";
            out.index = barrier_index(call.args[i]);
            return out;
        }
    out.to = to;
    out.index = stage_index(to);
    return out;
}

std::optional<TimedStatement> TimedStatements::of_call(const Intrinsic& call) const {
    if (const auto awaited = awaited_by(call.id)) {
        TimedStatement out{TimedKind::Wait, *awaited, barrier_name(call, *awaited), call.origin};
        if (*awaited == AwaitedKind::Mbarrier)
            out.index = barrier_index(call.args.at(0));
        if (call.id == IntrinsicId::CpAsyncWait)
            out.pending = static_cast<int>(constant_int(call.args.at(0)).value_or(-1));
        return out;
    }
    if (call.id == IntrinsicId::CpAsyncCommit)
        return TimedStatement{.kind = TimedKind::Copy, .origin = call.origin, .closes_group = true};
    if (is_product(call.id))
        return TimedStatement{TimedKind::Compute, {}, {}, call.origin};
    const IntrinsicInfo& row = info(call.id);
    for (std::size_t i = 0; i < call.args.size(); ++i) {
        const IntrinsicParameter& parameter = parameter_of(row, i, call.args.size());
        if (!parameter.access.writes)
            continue;
        if (parameter.completion == Completion::CopyGroup || parameter.completion == Completion::Barrier)
            return copy_by(call, call.args[i]);
        const bool is_plain_store = row.category != IntrinsicCategory::Atomic && !parameter.access.reads &&
                                    parameter.role == ParameterRole::Address &&
                                    parameter.completion == Completion::AtOnce && is_global(call.args[i]);
        if (parameter.completion == Completion::BulkGroup || is_plain_store)
            return TimedStatement{TimedKind::Store, {}, {}, call.origin};
    }
    return std::nullopt;
}

std::optional<TimedStatement> TimedStatements::of(const Stmt& stmt) const {
    const auto found_in = [&](const Node& node) {
        const Intrinsic* call = find_call(node, [&](const Intrinsic& each) { return of_call(each).has_value(); });
        std::optional<TimedStatement> out = call ? of_call(*call) : std::nullopt;
        if (out && !out->origin.span.known())
            out->origin = stmt.origin;
        return out;
    };
    const auto computes = [&] { return TimedStatement{TimedKind::Compute, {}, {}, stmt.origin}; };
    switch (kind_of(stmt)) {
    case StmtKind::EvaluateStmt:
    case StmtKind::DeclareStmt: return found_in(stmt);
    case StmtKind::AssignStmt: {
        const auto& assign = static_cast<const AssignStmt&>(stmt);
        if (auto found = found_in(stmt))
            return found;
        return is_sum_of_products(assign.value) ? std::optional(computes()) : std::nullopt;
    }
    case StmtKind::StoreStmt: {
        const auto& store = static_cast<const StoreStmt&>(stmt);
        if (auto found = found_in(stmt))
            return found;
        if (is_global(store.base))
            return TimedStatement{TimedKind::Store, {}, {}, stmt.origin};
        return is_sum_of_products(store.value) ? std::optional(computes()) : std::nullopt;
    }
    case StmtKind::WhileStmt: {
        auto found = found_in(*static_cast<const WhileStmt&>(stmt).condition);
        return found && found->kind == TimedKind::Wait ? found : std::nullopt;
    }
    default: return std::nullopt;
    }
}

} // namespace hidet::compiler
