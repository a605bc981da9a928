// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compare/matcher.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace hidet::session {

namespace {

constexpr int equal_operators = 1000; // the least score of two with equal labels
constexpr std::size_t most_combined = 64;
constexpr std::size_t most_candidates = 24;
constexpr int farthest = 12;
constexpr int near = 3; // edges, with nothing else that speaks for it
constexpr int most_rounds = 6, most_mendings = 3;
constexpr std::size_t most_uses_asked = 8;

// Sorted, where order says nothing.
std::uint64_t of_all(std::uint64_t start, std::vector<std::uint64_t>& parts, bool is_ordered) {
    if (!is_ordered)
        std::ranges::sort(parts);
    for (const std::uint64_t part : parts)
        start = mixed(start, part);
    return start;
}

std::uint64_t of_operands(const MatchNode& node, std::uint64_t start, const std::vector<std::uint64_t>& hashes,
                          std::vector<std::uint64_t>& scratch) {
    scratch.clear();
    for (const MatchOperand& operand : node.operands)
        scratch.push_back(operand.producer == no_id ? 1 : mixed(hashes[operand.producer], operand.output));
    return of_all(start, scratch, !node.commutes);
}

std::uint64_t of_uses(const MatchNode& node, std::uint64_t start, const std::vector<std::uint64_t>& hashes,
                      std::vector<std::uint64_t>& scratch) {
    scratch.clear();
    for (const MatchUse& use : node.uses)
        scratch.push_back(mixed(mixed(hashes[use.consumer], use.port), use.output));
    return of_all(start, scratch, false);
}

// The places of what occurs once.
template <class Key>
std::map<Key, std::uint32_t> unique_places(const std::vector<Key>& keys) {
    std::map<Key, std::uint32_t> out;
    for (std::uint32_t at = 0; at < keys.size(); ++at)
        if (const auto [found, is_new] = out.try_emplace(keys[at], at); !is_new)
            found->second = no_id;
    return out;
}

} // namespace

Matcher::Matcher(const MatchSide& left, const MatchSide& right, const std::atomic<bool>* cancelled)
    : m_side{&left, &right}, m_cancelled(cancelled) {
    for (int side = 0; side < 2; ++side) {
        Hashes labels;
        for (const MatchNode& node : m_side[side]->nodes)
            labels.push_back(node.label);
        m_around[side].up1 = wider(side, Way::Up, labels);
        m_around[side].up2 = wider(side, Way::Up, m_around[side].up1);
        m_around[side].down1 = wider(side, Way::Down, labels);
        m_around[side].down2 = wider(side, Way::Down, m_around[side].down1);
    }
}

// What is certain first; what has changed last, with a look for what is certain after every step.
void Matcher::run(MatchOrder order) {
    for (int side = 0; side < 2; ++side)
        m_partner[side].assign(m_side[side]->nodes.size(), no_id);
    m_candidates = {};
    match_ends();
    if (order == MatchOrder::NamesFirst)
        match_names();
    const Hashes up[] = {wholes(0, Way::Up), wholes(1, Way::Up)};
    const Hashes down[] = {wholes(0, Way::Down), wholes(1, Way::Down)};
    Hashes both[2];
    for (int side = 0; side < 2; ++side)
        for (std::size_t at = 0; at < up[side].size(); ++at)
            both[side].push_back(mixed(up[side][at], down[side][at]));
    match_unique(both[0], both[1]);
    match_unique(up[0], up[1]);
    settle(equal_operators); // before the others: what is not unique goes along with what is
    match_unique(down[0], down[1]);
    settle(equal_operators);
    match_equal(both[0], both[1]);
    find_all();
    for (int round = 0; round < most_mendings && mend(); ++round)
        find_all();
}

void Matcher::find_all() {
    for (int round = 0; round < most_rounds && !is_stopped(); ++round) {
        bool found = refine();
        found |= look_ahead(Way::Down, Beyond::GoesOnAlike);
        found |= look_ahead(Way::Up, Beyond::GoesOnAlike);
        while (!is_stopped() && settle_one_weak()) {
            settle(equal_operators);
            found = true;
        }
        found = found || look_ahead(Way::Down, Beyond::IsNear) || look_ahead(Way::Up, Beyond::IsNear) ||
                match_in_scopes() || match_replaced();
        if (!found)
            break;
    }
}

