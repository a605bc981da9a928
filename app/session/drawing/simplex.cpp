// SPDX-License-Identifier: Apache-2.0
// After Gansner, Koutsofios, North and Vo, "A technique for drawing directed graphs" (1993), with three differences.
//
// The balance of a node is the weight of its edges out less that of its edges in. Of a set of nodes, the edges within
// cancel, so the sum of balances says what moving the set costs, and the cut value of a tree edge is the sum over the
// subtree below it, with a sign. Such sums are cheap to keep while the tree changes: no numbering of the tree is needed.
//
// The first tree grows downhill: fragments of tight edges move, the smallest first, where their balance pulls them, until
// they touch another fragment. Little is left for the pivots.
//
// A pivot walks both sides of the cut at once and moves the one that ends first.
#include "app/session/drawing/simplex.h"

#include <algorithm>
#include <queue>

namespace hidet::drawing {

namespace {

constexpr std::size_t kCandidates = 40; // of negative edges, before the most negative one leaves

// A graph whose edges have lengths, where its nodes are, and a tree of its edges.
struct Network {
    Network(std::span<const SimplexEdge> between, std::vector<std::int64_t>& at, SimplexLimits most)
        : edges(between), y(at), limits(most), count(static_cast<std::uint32_t>(at.size())) {
        first.assign(count + 1, 0);
        balance.assign(count, 0);
        tree.resize(count);
        in_tree.assign(edges.size(), 0);
        for (const SimplexEdge& e : edges) {
            ++first[e.tail + 1];
            ++first[e.head + 1];
            balance[e.tail] += e.weight;
            balance[e.head] -= e.weight;
        }
        for (std::uint32_t i = 0; i < count; ++i)
            first[i + 1] += first[i];
        incident_edges.resize(first[count]);
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        for (std::uint32_t i = 0; i < edges.size(); ++i) {
            incident_edges[next[edges[i].tail]++] = i;
            incident_edges[next[edges[i].head]++] = i;
        }
    }

    std::int64_t slack(std::uint32_t edge) const {
        const SimplexEdge& e = edges[edge];
        return y[e.head] - y[e.tail] - e.length;
    }
    std::uint32_t other(std::uint32_t edge, std::uint32_t node) const {
        return edges[edge].tail == node ? edges[edge].head : edges[edge].tail;
    }
    std::span<const std::uint32_t> incident(std::uint32_t node) const {
        return std::span(incident_edges).subspan(first[node], first[node + 1] - first[node]);
    }
    bool is_cancelled() const { return limits.cancelled && limits.cancelled->load(std::memory_order_relaxed); }

    void join(std::uint32_t edge) {
        in_tree[edge] = 1;
        tree[edges[edge].tail].push_back(edge);
        tree[edges[edge].head].push_back(edge);
    }
    void part(std::uint32_t edge) {
        in_tree[edge] = 0;
        for (std::uint32_t node : {edges[edge].tail, edges[edge].head}) {
            std::vector<std::uint32_t>& list = tree[node];
            *std::find(list.begin(), list.end(), edge) = list.back();
            list.pop_back();
        }
    }

    std::span<const SimplexEdge> edges;
    std::vector<std::int64_t>& y;
    SimplexLimits limits;
    std::uint32_t count;
    std::uint64_t work = 0;

    std::vector<std::uint32_t> first, incident_edges; // edges of every node
    std::vector<std::int64_t> balance;                // of every node
    std::vector<std::vector<std::uint32_t>> tree;     // tree edges of every node
    std::vector<char> in_tree;                        // of every edge
};

// The first tree.
class Forest {
public:
    explicit Forest(Network& net) : m_net(net), m_fragment(net.count, kNone) {}

    bool grow() {
        for (std::uint32_t node = 0; node < m_net.count; ++node)
            if (m_fragment[node] == kNone)
                gather(node);
        std::priority_queue<Sized, std::vector<Sized>, std::greater<>> queue;
        for (std::uint32_t i = 0; i < m_fragments.size(); ++i)
            queue.push({m_fragments[i].nodes.size(), i});
        while (!queue.empty()) {
            const auto [size, id] = queue.top();
            queue.pop();
            if (m_fragments[id].nodes.size() != size)
                continue; // has grown, or went into another one
            if (m_net.is_cancelled())
                return false;
            const std::uint32_t merged = settle(id);
            if (merged != kNone)
                queue.push({m_fragments[merged].nodes.size(), merged});
        }
        return true;
    }
    // A node of each component.
    std::vector<std::uint32_t> roots() const {
        std::vector<std::uint32_t> out;
        for (const Fragment& fragment : m_fragments)
            if (!fragment.nodes.empty())
                out.push_back(fragment.nodes.front());
        return out;
    }

private:
    struct Fragment {
        std::vector<std::uint32_t> nodes;
        std::int64_t balance = 0;
    };
    using Sized = std::pair<std::size_t, std::uint32_t>; // nodes, fragment

