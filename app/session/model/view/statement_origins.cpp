// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/statement_origins.h"

#include "compiler/ir/family.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"

namespace hidet::session {

namespace {

class StatementOrigins : public ir::Walker {
protected:
    using Walker::visit;
    void visit(const ir::StoreStmt& stmt) override { take(stmt, stmt.value); }
    void visit(const ir::AssignStmt& stmt) override { take(stmt, stmt.value); }
    void visit(const ir::DeclareStmt& stmt) override { take(stmt, stmt.init); }

private:
    static void take(const ir::Stmt& stmt, const ir::ExprRef& value) {
        const Origin origin = first_origin(value.get());
        if (!stmt.origin.known())
            stmt.origin = origin;
    }
    static Origin first_origin(const ir::Node* node) {
        if (!node || node->origin.known())
            return node ? node->origin : Origin{};
        Origin found;
        ir::for_each_child(*node, [&](const ir::Node* child) {
            if (!found.known() && child && ir::runs(*child))
                found = first_origin(child);
        });
        return found;
    }
};

} // namespace

void give_origins_to_statements(const ir::Module& module) {
    StatementOrigins origins;
    for (const ir::FunctionRef& function : module.functions)
        origins.walk(ir::NodeRef(function->body));
}

} // namespace hidet::session