void Matcher::match(std::uint32_t a, std::uint32_t b) {
    m_partner[0][a] = b;
    m_partner[1][b] = a;
    suggest_around(a, b);
}

// ---- anchors -----------------------------------------------------------------------------------------------------------

// Inputs and outputs of the models: by names, else by what they hold, else by order.
void Matcher::match_ends() {
    const auto pair_up = [&](auto begin, auto end, const auto& agree) {
        for (std::uint32_t a = begin(*m_side[0]); a < end(*m_side[0]); ++a)
            for (std::uint32_t b = begin(*m_side[1]); b < end(*m_side[1]); ++b)
                if (is_free(a, b) && agree(left(a), right(b)))
                    match(a, b);
    };
    const auto in_order = [&](auto begin, auto end) {
        pair_up(begin, end, [](const MatchNode& a, const MatchNode& b) { return a.name == b.name && a.name; });
        pair_up(begin, end, [](const MatchNode& a, const MatchNode& b) { return a.results == b.results; });
        pair_up(begin, end, [](const MatchNode&, const MatchNode&) { return true; });
    };
    const auto place = [](std::size_t at) { return static_cast<std::uint32_t>(at); };
    in_order([](const MatchSide&) { return 0u; }, [&](const MatchSide& side) { return place(side.first_node); });
    in_order([&](const MatchSide& side) { return place(side.first_output); },
             [&](const MatchSide& side) { return place(side.nodes.size()); });
}

// Names that each side has once. A name that stands for other work amid other neighbours says nothing.
void Matcher::match_names() {
    for (std::uint32_t MatchNode::*name : {&MatchNode::name, &MatchNode::key}) {
        std::vector<std::uint32_t> names[2];
        for (int side = 0; side < 2; ++side)
            for (const MatchNode& node : m_side[side]->nodes)
                names[side].push_back(node.node ? node.*name : 0);
        const auto there = unique_places(names[1]);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
        std::vector<std::uint32_t> named(left_count(), no_id);
        for (const auto& [text, a] : unique_places(names[0])) {
            const auto at = there.find(text);
            if (text == 0 || a == no_id || at == there.end() || at->second == no_id || !is_free(a, at->second) ||
                left(a).op != right(at->second).op)
                continue;
            pairs.emplace_back(a, at->second);
            named[a] = at->second;
        }
        std::ranges::sort(pairs);
        const auto is_near = [&](std::uint32_t a, std::uint32_t b) {
            for (std::size_t i = 0; i < std::min(left(a).operands.size(), right(b).operands.size()); ++i) {
                const std::uint32_t producer = left(a).operands[i].producer, other = right(b).operands[i].producer;
                if (producer != no_id && other != no_id &&
                    (named[producer] == other || m_partner[0][producer] == other))
                    return true;
            }
            return false;
        };
        for (const auto& [a, b] : pairs)
            if (left(a).label == right(b).label || is_near(a, b))
                match(a, b);
    }
}

void Matcher::match_unique(const Hashes& left, const Hashes& right) {
    std::unordered_map<std::uint64_t, std::uint32_t> there;
    for (std::uint32_t b = 0; b < right.size(); ++b)
        if (m_partner[1][b] == no_id)
            if (const auto [at, is_new] = there.try_emplace(right[b], b); !is_new)
                at->second = no_id;
    std::unordered_map<std::uint64_t, int> count;
    for (std::uint32_t a = 0; a < left.size(); ++a)
        if (m_partner[0][a] == no_id)
            ++count[left[a]];
    for (std::uint32_t a = 0; a < left.size(); ++a) {
        const auto at = m_partner[0][a] == no_id ? there.find(left[a]) : there.end();
        if (at != there.end() && at->second != no_id && count[left[a]] == 1 && m_side[0]->nodes[a].node)
            match(a, at->second);
    }
}

