// SPDX-License-Identifier: Apache-2.0
#include "lang/service/taken.h"

#include <algorithm>

namespace hidet::lang::service {

namespace {

constexpr std::size_t longest_name = 100; // a file may hold anything
constexpr std::size_t recent = 9;         // those weigh more

bool is_label(std::string_view line) {
    return !line.empty() && line.size() <= longest_name &&
           std::ranges::none_of(line, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

} // namespace

void TakenNames::take(std::string_view name) {
    if (!is_label(name))
        return;
    std::erase(m_names, name);
    m_names.insert(m_names.begin(), std::string(name));
    if (m_names.size() > most)
        m_names.pop_back();
}

int TakenNames::likelihood(std::string_view name) const {
    const auto found = std::ranges::find(m_names, name);
    if (found == m_names.end())
        return 0;
    const auto place = static_cast<std::size_t>(found - m_names.begin());
    return static_cast<int>(place < recent ? 90 - 10 * place : 1 + 8 * (most - 1 - place) / (most - 1 - recent));
}

std::string TakenNames::text() const {
    std::string out;
    for (const std::string& name : m_names)
        out += name + "\n";
    return out;
}

TakenNames TakenNames::of(std::string_view text) {
    TakenNames out;
    while (!text.empty() && out.m_names.size() < most) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (is_label(line) && std::ranges::find(out.m_names, line) == out.m_names.end())
            out.m_names.emplace_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

} // namespace hidet::lang::service
