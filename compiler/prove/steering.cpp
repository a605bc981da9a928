// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/steering.h"

#include <vector>

#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

class SteeringFinder {
public:
    std::unordered_set<const Var*> find(const Function& kernel) {
        each_node(
            kernel.body, [&](const TensorElement& element) { place(element.base, element.indices); },
            [&](const StoreStmt& store) { place(store.base, store.indices); },
            [&](const Deref& deref) { steers(deref.pointer); }, [&](const Address& address) { steers(address.place); },
            [&](const IfStmt& branch) { steers(branch.condition); },
            [&](const Select& select) { steers(select.condition); }, [&](const ForStmt& loop) { steers(loop.extent); },
            [&](const WhileStmt& loop) { steers(loop.condition); },
            [&](const AssertStmt& stmt) { steers(stmt.condition); },
            [&](const Binary& binary) {
                if (binary.op == BinOp::And || binary.op == BinOp::Or)
                    steers(binary.a); // whether the other side is evaluated
            },
            [&](const Intrinsic& expr) {
                if (info(expr.id).does != hidet::ir::Does::Nothing)
                    all_steer(expr.args);
            },
            [&](const Call& call) { all_steer(call.args); }, [&](const AsmStmt& stmt) { all_steer(stmt.inputs); },
            [&](const AssignStmt& assign) {
                m_flows.push_back({assign.var.get(), assign.value});
            },
            [&](const DeclareStmt& declare) {
                m_flows.push_back({declare.var.get(), declare.init});
            },
            [&](const Let& let) {
                m_flows.push_back({let.var.get(), let.value});
            });
        for (std::size_t count = 0; count != m_out.size();) {
            count = m_out.size();
            for (const Flow& flow : m_flows)
                if (m_out.contains(flow.to))
                    steers(flow.from);
        }
        return std::move(m_out);
    }

private:
    struct Flow {
        const Var* to = nullptr;
        ExprRef from;
    };
    void steers(const ExprRef& expr) {
        each_node(expr, [&](const Var& var) { m_out.insert(&var); });
    }
    void all_steer(const ExprVec& exprs) {
        for (const ExprRef& expr : exprs)
            steers(expr);
    }
    void place(const ExprRef& base, const ExprVec& indices) {
        steers(base);
        all_steer(indices);
    }

    std::unordered_set<const Var*> m_out;
    std::vector<Flow> m_flows;
};

} // namespace

std::unordered_set<const Var*> steering_variables(const Function& kernel) {
    return SteeringFinder().find(kernel);
}

} // namespace hidet::compiler::prove
