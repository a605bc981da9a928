// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/predictor.h"

namespace hidet::session {

void Predictor::assume(const graph::Graph& graph) {
    m_symbols = m_named;
    m_symbols.merge(assumed_symbols(graph)); // keeps what is named
}

std::optional<double> Predictor::known(const graph::Dim& dim) const {
    if (!dim)
        return std::nullopt;
    const std::optional<std::int64_t> number = graph::evaluate(dim, m_named);
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::vector<artifact::ExprValue> Predictor::known(const artifact::LaunchPlan& plan) const {
    std::vector<artifact::ExprValue> symbols;
    for (const artifact::PlanSymbol& symbol : plan.symbols) {
        const auto named = m_named.find(symbol.name);
        symbols.push_back(named == m_named.end() ? std::nullopt : artifact::ExprValue(named->second));
    }
    return artifact::evaluate(plan.expressions, symbols);
}

std::vector<std::string> Predictor::assumptions() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : m_symbols)
        if (!m_named.contains(name))
            names.push_back(name);
    return names;
}

} // namespace hidet::session
