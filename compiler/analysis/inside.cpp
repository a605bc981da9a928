// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/inside.h"

#include "compiler/analysis/same.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler {

using namespace ir;

namespace {

// The dynamic dimension that an expression stands for; empty: none.
std::string symbol_in(const ExprRef& expr) {
    if (const auto* symbol = as<SymbolVar>(expr))
        return symbol->name;
    const auto* read = as<Intrinsic>(expr);
    const auto* name = read && read->id == IntrinsicId::GetSymbolValue ? as<Constant>(read->args[0]) : nullptr;
    return name ? std::get<std::string>(name->value) : "";
}

} // namespace

void InsideProof::learn(const ForStmt& loop) {
    if (m_uses.is_immutable(*loop.var) && effect_of(loop.extent, m_uses) == Effect::None)
        m_counts[loop.var.get()] = loop.extent;
}

void InsideProof::learn(const DeclareStmt& stmt) {
    if (std::string symbol = stmt.is_let && stmt.init ? symbol_in(stmt.init) : ""; !symbol.empty())
        m_symbols[stmt.var.get()] = std::move(symbol);
}

bool InsideProof::is_inside(const ExprRef& index, const ExprRef& extent) const {
    if (const auto* var = as<Var>(index))
        if (auto count = m_counts.find(var); count != m_counts.end() && is_same(count->second, extent))
            return true;
    const auto values = m_ranges.of(index);
    if (!values || values->lo < 0)
        return false;
    const auto size = m_ranges.of(extent);
    return (size && values->hi < size->lo) || m_ranges.is_below(index, extent);
}

bool InsideProof::is_same(const ExprRef& count, const ExprRef& extent) const {
    const std::string symbol = symbol_of(count);
    return symbol.empty() ? same_expr(count, extent) : symbol == symbol_of(extent);
}

std::string InsideProof::symbol_of(const ExprRef& expr) const {
    const auto* var = as<Var>(expr);
    const auto known = var ? m_symbols.find(var) : m_symbols.end();
    return known == m_symbols.end() ? symbol_in(expr) : known->second;
}

} // namespace hidet::compiler