// Where there are as many on both sides, which is which does not matter, as long as their neighbours go along.
void Matcher::match_equal(const Hashes& left, const Hashes& right) {
    struct Alike {
        std::size_t here = 0, first = 0; // all of `there` before the first have partners
        std::vector<std::uint32_t> there;
    };
    std::unordered_map<std::uint64_t, Alike> alike;
    for (std::uint32_t a = 0; a < left.size(); ++a)
        alike[left[a]].here += m_partner[0][a] == no_id;
    for (std::uint32_t b = 0; b < right.size(); ++b)
        if (m_partner[1][b] == no_id)
            alike[right[b]].there.push_back(b);
    for (std::uint32_t a = 0; a < left.size() && !is_stopped(); ++a) {
        Alike& some = alike[left[a]];
        if (m_partner[0][a] != no_id || !m_side[0]->nodes[a].node || some.there.size() != some.here)
            continue;
        while (some.first < some.there.size() && m_partner[1][some.there[some.first]] != no_id)
            ++some.first;
        std::uint32_t best = no_id;
        int most = 0;
        for (std::size_t i = some.first; i < std::min(some.there.size(), some.first + most_combined); ++i)
            if (const std::uint32_t b = some.there[i];
                m_partner[1][b] == no_id && (best == no_id || score(a, b) > most)) {
                best = b;
                most = score(a, b);
            }
        if (best == no_id)
            continue;
        match(a, best);
        settle(equal_operators);
    }
}

Matcher::Hashes Matcher::wholes(int side, Way way) const {
    const std::vector<MatchNode>& nodes = m_side[side]->nodes;
    Hashes out(nodes.size()), scratch;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::size_t at = way == Way::Up ? i : nodes.size() - 1 - i;
        const MatchNode& node = nodes[at];
        std::uint64_t hash = node.label;
        if (!node.node && m_partner[side][at] != no_id)
            hash = mixed(hash, side == 0 ? at : m_partner[side][at]);
        out[at] = way == Way::Up ? of_operands(node, hash, out, scratch) : of_uses(node, hash, out, scratch);
    }
    return out;
}

Matcher::Hashes Matcher::wider(int side, Way way, const Hashes& inner) const {
    const std::vector<MatchNode>& nodes = m_side[side]->nodes;
    Hashes out(nodes.size()), scratch;
    for (std::size_t at = 0; at < nodes.size(); ++at)
        out[at] = way == Way::Up ? of_operands(nodes[at], nodes[at].label, inner, scratch)
                                 : of_uses(nodes[at], nodes[at].label, inner, scratch);
    return out;
}

// ---- what looks alike --------------------------------------------------------------------------------------------------

Matcher::Hashes Matcher::colours(int side) const {
    const std::vector<MatchNode>& nodes = m_side[side]->nodes;
    Hashes colour(nodes.size()), next(nodes.size()), scratch;
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        const std::uint32_t partner = m_partner[side][at];
        colour[at] = partner == no_id ? nodes[at].label : mixed(7, side == 0 ? at : partner);
    }
    for (int round = 0; round < 3; ++round) {
        for (std::size_t at = 0; at < nodes.size(); ++at) {
            if (m_partner[side][at] != no_id)
                next[at] = colour[at];
            else
                next[at] = of_uses(nodes[at], of_operands(nodes[at], colour[at], colour, scratch), colour, scratch);
        }
        std::swap(colour, next);
    }
    return colour;
}

bool Matcher::refine() {
    const std::uint32_t before = m_count;
    match_unique(colours(0), colours(1));
    settle(equal_operators);
    return m_count != before;
}

std::vector<std::uint32_t> Matcher::neighbours(int side, std::uint32_t of, Way way) const {
    const MatchNode& node = m_side[side]->nodes[of];
    std::vector<std::uint32_t> out;
    if (way == Way::Down)
        for (const MatchUse& use : node.uses)
            out.push_back(use.consumer);
    else
        for (const MatchOperand& operand : node.operands)
            if (operand.producer != no_id)
                out.push_back(operand.producer);
    return out;
}

