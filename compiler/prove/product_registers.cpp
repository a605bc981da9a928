// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/product_registers.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/each_node.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

constexpr int most_groups = 8; // that are told apart behind a product

bool is_product(const Intrinsic& expr) {
    return expr.id == IntrinsicId::Wgmma || expr.id == IntrinsicId::WgmmaRegisters;
}

bool names_registers(const Intrinsic& expr, std::size_t operand) {
    return parameter_of(info(expr.id), operand, expr.args.size()).space == MemorySpace::Registers;
}

// What may be at a place of the kernel.
struct Registers {
    std::map<const Var*, int> held; // how many groups were closed behind the newest product that has them, at least
    std::set<const Var*> unfenced;
    bool operator==(const Registers&) const = default;
};

void join(Registers& into, const Registers& other) {
    for (const auto& [var, groups] : other.held) {
        const auto [at, is_new] = into.held.try_emplace(var, groups);
        at->second = std::min(at->second, groups);
    }
    into.unfenced.insert(other.unfenced.begin(), other.unfenced.end());
}

class ProductRegisters {
public:
    std::vector<Obstacle> find(const Function& kernel) {
        each_node(kernel.body, [&](const DeclareStmt& declare) {
            if (declare.init && is_address(declare.var->type))
                m_named.emplace(declare.var.get(), declare.init);
        });
        each_node(kernel.body, [&](const AssignStmt& assign) {
            if (is_address(assign.var->type))
                m_moved.insert(assign.var.get()), m_named.erase(assign.var.get());
        });
        each_node(kernel.body, [&](const Intrinsic& expr) {
            for (std::size_t i = 0; is_product(expr) && i < expr.args.size(); ++i)
                if (names_registers(expr, i))
                    add(expr, root_of(expr.args[i]));
        });
        if (!m_of_products.empty())
            run(kernel.body);
        return std::move(m_out);
    }

private:
    void add(const Intrinsic& product, const Var* registers) {
        if (registers && !is_pointer(registers->type))
            m_of_products.insert(registers);
        else
            misuse(product, "registers of a product that are not known");
    }
    const Var* root_of(ExprRef expr) const {
        for (;;) {
            if (const auto* cast = as<Cast>(expr)) {
                expr = cast->a;
            } else if (const auto* address = as<Address>(expr)) {
                expr = address->place;
            } else if (const auto* element = as<TensorElement>(expr)) {
                expr = element->base;
            } else if (const auto* sum = as<Binary>(expr); sum && is_pointer(sum->a->type)) {
                expr = sum->a;
            } else {
                const auto* var = as<Var>(expr);
                const auto named = m_named.find(var);
                if (!var || named == m_named.end())
                    return var;
                expr = named->second;
            }
        }
    }
    void misuse(const Node& at, const char* what) {
        if (std::ranges::none_of(m_out, [&](const Obstacle& known) { return known.what == what; }))
            m_out.push_back({&at, what, false, false, false});
    }
    // By a thread itself.
    void touch(const Node& at, const ExprRef& place, bool writes) {
        const Var* var = root_of(place);
        const bool may_be_any = m_moved.contains(var) && !m_now.held.empty();
        if (!m_of_products.contains(var) && !may_be_any)
            return;
        if (may_be_any || m_now.held.contains(var))
            misuse(at, "registers of a product that may be under way");
        if (writes)
            m_now.unfenced.insert(var);
    }
    void multiply(const Intrinsic& product) {
        const bool starts = constant_int(product.args.back()) == 0; // the sums have no value yet
        for (std::size_t i = 0; i < product.args.size(); ++i) {
            if (!names_registers(product, i))
                continue;
            const Var* var = root_of(product.args[i]);
            if (!(starts && i == 1) && m_now.unfenced.contains(var))
                misuse(product, "registers of a product that may be written behind the last fence");
            m_now.held[var] = 0;
        }
    }
    void look(const ExprRef& expr) {
        each_node(
            expr, [&](const TensorElement& element) { touch(element, element.base, false); },
            [&](const Deref& deref) { touch(deref, deref.pointer, false); },
            [&](const Var& var) {
                if (!is_address(var.type))
                    touch(var, ExprRef(&var), false);
            },
            [&](const Intrinsic& call) { return look_at(call); });
    }
    bool look_at(const Intrinsic& call) {
        switch (call.id) {
        case IntrinsicId::WgmmaFence: m_now.unfenced.clear(); return true;
        case IntrinsicId::WgmmaFenceOperand: return false; // for the compiler
        case IntrinsicId::WgmmaCommit:
            for (auto& [var, groups] : m_now.held)
                groups = std::min(groups + 1, most_groups);
            return true;
        case IntrinsicId::WgmmaWait: {
            const auto left = constant_int(call.args[0]).value_or(most_groups);
            std::erase_if(m_now.held, [&](const auto& each) { return each.second > left; });
            return true;
        }
        case IntrinsicId::Wgmma:
        case IntrinsicId::WgmmaRegisters: multiply(call); return false;
        default: break;
        }
        for (std::size_t i = 0; i < call.args.size(); ++i) {
            const IntrinsicParameter& parameter = parameter_of(info(call.id), i, call.args.size());
            if (parameter.role == ParameterRole::Address)
                touch(call, call.args[i], parameter.access.writes);
        }
        return true;
    }
    void run(const StmtRef& stmt) {
        if (!stmt)
            return;
        switch (kind_of(*stmt)) {
        case StmtKind::EvaluateStmt: return look(static_cast<const EvaluateStmt&>(*stmt).value);
        case StmtKind::DeclareStmt: return declare(static_cast<const DeclareStmt&>(*stmt));
        case StmtKind::StoreStmt: {
            const auto& store = static_cast<const StoreStmt&>(*stmt);
            for (const ExprRef& index : store.indices)
                look(index);
            look(store.value);
            return touch(*stmt, store.base, true);
        }
        case StmtKind::AssignStmt: {
            const auto& assign = static_cast<const AssignStmt&>(*stmt);
            look(assign.value);
            return touch(*stmt, assign.var, true);
        }
        case StmtKind::IfStmt: return run_if(static_cast<const IfStmt&>(*stmt));
        case StmtKind::ForStmt: {
            const auto& loop = static_cast<const ForStmt&>(*stmt);
            look(loop.extent);
            return run_loop(nullptr, loop.body);
        }
        case StmtKind::WhileStmt: {
            const auto& loop = static_cast<const WhileStmt&>(*stmt);
            return run_loop(loop.condition, loop.body);
        }
        case StmtKind::AssertStmt: return look(static_cast<const AssertStmt&>(*stmt).condition);
        case StmtKind::AsmStmt: {
            const auto& assembly = static_cast<const AsmStmt&>(*stmt);
            for (const ExprRef& input : assembly.inputs)
                look(input);
            for (const ExprRef& output : assembly.outputs)
                touch(*stmt, output, true);
            return;
        }
        case StmtKind::SeqStmt:
            for (const StmtRef& each : static_cast<const SeqStmt&>(*stmt).stmts)
                run(each);
            return;
        case StmtKind::BreakStmt:
        case StmtKind::ContinueStmt: join(m_left, m_now); return;
        case StmtKind::ReturnStmt:
        case StmtKind::LaunchStmt:
        case StmtKind::ForMappingStmt:
        case StmtKind::CommentStmt: return;
        }
    }
    void declare(const DeclareStmt& stmt) {
        if (stmt.init && !is_address(stmt.var->type)) {
            look(stmt.init);
            touch(stmt, stmt.var, true);
        }
    }
    void run_if(const IfStmt& branch) {
        look(branch.condition);
        const Registers before = m_now;
        run(branch.then_body);
        const Registers behind = std::exchange(m_now, before);
        run(branch.else_body);
        join(m_now, behind);
    }
    // Until another turn changes nothing. Who leaves it is at its end, or behind it.
    void run_loop(const ExprRef& condition, const StmtRef& body) {
        const Registers left_around = std::exchange(m_left, {});
        for (Registers begin;;) {
            begin = m_now;
            if (condition)
                look(condition);
            run(body);
            join(m_now, m_left);
            join(m_now, begin);
            if (m_now == begin)
                break;
        }
        m_left = left_around;
    }

    std::map<const Var*, ExprRef> m_named;       // addresses
    std::set<const Var*> m_of_products, m_moved; // the latter are addresses that change
    Registers m_now, m_left;
    std::vector<Obstacle> m_out;
};

} // namespace

std::vector<Obstacle> misused_product_registers(const Function& kernel) {
    return ProductRegisters().find(kernel);
}

} // namespace hidet::compiler::prove
