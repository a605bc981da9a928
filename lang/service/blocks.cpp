// SPDX-License-Identifier: Apache-2.0
#include "lang/service/blocks.h"

#include "lang/base/transformed.h"

namespace hidet::lang::service {

using ast::Kind;

std::vector<ast::Block> blocks_of(const ast::Stmt& statement) {
    switch (statement.kind) {
    case Kind::If: return {ast::to<ast::If>(statement).body, ast::to<ast::If>(statement).else_body};
    case Kind::For: return {ast::to<ast::For>(statement).body, ast::to<ast::For>(statement).else_body};
    case Kind::While: return {ast::to<ast::While>(statement).body, ast::to<ast::While>(statement).else_body};
    case Kind::FunctionDef: return {ast::to<ast::FunctionDef>(statement).body};
    case Kind::ClassDef: return {ast::to<ast::ClassDef>(statement).body};
    case Kind::With: return {ast::to<ast::With>(statement).body};
    case Kind::ErrorStmt: return {ast::to<ast::ErrorStmt>(statement).body};
    case Kind::Match: {
        return transformed<ast::Block>(ast::to<ast::Match>(statement).cases, &ast::MatchCase::body);
    }
    case Kind::Try: {
        const auto& s = ast::to<ast::Try>(statement);
        std::vector<ast::Block> out = {s.body};
        for (const ast::Handler& handler : s.handlers)
            out.push_back(handler.body);
        out.push_back(s.else_body);
        out.push_back(s.finally_body);
        return out;
    }
    default: return {};
    }
}

} // namespace hidet::lang::service