// With how many edges away they are, through others that are free.
std::vector<std::pair<std::uint32_t, int>> Matcher::free_around(int side, std::uint32_t from, Way way) const {
    std::vector<std::pair<std::uint32_t, int>> out = {{from, 0}};
    std::set<std::uint32_t> seen;
    for (std::size_t i = 0; i < out.size() && out.size() <= most_candidates; ++i) {
        if (out[i].second >= farthest)
            break;
        for (const std::uint32_t next : neighbours(side, out[i].first, way)) {
            if (m_partner[side][next] == no_id && m_side[side]->nodes[next].node && seen.insert(next).second)
                out.emplace_back(next, out[i].second + 1);
            if (out.size() > most_candidates)
                break;
        }
    }
    out.erase(out.begin());
    return out;
}

// Past what is new or gone: the nearest equal operators beyond.
bool Matcher::look_ahead(Way way, Beyond beyond) {
    bool found = false;
    for (std::uint32_t a = 0; a < m_partner[0].size() && !is_stopped(); ++a) {
        if (m_partner[0][a] == no_id)
            continue;
        const auto here = free_around(0, a, way);
        if (here.empty())
            continue;
        const auto there = free_around(1, m_partner[0][a], way);
        std::tuple<int, int, int> best{};
        std::pair<std::uint32_t, std::uint32_t> pair{no_id, no_id};
        const Hashes& on = way == Way::Down ? m_around[0].down2 : m_around[0].up2;
        const Hashes& on_there = way == Way::Down ? m_around[1].down2 : m_around[1].up2;
        for (const auto& [c, c_depth] : here)
            for (const auto& [d, d_depth] : there) {
                const bool is_like = beyond == Beyond::IsNear ? std::max(c_depth, d_depth) <= near && support(c, d) >= 0
                                                              : on[c] == on_there[d] || left(c).name == right(d).name;
                if (left(c).label != right(d).label || !is_like)
                    continue;
                const std::tuple rank(std::max(c_depth, d_depth), c_depth + d_depth, -score(c, d));
                if (pair.first == no_id || rank < best) {
                    best = rank;
                    pair = {c, d};
                }
            }
        if (pair.first == no_id)
            continue;
        match(pair.first, pair.second);
        settle(equal_operators);
        found = true;
    }
    return found;
}

// ---- along edges -------------------------------------------------------------------------------------------------------

void Matcher::settle(int least_score) {
    while (!m_candidates.empty() && m_candidates.top().score >= least_score && !is_stopped()) {
        const Candidate best = m_candidates.top();
        m_candidates.pop();
        if (is_free(best.left, best.right))
            match(best.left, best.right);
    }
}

bool Matcher::settle_one_weak() {
    while (!m_candidates.empty()) {
        const Candidate best = m_candidates.top();
        m_candidates.pop();
        if (!is_free(best.left, best.right) || support(best.left, best.right) < 0)
            continue;
        match(best.left, best.right);
        return true;
    }
    return false;
}

void Matcher::suggest(std::uint32_t a, std::uint32_t b) {
    if (is_free(a, b) && left(a).node && right(b).node && left(a).op == right(b).op)
        m_candidates.push({score(a, b), m_turn++, a, b});
}

void Matcher::suggest_around(std::uint32_t a, std::uint32_t b) {
    ++m_count;
    suggest_operands(a, b);
    suggest_uses(a, b);
}

void Matcher::suggest_operands(std::uint32_t a, std::uint32_t b) {
    const std::vector<MatchOperand>&here = left(a).operands, &there = right(b).operands;
    const bool is_free_order = left(a).commutes && right(b).commutes && here.size() * there.size() <= most_combined;
    for (std::size_t i = 0; i < here.size(); ++i)
        for (std::size_t j = is_free_order ? 0 : i; j < (is_free_order ? there.size() : std::min(i + 1, there.size()));
             ++j)
            if (here[i].producer != no_id && there[j].producer != no_id && here[i].output == there[j].output)
                suggest(here[i].producer, there[j].producer);
}

