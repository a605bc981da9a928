// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/names/value_names.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "lang/base/ascii.h"

namespace hidet::graph {

namespace {

constexpr std::size_t longest_name = 64;

std::string identifier_of(const std::string& name) {
    std::string result;
    for (char c : name) {
        const bool fits = std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 128;
        if (fits)
            result += c;
        else if (!result.empty() && result.back() != '_')
            result += '_';
    }
    while (!result.empty() && result.back() == '_')
        result.pop_back();
    if (result.size() > longest_name)
        result = result.substr(result.size() - longest_name);
    const std::size_t letter = static_cast<std::size_t>(
        std::ranges::find_if(result, [](char c) { return c != '_' && !is_digit(c); }) - result.begin());
    return result.substr(std::min(letter, result.size()));
}

class Namer {
public:
    std::string unique(const std::string& base) {
        std::string name = base;
        for (std::uint32_t& count = m_counts[base]; !m_taken.insert(name).second;)
            name = base + "_" + std::to_string(++count);
        return name;
    }

private:
    std::unordered_set<std::string> m_taken = {"return", "Graph", "Constant"};
    std::unordered_map<std::string, std::uint32_t> m_counts;
};

} // namespace

bool is_lasting_name(std::string_view name) {
    if (name.empty() || is_digit(name.back()) == false)
        return !name.empty() && std::ranges::any_of(name, [](char c) { return !is_digit(c); });
    if (name.find('/') != std::string_view::npos)
        return true;
    std::string_view stem = name;
    while (!stem.empty() && is_digit(stem.back()))
        stem.remove_suffix(1);
    if (stem.empty())
        return false;
    if (stem.back() != '_' && stem.back() != '.' && stem.back() != ':' && stem.back() != '%')
        return true; // "conv1"
    while (!stem.empty() && !std::isalnum(static_cast<unsigned char>(stem.back())))
        stem.remove_suffix(1);
    return std::ranges::any_of(stem, is_digit); // "conv5_1", "layer1.0"
}

ValueNames::ValueNames(const Graph& graph, const std::vector<NodeId>& order) : m_names(graph.value_slots()) {
    Namer namer;
    const auto name = [&](ValueId id, const char* otherwise) {
        if (!m_names[id.index].empty())
            return;
        const std::string& given = graph.value(id).shown_name();
        const bool is_told = is_lasting_name(given) || (!graph.value(id).producer.valid() && *otherwise == 'x');
        const std::string own = is_told ? identifier_of(given) : std::string();
        m_names[id.index] = namer.unique(own.empty() ? otherwise : own);
    };
    for (ValueId input : graph.inputs)
        name(input, "x");
    for (NodeId node : order) {
        for (ValueId input : graph.node(node).inputs)
            if (graph.value(input).is_constant())
                name(input, "c");
        for (ValueId output : graph.node(node).outputs)
            name(output, "x");
    }
    for (ValueId output : graph.outputs())
        name(output, "c");
}

} // namespace hidet::graph
