// SPDX-License-Identifier: GPL-3.0-only
// Where the user has been, across documents: back and forward like in a browser. A move within a few lines is no new
// place, unless it was a jump.
#pragma once

#include <optional>
#include <vector>

#include "app/session/snapshot/snapshot.h"

namespace hidet::ui {

class NavigationHistory {
public:
    void note(const session::Place& place); // the caret is here now
    void jump() { m_jumps = true; }         // the next place is a new one wherever it is

    // While the caret is taken to a place of the history, nothing is noted.
    void setGoing(bool going) { m_isGoing = going; }

    bool canGoBack() const { return m_at > 0; }
    bool canGoForward() const { return m_at + 1 < m_places.size(); }
    std::optional<session::Place> back();
    std::optional<session::Place> forward();

private:
    std::vector<session::Place> m_places;
    std::size_t m_at = 0;
    bool m_jumps = false;
    bool m_isGoing = false;
};

} // namespace hidet::ui