// Readers of the same result by the same operator at the same operand. Of very many, those that go on alike.
void Matcher::suggest_uses(std::uint32_t a, std::uint32_t b) {
    using Kind = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    std::map<Kind, std::vector<std::uint32_t>> kinds[2];
    for (int side = 0; side < 2; ++side)
        for (const MatchUse& use : m_side[side]->nodes[side == 0 ? a : b].uses)
            if (const MatchNode& node = m_side[side]->nodes[use.consumer];
                node.node && m_partner[side][use.consumer] == no_id)
                kinds[side][{node.op, use.port, use.output}].push_back(use.consumer);
    for (const auto& [kind, here] : kinds[0]) {
        const auto at = kinds[1].find(kind);
        if (at == kinds[1].end())
            continue;
        const std::vector<std::uint32_t>& there = at->second;
        if (here.size() * there.size() <= most_combined) {
            for (const std::uint32_t c : here)
                for (const std::uint32_t d : there)
                    suggest(c, d);
            continue;
        }
        std::map<std::uint64_t, std::vector<std::uint32_t>> alike[2];
        for (const std::uint32_t c : here)
            alike[0][m_around[0].down2[c]].push_back(c);
        for (const std::uint32_t d : there)
            alike[1][m_around[1].down2[d]].push_back(d);
        for (const auto& [hash, some] : alike[0])
            if (const auto others = alike[1].find(hash); others != alike[1].end())
                for (std::size_t i = 0; i < std::min(some.size(), others->second.size()); ++i)
                    suggest(some[i], others->second[i]);
    }
}

int Matcher::score(std::uint32_t a, std::uint32_t b) const {
    return (left(a).label == right(b).label ? equal_operators : 100) + likeness(a, b) + 30 * support(a, b);
}

int Matcher::likeness(std::uint32_t a, std::uint32_t b) const {
    const auto same = [&](Hashes Around::*which) { return (m_around[0].*which)[a] == (m_around[1].*which)[b]; };
    int out = 20 * same(&Around::up1) + 40 * same(&Around::up2) + 20 * same(&Around::down1) + 40 * same(&Around::down2);
    out += 60 * (left(a).name == right(b).name) + 20 * (left(a).scope == right(b).scope);
    out += 40 * (left(a).results == right(b).results);
    if (left(a).label == right(b).label || !left(a).node)
        return out;
    for (const auto& attribute : left(a).node->attributes)
        out += 6 * (std::ranges::find(right(b).node->attributes, attribute) != right(b).node->attributes.end());
    return std::min(out, 400);
}

// Neighbours that are partners of each other, less those that are partners of others.
int Matcher::support(std::uint32_t a, std::uint32_t b) const {
    const auto reads = [](const MatchNode& node, std::uint32_t producer) {
        return std::ranges::any_of(node.operands, [&](const MatchOperand& each) { return each.producer == producer; });
    };
    int out = 0;
    for (std::size_t i = 0; i < std::min(left(a).operands.size(), most_uses_asked); ++i) {
        const std::uint32_t producer = left(a).operands[i].producer;
        if (producer == no_id || m_partner[0][producer] == no_id)
            continue;
        const std::uint32_t partner = m_partner[0][producer];
        const bool is_there = left(a).commutes
                                  ? reads(right(b), partner)
                                  : i < right(b).operands.size() && right(b).operands[i].producer == partner;
        out += is_there ? 1 : -1;
    }
    for (std::size_t i = 0; i < std::min(left(a).uses.size(), most_uses_asked); ++i)
        if (const std::uint32_t partner = m_partner[0][left(a).uses[i].consumer]; partner != no_id)
            out += reads(right(partner), b) ? 1 : -1;
    return out;
}

// ---- the rest ----------------------------------------------------------------------------------------------------------

