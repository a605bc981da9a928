// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/argument_sources.h"

#include <algorithm>
#include <map>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"

namespace hidet::session {

namespace {

class SourceFinder {
public:
    explicit SourceFinder(const ir::Function& launch) {
        for (std::size_t i = 0; i < launch.params.size(); ++i)
            if (!ir::scalar_of(launch.params[i]->type))
                m_pointers.emplace(launch.params[i].get(), static_cast<int>(i));
        m_is_plain = visit(*launch.body);
    }
    std::optional<ArgumentSources> take() && { return m_is_plain ? std::optional(std::move(m_sources)) : std::nullopt; }

private:
    // False: it does something else than to compute numbers and to launch.
    bool visit(const ir::Stmt& stmt) {
        switch (stmt.kind) {
        case ir::Kind::SeqStmt:
            return std::ranges::all_of(static_cast<const ir::SeqStmt&>(stmt).stmts,
                                       [&](const ir::StmtRef& each) { return visit(*each); });
        case ir::Kind::DeclareStmt: {
            const auto& declared = static_cast<const ir::DeclareStmt&>(stmt);
            return declared.init ? ir::scalar_of(declared.var->type) && is_number(*declared.init)
                                 : ir::is_tensor_map(declared.var->type);
        }
        case ir::Kind::AssertStmt: return is_number(*static_cast<const ir::AssertStmt&>(stmt).condition);
        case ir::Kind::IfStmt: { // nothing is launched where there are no blocks
            const auto& branch = static_cast<const ir::IfStmt&>(stmt);
            return is_number(*branch.condition) && visit(*branch.then_body) &&
                   (!branch.else_body || visit(*branch.else_body));
        }
        case ir::Kind::CommentStmt: return true;
        case ir::Kind::EvaluateStmt: return visit_map(static_cast<const ir::EvaluateStmt&>(stmt).value);
        case ir::Kind::LaunchStmt: return visit_launch(static_cast<const ir::LaunchStmt&>(stmt));
        default: return false;
        }
    }

    bool visit_map(const ir::ExprRef& value) {
        const auto* made = ir::as<ir::Intrinsic>(value);
        if (!made || (made->id != ir::IntrinsicId::CreateTensorMap && made->id != ir::IntrinsicId::CreateIm2colMap))
            return false;
        const auto* address = ir::as<ir::Address>(made->args.at(0));
        const ir::Var* map = address ? ir::as<ir::Var>(address->place) : nullptr;
        const auto tensor = m_pointers.find(made->args.at(1).get());
        if (!map || tensor == m_pointers.end())
            return false;
        m_pointers[map] = tensor->second;
        return std::all_of(made->args.begin() + 2, made->args.end(),
                           [](const ir::ExprRef& each) { return is_number(*each); });
    }

    bool visit_launch(const ir::LaunchStmt& launch) {
        std::vector<int>& sources = m_sources.emplace_back();
        for (const ir::ExprRef& arg : launch.args) {
            const auto pointer = m_pointers.find(arg.get());
            sources.push_back(pointer == m_pointers.end() ? -1 : pointer->second);
            if (pointer == m_pointers.end() && !is_number(*arg))
                return false;
        }
        const auto are_numbers = [](const ir::ExprVec& extents) {
            return std::ranges::all_of(extents, [](const ir::ExprRef& each) { return is_number(*each); });
        };
        return are_numbers(launch.grid) && are_numbers(launch.cluster) && are_numbers(launch.block) &&
               (!launch.dynamic_smem_bytes || is_number(*launch.dynamic_smem_bytes));
    }

    // Of numbers alone, without a look into memory or at where it is.
    static bool is_number(const ir::Expr& expr) {
        return !ir::any_node(expr, [](const ir::Node& node) {
            switch (node.kind) {
            case ir::Kind::Intrinsic: // of the shapes
                return static_cast<const ir::Intrinsic&>(node).id != ir::IntrinsicId::GetSymbolValue;
            case ir::Kind::Var: return !ir::scalar_of(static_cast<const ir::Var&>(node).type);
            case ir::Kind::SymbolVar:
            case ir::Kind::Constant:
            case ir::Kind::Unary:
            case ir::Kind::Binary:
            case ir::Kind::Cast:
            case ir::Kind::Select:
            case ir::Kind::Let:
            case ir::Kind::DataType:
            case ir::Kind::StringType: return false;
            default: return true;
            }
        });
    }

    std::map<const ir::Node*, int> m_pointers; // and tensor maps: the parameter behind them
    ArgumentSources m_sources;
    bool m_is_plain = false;
};

} // namespace

std::optional<ArgumentSources> argument_sources(const ir::Function& launch) {
    const bool returns = launch.ret && !ir::as<ir::VoidType>(launch.ret);
    return returns || !launch.body ? std::nullopt : SourceFinder(launch).take();
}

} // namespace hidet::session
