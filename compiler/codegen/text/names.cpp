// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/names.h"

namespace hidet::compiler::text {

namespace {

// ASCII only, no names that C++ keeps for itself (two underscores, or one before a capital letter).
std::string as_identifier(std::string_view hint) {
    constexpr std::size_t longest = 128;
    std::string name;
    for (char c : hint.substr(0, longest)) {
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (is_word || name.empty() || name.back() != '_')
            name += is_word ? c : '_';
    }
    bool is_kept = name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '_';
    return is_kept ? "v" + name : name;
}

} // namespace

std::string Names::add(std::string_view hint) {
    std::string base = as_identifier(hint);
    int& number = m_numbers[base];
    int before = number;
    std::string name = base;
    while (m_used.contains(name) || m_reserved.contains(name))
        name = base + "_" + std::to_string(++number);
    m_used.insert(name);
    m_trail.push_back({name, std::move(base), before});
    return name;
}

const std::string& Names::define(const ir::Var& var) {
    return m_of[&var] = add(var.name);
}

const std::string& Names::of(const ir::Var& var) {
    auto found = m_of.find(&var);
    return found == m_of.end() ? define(var) : found->second;
}

void Names::restore(std::size_t mark) {
    while (m_trail.size() > mark) {
        m_used.erase(m_trail.back().name);
        m_numbers[m_trail.back().hint] = m_trail.back().number_before;
        m_trail.pop_back();
    }
}

} // namespace hidet::compiler::text
