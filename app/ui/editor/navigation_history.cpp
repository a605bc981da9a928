// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/navigation_history.h"

#include <cstdlib>
#include <utility>

namespace hidet::ui {

constexpr int near_lines = 10;
constexpr std::size_t most_places = 200;

void NavigationHistory::note(const session::Place& place) {
    const bool jumped = std::exchange(m_jumps, false);
    if (m_isGoing)
        return;
    if (m_places.empty()) {
        m_places.push_back(place);
        return;
    }
    session::Place& here = m_places[m_at];
    const bool sameFile = here.file == place.file;
    const int lines = std::abs(here.line - place.line);
    if (sameFile && (jumped ? lines == 0 : lines <= near_lines)) {
        here = place;
        return;
    }
    m_places.resize(m_at + 1);
    m_places.push_back(place);
    if (m_places.size() > most_places)
        m_places.erase(m_places.begin());
    m_at = m_places.size() - 1;
}

std::optional<session::Place> NavigationHistory::back() {
    if (!canGoBack())
        return std::nullopt;
    return m_places[--m_at];
}

std::optional<session::Place> NavigationHistory::forward() {
    if (!canGoForward())
        return std::nullopt;
    return m_places[++m_at];
}

} // namespace hidet::ui
