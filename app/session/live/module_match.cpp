// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/module_match.h"

#include <algorithm>

namespace hidet::session {

namespace {

bool share_a_name(const ModuleFace& a, const ModuleFace& b) {
    return std::any_of(a.functions.begin(), a.functions.end(), [&](const std::string& name) {
        return std::find(b.functions.begin(), b.functions.end(), name) != b.functions.end();
    });
}

class Matching {
public:
    Matching(const std::vector<ModuleFace>& before, const std::vector<ModuleFace>& now)
        : m_before(before), m_now(now), m_taken(before.size(), false), m_result(now.size(), -1) {}

    template <class F>
    void pair_up(F&& alike) {
        for (std::size_t i = 0; i < m_now.size(); ++i)
            for (std::size_t j = 0; j < m_before.size() && m_result[i] < 0; ++j)
                if (!m_taken[j] && alike(m_before[j], m_now[i]))
                    pair(i, j);
    }
    void pair_the_rest() {
        if (std::count(m_result.begin(), m_result.end(), -1) == 1 &&
            std::count(m_taken.begin(), m_taken.end(), false) == 1)
            pair_up([](const ModuleFace&, const ModuleFace&) { return true; });
    }
    std::vector<int> take() { return std::move(m_result); }

private:
    void pair(std::size_t now, std::size_t before) {
        m_result[now] = static_cast<int>(before);
        m_taken[before] = true;
    }
    const std::vector<ModuleFace>& m_before;
    const std::vector<ModuleFace>& m_now;
    std::vector<bool> m_taken;
    std::vector<int> m_result;
};

} // namespace

std::vector<int> match_modules(const std::vector<ModuleFace>& before, const std::vector<ModuleFace>& now) {
    Matching matching(before, now);
    // Instances of one factory have the same names: the line tells them apart where it did not move.
    matching.pair_up(
        [](const ModuleFace& a, const ModuleFace& b) { return a.functions == b.functions && a.line == b.line; });
    matching.pair_up([](const ModuleFace& a, const ModuleFace& b) { return a.functions == b.functions; });
    matching.pair_up([](const ModuleFace& a, const ModuleFace& b) { return a.line > 0 && a.line == b.line; });
    matching.pair_up(share_a_name);
    matching.pair_the_rest();
    return matching.take();
}

} // namespace hidet::session
