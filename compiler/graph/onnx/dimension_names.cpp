// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/dimension_names.h"

#include <algorithm>
#include <cctype>
#include <functional>

#include "compiler/ir/rewrite.h"

namespace hidet::graph::onnx {

namespace {

class SymbolReplacer : public ir::Rewriter {
public:
    explicit SymbolReplacer(std::function<Dim(const std::string&)> by) : m_by(std::move(by)) {}

private:
    ir::ExprRef visit(const ir::SymbolVar& symbol) override { return m_by(symbol.name); }

    std::function<Dim(const std::string&)> m_by;
};

} // namespace

DimensionNames::DimensionNames(const std::vector<ValueInfo>& inputs, const SymbolValues& values) : m_values(values) {
    for (const ValueInfo& input : inputs)
        for (const Dimension& each : input.shape)
            m_alone.insert(each.param);
}

Dim DimensionNames::of(const std::string& param) {
    const Dim parsed = m_values.contains(param) ? nullptr : parse_dim(param);
    const std::vector<std::string> names = parsed ? symbols_of({parsed}) : std::vector<std::string>();
    const bool is_expression = parsed && !ir::as<ir::SymbolVar>(parsed) && !names.empty() &&
                               std::ranges::all_of(names, [&](const std::string& each) { return is_dimension(each); });
    if (!is_expression)
        return symbol(param);
    const Dim result =
        simplified(SymbolReplacer([this](const std::string& name) { return symbol(name); }).rewrite(parsed));
    if (constant_of(result).value_or(0) < 0)
        throw OpError("dimension '", param, "' cannot be ", *constant_of(result));
    return result;
}

Dim DimensionNames::symbol(const std::string& param) {
    m_used.insert(param);
    const auto value = m_values.find(param);
    if (value == m_values.end())
        return symbol_dim(identifier(param));
    if (value->second < 0)
        throw OpError("dimension '", param, "' cannot be ", value->second);
    return dim(value->second);
}

// Names of symbols are identifiers, whatever the model calls its dimensions; equal names stay equal.
std::string DimensionNames::identifier(const std::string& param) {
    const auto [known, is_new] = m_identifiers.emplace(param, "");
    if (!is_new)
        return known->second;
    std::string name;
    for (char c : param)
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
        name = "n" + name;
    // Extents that only the host finds out end in a number.
    const std::size_t digits = name.size() - (name.find_last_not_of("0123456789") + 1);
    if (digits > 0 && name[name.size() - digits - 1] == '_')
        name += "_";
    std::string unique = name;
    for (int i = 2; !m_taken.insert(unique).second; ++i)
        unique = name + "_" + std::to_string(i);
    return known->second = unique;
}

} // namespace hidet::graph::onnx