    // Everything that tight edges reach from a node without fragment.
    void gather(std::uint32_t start) {
        const std::uint32_t id = static_cast<std::uint32_t>(m_fragments.size());
        Fragment& fragment = m_fragments.emplace_back();
        fragment.nodes.push_back(start);
        m_fragment[start] = id;
        for (std::size_t i = 0; i < fragment.nodes.size(); ++i) {
            const std::uint32_t node = fragment.nodes[i];
            fragment.balance += m_net.balance[node];
            for (std::uint32_t edge : m_net.incident(node)) {
                const std::uint32_t to = m_net.other(edge, node);
                if (m_fragment[to] != kNone || m_net.slack(edge) != 0)
                    continue;
                m_fragment[to] = id;
                fragment.nodes.push_back(to);
                m_net.join(edge);
            }
        }
    }

    struct Touch {
        std::uint32_t edge = kNone;
        std::int64_t slack = 0;
    };
    // The edges that stop a fragment from going up and down.
    void nearest(std::uint32_t id, Touch& up, Touch& down) {
        for (std::uint32_t node : m_fragments[id].nodes) {
            for (std::uint32_t edge : m_net.incident(node)) {
                if (m_fragment[m_net.other(edge, node)] == id)
                    continue;
                Touch& touch = m_net.edges[edge].tail == node ? up : down;
                if (touch.edge == kNone || m_net.slack(edge) < touch.slack)
                    touch = {edge, m_net.slack(edge)};
            }
            m_net.work += m_net.incident(node).size();
        }
    }
    // Moves a fragment until it touches another one; they become one. Nothing: the fragment is a whole component.
    std::uint32_t settle(std::uint32_t id) {
        Touch up, down;
        nearest(id, up, down);
        if (up.edge == kNone && down.edge == kNone)
            return kNone;
        const std::int64_t balance = m_fragments[id].balance;
        const bool goes_up =
            down.edge == kNone || (up.edge != kNone && (balance > 0 || (balance == 0 && up.slack < down.slack)));
        const Touch& touch = goes_up ? up : down;
        for (std::uint32_t node : m_fragments[id].nodes)
            m_net.y[node] += goes_up ? touch.slack : -touch.slack;
        m_net.join(touch.edge);
        std::uint32_t into = m_fragment[m_net.edges[touch.edge].tail];
        if (into == id)
            into = m_fragment[m_net.edges[touch.edge].head];
        if (m_fragments[into].nodes.size() < m_fragments[id].nodes.size())
            std::swap(id, into);
        for (std::uint32_t node : m_fragments[id].nodes)
            m_fragment[node] = into;
        std::vector<std::uint32_t>& nodes = m_fragments[into].nodes;
        nodes.insert(nodes.end(), m_fragments[id].nodes.begin(), m_fragments[id].nodes.end());
        m_fragments[into].balance += m_fragments[id].balance;
        m_fragments[id] = {};
        return into;
    }

    Network& m_net;
    std::vector<Fragment> m_fragments;
    std::vector<std::uint32_t> m_fragment; // of every node
};

class Simplex {
public:
    explicit Simplex(Network& net) : m_net(net), m_sum(net.balance), m_stamps(net.count, 0) {}

    bool run() {
        Forest forest(m_net);
        if (!forest.grow())
            return false;
        root(forest.roots());
        while (m_net.work <= m_net.limits.work && !m_net.is_cancelled()) {
            const std::uint32_t below = leaving();
            if (below == kNone)
                return true;
            if (!pivot(below))
                return true;
        }
        return false;
    }

private:
    void root(const std::vector<std::uint32_t>& roots) {
        m_parent.assign(m_net.count, kNone);
        std::vector<std::uint32_t> order;
        order.reserve(m_net.count);
        std::vector<char> is_seen(m_net.count, 0);
        for (const std::uint32_t start : roots) {
            const std::size_t first = order.size();
            order.push_back(start);
            is_seen[start] = 1;
            for (std::size_t i = first; i < order.size(); ++i)
                for (std::uint32_t edge : m_net.tree[order[i]]) {
                    const std::uint32_t to = m_net.other(edge, order[i]);
                    if (is_seen[to])
                        continue;
                    is_seen[to] = 1;
                    m_parent[to] = edge;
                    order.push_back(to);
                }
        }
        for (std::size_t i = order.size(); i-- > 0;)
            if (m_parent[order[i]] != kNone)
                m_sum[m_net.other(m_parent[order[i]], order[i])] += m_sum[order[i]];
    }

    std::int64_t cut_value(std::uint32_t below) const {
        return m_net.edges[m_parent[below]].tail == below ? m_sum[below] : -m_sum[below];
    }

    // The node below the tree edge that should leave.
    std::uint32_t leaving() {
        std::uint32_t best = kNone;
        std::int64_t value = 0;
        std::size_t found = 0;
        for (std::uint32_t looked = 0; looked < m_net.count; ++looked) {
            m_next = m_next + 1 < m_net.count ? m_next + 1 : 0;
            if (m_parent[m_next] == kNone || cut_value(m_next) >= 0)
                continue;
            if (cut_value(m_next) < value) {
                value = cut_value(m_next);
                best = m_next;
            }
            if (++found == kCandidates)
                break;
        }
        m_net.work += m_net.count / 8 + 1;
        return best;
    }

