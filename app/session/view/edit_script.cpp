// SPDX-License-Identifier: Apache-2.0
// Myers's algorithm in linear space: two searches, one from each end, go on one edit at a time over the diagonals of the
// grid of all pairs until they meet; what is before and what is behind the meeting is solved in the same way. A search that
// has spent its effort stops where it came furthest, so that nothing is ever quadratic: the script is then not the shortest,
// but still one that takes the left sequence to the right one.
#include "app/session/view/edit_script.h"

#include <algorithm>

namespace hidet::session {

namespace {

struct Box {
    int left = 0, left_end = 0;
    int right = 0, right_end = 0;
    int width() const { return left_end - left; }
    int height() const { return right_end - right; }
};

struct Corner {
    int left = 0;
    int right = 0;
};

// How far a search came on each diagonal (left minus right, from its own corner); unreached: -1.
class Reach {
public:
    explicit Reach(std::size_t most) : m_middle(static_cast<int>(most) + 1), m_steps(2 * most + 3, unreached) {}
    void clear(int edits) {
        std::fill(m_steps.begin() + (m_middle - edits), m_steps.begin() + (m_middle + edits + 1), unreached);
    }
    int& operator[](int diagonal) { return m_steps[static_cast<std::size_t>(m_middle + diagonal)]; }
    static constexpr int unreached = -1;

private:
    int m_middle;
    std::vector<int> m_steps;
};

class Search {
public:
    Search(const std::vector<int>& left, const std::vector<int>& right, const std::atomic<bool>* cancelled, int effort)
        : m_left(left), m_right(right), m_cancelled(cancelled), m_effort(effort), m_forward(reach_size()),
          m_backward(reach_size()) {
        m_script.removed.resize(left.size());
        m_script.added.resize(right.size());
    }

    EditScript run() {
        solve({0, static_cast<int>(m_left.size()), 0, static_cast<int>(m_right.size())});
        return std::move(m_script);
    }

private:
    std::size_t reach_size() const {
        return std::min(m_left.size() + m_right.size(), static_cast<std::size_t>(m_effort)) + 2;
    }
    bool same(int left, int right) const {
        return m_left[static_cast<std::size_t>(left)] == m_right[static_cast<std::size_t>(right)];
    }

    void solve(Box box) {
        while (box.width() > 0 && box.height() > 0 && same(box.left, box.right))
            ++box.left, ++box.right;
        while (box.width() > 0 && box.height() > 0 && same(box.left_end - 1, box.right_end - 1))
            --box.left_end, --box.right_end;
        if (m_cancelled && m_cancelled->load(std::memory_order_relaxed))
            m_script.cancelled = true;
        if (m_script.cancelled)
            return;
        if (box.width() == 0 || box.height() == 0)
            return mark(box);
        Corner middle = meet(box);
        bool is_corner = (middle.left == box.left && middle.right == box.right) ||
                         (middle.left == box.left_end && middle.right == box.right_end);
        if (is_corner) // nothing corresponds
            return mark(box);
        solve({box.left, middle.left, box.right, middle.right});
        solve({middle.left, box.left_end, middle.right, box.right_end});
    }

    void mark(const Box& box) {
        std::fill(m_script.removed.begin() + box.left, m_script.removed.begin() + box.left_end, true);
        std::fill(m_script.added.begin() + box.right, m_script.added.begin() + box.right_end, true);
    }

    // One more edit on this diagonal: to the right from the one below, or down from the one above.
    static int step(Reach& reach, int diagonal, const Box& box) {
        int across = reach[diagonal - 1];
        int down = reach[diagonal + 1];
        int best = Reach::unreached;
        if (across >= 0 && across + 1 <= box.width() && across + 1 - diagonal <= box.height())
            best = across + 1;
        if (down >= 0 && down - diagonal <= box.height())
            best = std::max(best, down);
        return best;
    }

    Corner meet(const Box& box) {
        const int delta = box.width() - box.height();
        m_forward.clear(2), m_backward.clear(2);
        m_forward[0] = slide_forward(0, 0, box);
        m_backward[0] = slide_backward(0, 0, box);
        if (delta == 0 && m_forward[0] + m_backward[0] >= box.width())
            return at(box, m_forward[0], 0);
        for (int edits = 1; edits <= m_effort; ++edits) {
            for (Reach* reach : {&m_forward, &m_backward})
                (*reach)[edits + 1] = (*reach)[-edits - 1] = Reach::unreached;
            m_forward[edits] = m_forward[-edits] = m_backward[edits] = m_backward[-edits] = Reach::unreached;
            for (int diagonal = -edits; diagonal <= edits; diagonal += 2) {
                int reached = step(m_forward, diagonal, box);
                if (reached >= 0)
                    reached = slide_forward(reached, diagonal, box);
                m_forward[diagonal] = reached;
                if (reached >= 0 && met(m_backward, delta - diagonal, edits - 1, reached, box))
                    return at(box, reached, diagonal);
            }
            for (int diagonal = -edits; diagonal <= edits; diagonal += 2) {
                int reached = step(m_backward, diagonal, box);
                if (reached >= 0)
                    reached = slide_backward(reached, diagonal, box);
                m_backward[diagonal] = reached;
                if (reached >= 0 && met(m_forward, delta - diagonal, edits, reached, box))
                    return {box.left_end - reached, box.right_end - (reached - diagonal)};
            }
        }
        return furthest(box);
    }

    // Whether the other search has been on this diagonal (its own number) and the two overlap.
    static bool met(Reach& other, int diagonal, int edits, int reached, const Box& box) {
        return diagonal >= -edits && diagonal <= edits && other[diagonal] >= 0 &&
               reached + other[diagonal] >= box.width();
    }
    static Corner at(const Box& box, int reached, int diagonal) {
        return {box.left + reached, box.right + reached - diagonal};
    }
    int slide_forward(int reached, int diagonal, const Box& box) const {
        while (reached < box.width() && reached - diagonal < box.height() &&
               same(box.left + reached, box.right + reached - diagonal))
            ++reached;
        return reached;
    }
    int slide_backward(int reached, int diagonal, const Box& box) const {
        while (reached < box.width() && reached - diagonal < box.height() &&
               same(box.left_end - 1 - reached, box.right_end - 1 - (reached - diagonal)))
            ++reached;
        return reached;
    }
    Corner furthest(const Box& box) {
        Corner best{box.left, box.right};
        for (int diagonal = -m_effort; diagonal <= m_effort; ++diagonal) {
            int reached = m_forward[diagonal];
            if (reached < 0)
                continue;
            Corner here = at(box, reached, diagonal);
            if (here.left + here.right > best.left + best.right)
                best = here;
        }
        return best;
    }

    const std::vector<int>& m_left;
    const std::vector<int>& m_right;
    const std::atomic<bool>* m_cancelled;
    const int m_effort;
    Reach m_forward, m_backward;
    EditScript m_script;
};

} // namespace

EditScript edit_script(const std::vector<int>& left, const std::vector<int>& right, const std::atomic<bool>* cancelled,
                       int effort) {
    return Search(left, right, cancelled, effort).run();
}

} // namespace hidet::session