// In scopes most of whose operators are partners: the same operators by order.
bool Matcher::match_in_scopes() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> votes;
    for (std::uint32_t a = 0; a < m_partner[0].size(); ++a)
        if (const std::uint32_t b = m_partner[0][a]; b != no_id && left(a).node)
            ++votes[{left(a).scope, right(b).scope}];
    std::map<std::uint32_t, std::pair<std::uint32_t, int>> partner; // of a scope on the left
    for (const auto& [scopes, count] : votes)
        if (auto& best = partner[scopes.first]; count > best.second)
            best = {scopes.second, count};
    using Kind = std::pair<std::uint32_t, std::uint32_t>; // scope, operator
    std::map<Kind, std::vector<std::uint32_t>> there;
    for (std::uint32_t b = 0; b < m_partner[1].size(); ++b)
        if (m_partner[1][b] == no_id && right(b).node)
            there[{right(b).scope, right(b).op}].push_back(b);
    bool found = false;
    for (std::uint32_t a = 0; a < m_partner[0].size(); ++a) {
        const auto scope = partner.find(left(a).scope);
        if (m_partner[0][a] != no_id || !left(a).node || left(a).scope == 0 || scope == partner.end())
            continue;
        const auto at = there.find({scope->second.first, left(a).op});
        if (at == there.end())
            continue;
        for (const std::uint32_t b : at->second) {
            if (m_partner[1][b] != no_id || support(a, b) < 0)
                continue;
            match(a, b);
            settle(equal_operators);
            found = true;
            break;
        }
    }
    return found;
}

// Another operator between the same neighbours: the one took the place of the other.
bool Matcher::match_replaced() {
    bool found = false;
    for (std::uint32_t a = 0; a < m_partner[0].size(); ++a) {
        if (m_partner[0][a] != no_id || !left(a).node)
            continue;
        std::set<std::uint32_t> choices;
        for (const MatchOperand& operand : left(a).operands) {
            const std::uint32_t partner = operand.producer == no_id ? no_id : m_partner[0][operand.producer];
            if (partner == no_id || right(partner).uses.size() > most_combined)
                continue;
            for (const MatchUse& use : right(partner).uses)
                if (m_partner[1][use.consumer] == no_id && right(use.consumer).node && is_between(a, use.consumer))
                    choices.insert(use.consumer);
        }
        if (choices.size() != 1)
            continue;
        match(a, *choices.begin());
        settle(equal_operators);
        found = true;
    }
    return found;
}

bool Matcher::is_between(std::uint32_t a, std::uint32_t b) const {
    for (const MatchUse& use : left(a).uses)
        if (const std::uint32_t partner = m_partner[0][use.consumer]; partner != no_id)
            for (const MatchOperand& operand : right(partner).operands)
                if (operand.producer == b)
                    return true;
    return left(a).name == right(b).name;
}

// Takes back what was decided too early: two pairs that would be better off the other way round.
bool Matcher::mend() {
    bool found = false;
    for (std::uint32_t c = 0; c < m_partner[0].size() && !is_stopped(); ++c) {
        const std::uint32_t d = m_partner[0][c];
        if (d == no_id || left(c).operands.size() * right(d).operands.size() > most_combined)
            continue;
        for (std::size_t i = 0; i < left(c).operands.size(); ++i)
            for (std::size_t j = 0; j < right(d).operands.size(); ++j)
                if (const std::uint32_t a = left(c).operands[i].producer, b = right(d).operands[j].producer;
                    (i == j || left(c).commutes) && a != no_id && b != no_id)
                    found |= exchange(a, b);
    }
    return found;
}

bool Matcher::exchange(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = m_partner[0][a], y = m_partner[1][b];
    if (x == b || !left(a).node || !right(b).node || left(a).op != right(b).op)
        return false;
    if (x == no_id || y == no_id || left(y).op != right(x).op)
        return false;
    if (worth(a, b) + worth(y, x) <= worth(a, x) + worth(y, b))
        return false;
    match(a, b);
    match(y, x);
    return true;
}

int Matcher::worth(std::uint32_t a, std::uint32_t b) const {
    return 100 + 60 * (left(a).label == right(b).label) + 20 * (left(a).results == right(b).results) +
           5 * (left(a).name == right(b).name) + 30 * support(a, b);
}

std::size_t Matcher::cost() const {
    std::size_t out = 0;
    for (std::uint32_t a = 0; a < m_partner[0].size(); ++a)
        if (const std::uint32_t b = m_partner[0][a]; left(a).node)
            out += b == no_id || left(a).label != right(b).label || left(a).results != right(b).results;
    for (std::uint32_t b = 0; b < m_partner[1].size(); ++b)
        out += right(b).node && m_partner[1][b] == no_id;
    return out;
}

} // namespace hidet::session