    // One side of the cut at a time, in turns, until one of them is complete; its nodes carry the stamp of this pivot.
    struct Walk {
        std::vector<std::uint32_t> nodes;
        std::vector<std::uint32_t> from; // the tree edge by which it was reached
        std::size_t next = 0;
        void start(std::uint32_t node, std::uint32_t edge) {
            nodes.assign(1, node);
            from.assign(1, edge);
            next = 0;
        }
    };
    bool advance(Walk& walk) {
        const std::uint32_t node = walk.nodes[walk.next];
        const std::uint32_t from = walk.from[walk.next++];
        for (std::uint32_t edge : m_net.tree[node])
            if (edge != from) {
                walk.nodes.push_back(m_net.other(edge, node));
                walk.from.push_back(edge);
            }
        return walk.next == walk.nodes.size();
    }

    bool pivot(std::uint32_t below) {
        const std::uint32_t leaving = m_parent[below];
        m_low.start(below, leaving);
        m_high.start(m_net.other(leaving, below), leaving);
        bool is_low = true;
        while (!advance(is_low ? m_low : m_high))
            is_low = !is_low;
        const Walk& side = is_low ? m_low : m_high;
        m_net.work += 2 * side.nodes.size();
        ++m_stamp;
        for (std::uint32_t node : side.nodes)
            m_stamps[node] = m_stamp;

        // The side that holds the tail moves down, the other one up; what stops them is the same.
        const bool has_tail = m_stamps[m_net.edges[leaving].tail] == m_stamp;
        const std::uint32_t entering = nearest_across(side.nodes, has_tail);
        if (entering == kNone)
            return false;
        const std::int64_t distance = m_net.slack(entering);
        if (distance != 0)
            for (std::uint32_t node : side.nodes)
                m_net.y[node] += has_tail ? -distance : distance;
        exchange(below, leaving, entering, is_low);
        return true;
    }

    std::uint32_t nearest_across(const std::vector<std::uint32_t>& nodes, bool goes_down) {
        std::uint32_t best = kNone;
        std::int64_t least = 0;
        for (std::uint32_t node : nodes) {
            for (std::uint32_t edge : m_net.incident(node)) {
                const bool is_head = m_net.edges[edge].head == node;
                if (is_head != goes_down || m_stamps[m_net.other(edge, node)] == m_stamp || m_net.in_tree[edge])
                    continue;
                if (best == kNone || m_net.slack(edge) < least) {
                    best = edge;
                    least = m_net.slack(edge);
                }
            }
            m_net.work += m_net.incident(node).size();
        }
        return best;
    }

    // The part below the leaving edge hangs from the entering one; sums change on the two ways up alone.
    void exchange(std::uint32_t below, std::uint32_t leaving, std::uint32_t entering, bool is_low) {
        const SimplexEdge& e = m_net.edges[entering];
        const bool tail_is_inside = (m_stamps[e.tail] == m_stamp) == is_low;
        const std::uint32_t inside = tail_is_inside ? e.tail : e.head;
        const std::uint32_t outside = tail_is_inside ? e.head : e.tail;
        const std::int64_t total = m_sum[below];
        for (std::uint32_t node = m_net.other(leaving, below);;) {
            m_sum[node] -= total;
            ++m_net.work;
            if (m_parent[node] == kNone)
                break;
            node = m_net.other(m_parent[node], node);
        }
        for (std::uint32_t node = outside;;) {
            m_sum[node] += total;
            ++m_net.work;
            if (m_parent[node] == kNone)
                break;
            node = m_net.other(m_parent[node], node);
        }
        std::uint32_t up = entering, node = inside;
        std::int64_t passed = 0; // the sum of the part that is now above `node`'s old child
        for (;;) {
            const std::uint32_t old_up = m_parent[node];
            const std::int64_t old_sum = m_sum[node];
            m_parent[node] = up;
            m_sum[node] = total - passed;
            ++m_net.work;
            if (node == below)
                break;
            passed = old_sum;
            up = old_up;
            node = m_net.other(old_up, node);
        }
        m_net.part(leaving);
        m_net.join(entering);
    }

    Network& m_net;
    std::vector<std::uint32_t> m_parent; // tree edge up, of every node
    std::vector<std::int64_t> m_sum;     // of balances in the subtree of every node
    std::vector<std::uint32_t> m_stamps;
    std::uint32_t m_stamp = 0;
    std::uint32_t m_next = 0;
    Walk m_low, m_high;
};

} // namespace

bool minimise(std::span<const SimplexEdge> edges, std::vector<std::int64_t>& y, SimplexLimits limits) {
    if (y.empty())
        return true;
    Network net(edges, y, limits);
    return Simplex(net).run();
}

} // namespace hidet::drawing
