// SPDX-License-Identifier: Apache-2.0
// Lines keep the hue that they had; a new line takes the hue that is farthest from those of its neighbours, the least used
// first. Where an edit brings two lines of one hue together, the lower one changes.
#include <algorithm>
#include <array>

#include "app/session/view/diff.h"
#include "app/session/view/links.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

constexpr int none = -1;

// Around the circle of hues.
int distance(int a, int b) {
    int apart = std::abs(a - b);
    return std::min(apart, hue_count - apart);
}

// For each new line the old line that it was, or 0.
std::vector<int> old_lines(std::string_view before, std::string_view now) {
    std::vector<int> out(static_cast<std::size_t>(LineTable(now).count()) + 1, 0);
    auto changes = diff(before, now, {}); // pairs changed lines too: a line that is being typed in keeps its hue
    for (const DiffRow& row : changes->rows)
        if (row.left > 0 && row.right > 0)
            out[static_cast<std::size_t>(row.right)] = row.left;
    return out;
}

int choose(const std::vector<int>& hues, std::size_t at, const std::array<int, hue_count>& used) {
    constexpr std::size_t reach = 3; // lines before and behind that shall differ clearly
    int best = 0;
    std::pair<int, int> best_score{-1, 0};
    for (int hue = 0; hue < hue_count; ++hue) {
        int nearest = 2; // from here on two hues are told apart well enough
        for (std::size_t i = at - std::min(at, reach); i < std::min(hues.size(), at + reach + 1); ++i)
            if (i != at && hues[i] != none)
                nearest = std::min(nearest, distance(hue, hues[i]));
        std::pair<int, int> score{nearest, -used[static_cast<std::size_t>(hue)]};
        if (score > best_score)
            best = hue, best_score = score;
    }
    return best;
}

} // namespace

void HueMap::update(std::string_view script, const std::vector<int>& linked) {
    std::vector<int> before = m_script == script ? std::vector<int>() : old_lines(m_script, script);
    std::vector<int> hues;
    std::array<int, hue_count> used{};
    for (int line : linked) {
        auto index = static_cast<std::size_t>(line);
        int old = before.empty() ? line : index < before.size() ? before[index] : 0;
        int kept = value_in(m_hues, old, none);
        hues.push_back(!hues.empty() && kept == hues.back() ? none : kept);
        if (hues.back() != none)
            ++used[static_cast<std::size_t>(hues.back())];
    }
    std::map<int, int> next;
    for (std::size_t i = 0; i < linked.size(); ++i) {
        if (hues[i] == none) {
            hues[i] = choose(hues, i, used);
            ++used[static_cast<std::size_t>(hues[i])];
        }
        next[linked[i]] = hues[i];
    }
    m_hues = std::move(next);
    m_script = script;
}

int HueMap::hue(int line) const {
    return value_in(m_hues, line, none);
}

} // namespace hidet::session
