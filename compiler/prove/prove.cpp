// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/prove.h"

#include <algorithm>
#include <set>

#include "compiler/ir/each_node.h"
#include "compiler/prove/clashes.h"
#include "compiler/prove/copies.h"
#include "compiler/prove/extents.h"
#include "compiler/prove/flat_index.h"
#include "compiler/prove/kernel_facts.h"
#include "compiler/prove/order.h"
#include "compiler/prove/product_registers.h"
#include "lang/base/text.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

constexpr std::size_t questions_at_once = 48;
constexpr std::int64_t warp = 32;
constexpr std::int64_t small_size = 1024; // of examples, where there are such

// Something that must not be, as a condition on one or two threads.
struct Wrong {
    Claim claim{};
    Term condition = nullptr;
    const Node* at = nullptr;
    const Node* beside = nullptr;
    const MemoryAccess* access = nullptr;
    bool writes = false, others_writes = false;
    std::string unknown = {}; // why it cannot be asked; then there is no condition
    std::string doubt = {};   // why an example may be none
};

// `other`: what the second thread has.
Counterexample example_of(const KernelFacts& facts, const Answer& answer, const Wrong& wrong, Copies* other) {
    Counterexample out;
    const auto value = [&](Term term) { return value_in(answer, term); };
    for (const auto& [symbol, number] : answer.example)
        if (symbol->same == Same::InLaunch && symbol->why.empty())
            out.sizes.emplace_back(symbol->name.substr(0, symbol->name.find('!')), number);
    std::ranges::sort(out.sizes);
    for (std::size_t d = 0; d < 3; ++d) {
        out.first.thread[d] = value(facts.thread[d]), out.first.block[d] = value(facts.block[d]);
        out.second.thread[d] = value(other ? other->of(facts.thread[d]) : facts.thread[d]);
        out.second.block[d] = value(other ? other->of(facts.block[d]) : facts.block[d]);
    }
    const auto take = [&](const std::vector<Term>& index, const std::vector<Term>& shape) {
        for (std::size_t i = 0; i < index.size(); ++i)
            out.index.push_back(value(index[i])), out.shape.push_back(value(shape[i]));
    };
    if (!wrong.access)
        return out;
    take(wrong.access->place.index, wrong.access->place.shape);
    if (wrong.claim != Claim::Bounds || !out.index.empty())
        return out;
    for (const ElementOfView& element : wrong.access->place.views) {
        take(element.index, element.shape);
        for (std::size_t i = 0; i < out.index.size(); ++i)
            if (out.index[i] < 0 || out.index[i] >= out.shape[i])
                return out.view = element.view, out;
        out.index.clear(), out.shape.clear();
    }
    return out;
}

class Prover {
public:
    // `of_warps`: what holds of two threads of a warp; null: the same as of any two. `of_clusters`: of two blocks of a cluster.
    Prover(Terms& terms, const KernelFacts& facts, const KernelFacts* of_warps, const KernelFacts* of_clusters,
           const Ask& solver, const ProofLimits& limits)
        : m_terms(terms), m_facts(facts), m_of_warps(of_warps), m_of_clusters(of_clusters), m_solver(solver),
          m_limits(limits), m_thread(terms, Same::InThread), m_block(terms, Same::InBlock),
          m_order(terms, facts, solver) {
        if (of_warps)
            m_order_of_warps.emplace(terms, *of_warps, solver);
        if (of_clusters)
            m_order_of_clusters.emplace(terms, *of_clusters, solver);
    }

    KernelProof run() {
        prove_bounds();
        prove_alignment();
        prove_races(m_facts, m_order, m_of_warps ? m_terms.negate(one_warp()) : nullptr);
        prove_barriers(m_facts, nullptr, m_thread);
        if (m_of_warps) {
            prove_races(*m_of_warps, *m_order_of_warps, one_warp());
            prove_barriers(*m_of_warps, one_warp(), m_thread);
        }
        if (m_of_clusters) {
            prove_races_of_clusters();
            prove_barriers(*m_of_clusters, nullptr, m_block);
            note_obstacles(m_of_clusters->obstacles);
        }
        prove_races_of_blocks();
        note_obstacles(m_facts.obstacles);
        note_obstacles(of_order(m_order));
        if (m_of_warps) {
            note_obstacles(m_of_warps->obstacles);
            note_obstacles(of_order(*m_order_of_warps));
        }
        std::ranges::stable_sort(m_out.doubts, {}, [](const Doubt& doubt) {
            return std::pair(doubt.at.span.begin, static_cast<int>(doubt.claim));
        });
        return std::move(m_out);
    }

private:
    // ---- questions ------------------------------------------------------------------------------------------------------
    Answer asked(std::vector<Term> conditions) {
        if (m_limits.cancelled && *m_limits.cancelled)
            return {};
        ++m_out.questions;
        return ask(m_solver, conditions);
    }
    Verdict& verdict(Claim claim) { return m_out.verdicts[static_cast<std::size_t>(claim)]; }
    int doubts_of(Claim claim) const {
        return static_cast<int>(std::ranges::count_if(m_out.doubts, [&](const Doubt& doubt) {
            return doubt.claim == claim && doubt.verdict != Verdict::ProvedIf;
        }));
    }
    // Many at once first: mostly none can be.
    void settle(const std::vector<Wrong>& wrongs, const std::vector<Term>& common, Copies* other) {
        for (std::size_t begin = 0; begin < wrongs.size(); begin += questions_at_once) {
            const std::size_t end = std::min(begin + questions_at_once, wrongs.size());
            std::vector<Term> all;
            bool is_known = true;
            for (std::size_t i = begin; i < end; ++i) {
                is_known = is_known && wrongs[i].condition;
                if (wrongs[i].condition)
                    all.push_back(wrongs[i].condition);
            }
            std::vector<Term> conditions = common;
            conditions.push_back(m_terms.any(all));
            const bool none = asked(conditions).can == Can::No;
            if (none && is_known)
                continue;
            for (std::size_t i = begin; i < end; ++i)
                if (!none || !wrongs[i].condition)
                    settle(wrongs[i], common, other);
        }
    }
    // The same with sizes that can be tried, if there are such.
    Answer with_small_sizes(const std::vector<Term>& common, Term condition, Answer found) {
        const Term most = m_terms.constant(small_size);
        std::vector<Term> conditions = common;
        for (const auto& [name, size] : m_facts.sizes)
            if (!size->is_condition)
                conditions.push_back(m_terms.less_equal(size, most));
        if (conditions.size() == common.size())
            return found;
        conditions.push_back(condition);
        Answer small = asked(conditions);
        return small.can == Can::Yes ? small : found;
    }
    void settle(const Wrong& wrong, const std::vector<Term>& common, Copies* other) {
        const auto is_same = [&](const Doubt& known) {
            return known.claim == wrong.claim && known.verdict != Verdict::ProvedIf &&
                   known.at.span == wrong.at->origin.span &&
                   known.beside.span == (wrong.beside ? wrong.beside->origin.span : Span{});
        };
        if (doubts_of(wrong.claim) >= m_limits.doubts || std::ranges::any_of(m_out.doubts, is_same))
            return;
        Answer answer;
        if (wrong.condition) {
            std::vector<Term> conditions = common;
            conditions.push_back(wrong.condition);
            answer = asked(conditions);
            if (answer.can == Can::No)
                return;
        }
        Doubt doubt{wrong.claim, Verdict::Open, wrong.at->origin,   {}, {}, wrong.unknown,
                    {},          wrong.writes,  wrong.others_writes};
        if (wrong.beside)
            doubt.beside = wrong.beside->origin;
        if (wrong.access)
            doubt.tensor = m_facts.objects[static_cast<std::size_t>(wrong.access->place.object)].name;
        if (answer.can == Can::Yes) {
            if (answer.why.empty() && wrong.doubt.empty())
                answer = with_small_sizes(common, wrong.condition, std::move(answer));
            doubt.example = example_of(m_facts, answer, wrong, other);
            if (!doubt.example->view.empty())
                doubt.tensor = doubt.example->view;
            doubt.why = answer.why.empty() ? wrong.doubt : answer.why;
            if (doubt.why.empty())
                doubt.verdict = Verdict::Refuted;
        } else if (doubt.why.empty()) {
            doubt.why = "the solver found no answer";
        }
        verdict(wrong.claim) = std::max(verdict(wrong.claim), doubt.verdict);
        m_out.doubts.push_back(std::move(doubt));
    }
    // ---- one thread -----------------------------------------------------------------------------------------------------
    Term outside_of(const std::vector<Term>& index, const std::vector<Term>& shape, std::int64_t count) {
        std::vector<Term> any;
        for (std::size_t d = 0; d < index.size(); ++d) {
            const std::int64_t more = d + 1 == index.size() ? count - 1 : 0;
            any.push_back(m_terms.less(index[d], m_terms.constant(0)));
            any.push_back(m_terms.less_equal(shape[d], m_terms.add(index[d], m_terms.constant(more))));
        }
        return m_terms.any(any);
    }
    Term outside_of_views(const Place& place) {
        std::vector<Term> any;
        for (const ElementOfView& element : place.views)
            any.push_back(outside_of(element.index, element.shape, 1));
        return m_terms.any(any);
    }
    Term outside(const Place& place) {
        const Term zero = m_terms.constant(0);
        std::vector<Term> any{outside_of_views(place), outside_of(place.index, place.shape, place.count)};
        if (!place.index.empty() && !place.block)
            return m_terms.any(any);
        if (place.block)
            any.push_back(m_terms.negate(m_terms.within(place.block, zero, blocks_of_cluster())));
        const Term size = m_facts.objects[static_cast<std::size_t>(place.object)].bytes;
        if (!place.offset || !size)
            return nullptr;
        any.push_back(m_terms.less(place.offset, zero));
        any.push_back(m_terms.less(size, m_terms.add(place.offset, place.bytes)));
        return m_terms.any(any);
    }
    Term blocks_of_cluster() {
        return m_terms.multiply(m_facts.cluster_dim[0],
                                m_terms.multiply(m_facts.cluster_dim[1], m_facts.cluster_dim[2]));
    }
    // Pointers whose accesses stay in as much memory as can be said.
    void find_extents() {
        const AskWrong can_be = [&](Term wrong) { return asked({m_facts.launched, wrong}).can; };
        for (std::size_t i = 0; i < m_facts.objects.size(); ++i) {
            const Object& object = m_facts.objects[i];
            if (object.bytes || object.space != Space::Global)
                continue;
            const auto extent = extent_behind(m_terms, m_facts, static_cast<int>(i), can_be);
            const auto first = std::ranges::find(m_facts.accesses, static_cast<int>(i),
                                                 [](const MemoryAccess& access) { return access.place.object; });
            if (!extent)
                continue;
            m_with_extent.insert(static_cast<int>(i));
            m_out.doubts.push_back({Claim::Bounds,
                                    Verdict::ProvedIf,
                                    first->at->origin,
                                    {},
                                    object.name,
                                    cat("'", object.name, "' points to at least ", extent->text),
                                    {},
                                    false,
                                    false});
            verdict(Claim::Bounds) = std::max(verdict(Claim::Bounds), Verdict::ProvedIf);
        }
    }
    void prove_bounds() {
        find_extents();
        std::vector<Wrong> wrongs;
        for (const MemoryAccess& access : m_facts.accesses) {
            if (access.is_repeated)
                continue;
            const bool has_extent = m_with_extent.contains(access.place.object);
            if (has_extent && access.place.views.empty()) {
                ++m_out.places[static_cast<std::size_t>(Claim::Bounds)];
                continue;
            }
            const Term leaves = has_extent ? outside_of_views(access.place) : outside(access.place);
            Wrong wrong{Claim::Bounds, leaves ? m_terms.both(access.when, leaves) : nullptr, access.at, nullptr,
                        &access};
            wrong.writes = access.does != Does::Reads;
            if (!leaves)
                wrong.unknown = access.place.offset ? "how much memory is behind the address is not known"
                                                    : "an address that is not known";
            wrongs.push_back(std::move(wrong));
        }
        m_out.places[static_cast<std::size_t>(Claim::Bounds)] += static_cast<int>(wrongs.size());
        settle(wrongs, {m_facts.launched}, nullptr);
    }
    void prove_alignment() {
        std::vector<Wrong> wrongs;
        for (const MemoryAccess& access : m_facts.accesses) {
            const Object& object = m_facts.objects[static_cast<std::size_t>(access.place.object)];
            const TensorType* tensor = object.var ? tensor_of(object.var->type) : nullptr;
            const std::int64_t natural = tensor ? size_in_bytes(tensor->element) : 1;
            if (access.is_repeated || object.space == Space::Register || access.aligned <= natural)
                continue;
            const Term offset = access.place.offset;
            Wrong wrong{Claim::Alignment, nullptr, access.at, nullptr, &access};
            if (offset)
                wrong.condition = m_terms.both(
                    access.when,
                    m_terms.negate(m_terms.equal(m_terms.remainder(offset, m_terms.constant(access.aligned)),
                                                 m_terms.constant(0))));
            else
                wrong.unknown = "an address that is not known";
            wrongs.push_back(std::move(wrong));
        }
        m_out.places[static_cast<std::size_t>(Claim::Alignment)] = static_cast<int>(wrongs.size());
        settle(wrongs, {m_facts.launched}, nullptr);
    }

    // ---- two threads ----------------------------------------------------------------------------------------------------
    bool may_conflict(const MemoryAccess& a, const MemoryAccess& b) const {
        return a.place.object == b.place.object && (a.does != Does::Reads || b.does != Does::Reads) &&
               (a.does != Does::UpdatesAtOnce || b.does != Does::UpdatesAtOnce);
    }
    // Whether they touch the same bytes; `other` has the second one. Null: that is not known.
    Term meets(const Place& a, const Place& b, Copies& other) {
        const Term same = meet_in_block(a, b, other);
        if (!same || m_facts.objects[static_cast<std::size_t>(a.object)].space != Space::Shared ||
            (!a.block && !b.block && &other == &m_thread))
            return same;
        const Term own = rank_in_cluster(m_terms, m_facts);
        return m_terms.both(same, m_terms.equal(a.block ? a.block : own, other.of(b.block ? b.block : own)));
    }
    // Boxes of one tensor map.
    Term boxes_meet(const Place& a, const Place& b, Copies& other) {
        std::vector<Term> all;
        for (std::size_t d = 0; d < a.corner.size(); ++d) {
            const Term x = a.corner[d], y = other.of(b.corner[d]);
            all.push_back(m_terms.less(x, m_terms.add(y, other.of(b.box[d]))));
            all.push_back(m_terms.less(y, m_terms.add(x, a.box[d])));
        }
        return m_terms.all(all);
    }
    static bool are_of_one_map(const Place& a, const Place& b) {
        return a.map && a.map == b.map && a.corner.size() == a.box.size() && b.corner.size() == a.box.size();
    }
    Term meet_in_block(const Place& a, const Place& b, Copies& other) {
        if (are_of_one_map(a, b))
            return boxes_meet(a, b, other);
        if (!a.index.empty() && a.index.size() == b.index.size()) {
            std::vector<Term> all;
            for (std::size_t d = 0; d < a.index.size(); ++d) {
                const Term x = a.index[d], y = other.of(b.index[d]);
                if (d + 1 < a.index.size() || (a.count == 1 && b.count == 1)) {
                    all.push_back(m_terms.equal(x, y));
                    continue;
                }
                all.push_back(m_terms.less(x, m_terms.add(y, m_terms.constant(b.count))));
                all.push_back(m_terms.less(y, m_terms.add(x, m_terms.constant(a.count))));
            }
            return m_terms.all(all);
        }
        if (!a.offset || !b.offset)
            return nullptr;
        const Term y = other.of(b.offset);
        if (const Term same = same_element(a, b, y))
            return same;
        return m_terms.both(m_terms.less(a.offset, m_terms.add(y, other.of(b.bytes))),
                            m_terms.less(y, m_terms.add(a.offset, a.bytes)));
    }
    // Of two accesses of as many bytes, at multiples of these: they meet only where they begin.
    Term same_element(const Place& a, const Place& b, Term other_offset) {
        const auto bytes = Terms::constant_of(a.bytes);
        const Term element = bytes ? m_terms.constant(*bytes) : nullptr;
        if (!bytes || b.bytes != a.bytes || *bytes <= 0)
            return nullptr;
        for (const Term offset : {a.offset, other_offset})
            if (m_terms.remainder(offset, element) != m_terms.constant(0))
                return nullptr;
        const Term x = m_terms.quotient(a.offset, element), y = m_terms.quotient(other_offset, element);
        return m_terms.both(m_terms.equal(x, y), flat_index_fact(m_terms, x, y));
    }
    Term is_same(const std::array<Term, 3>& of, Copies& other) {
        std::vector<Term> all;
        for (Term each : of)
            all.push_back(m_terms.equal(each, other.of(each)));
        return m_terms.all(all);
    }
    Term one_warp(std::int64_t threads = warp) { // or of so many beside each other
        const Term number = m_terms.quotient(linear_thread(m_terms, m_facts), m_terms.constant(threads));
        return m_terms.equal(number, m_thread.of(number));
    }
    void add_pair(std::vector<Wrong>& wrongs, const MemoryAccess& a, const MemoryAccess& b, Copies& other, Term besides,
                  const std::string& doubt = "") {
        if (is_false(besides))
            return;
        Wrong wrong{Claim::Races, nullptr, b.at, a.at, &a};
        wrong.doubt = doubt;
        wrong.writes = b.does != Does::Reads, wrong.others_writes = a.does != Does::Reads;
        if (m_facts.objects[static_cast<std::size_t>(a.place.object)].is_packed &&
            a.place.index.empty() != b.place.index.empty())
            wrong.doubt = "values of less than a byte";
        if ((a.place.map || b.place.map) && !are_of_one_map(a.place, b.place))
            wrong.doubt = "copies in bulk"; // some of what it may reach
        const Term same = meets(a.place, b.place, other);
        if (same)
            wrong.condition = m_terms.all({a.when, other.of(b.when), same, besides});
        else
            wrong.unknown = "an address that is not known";
        if (!wrong.condition || !is_false(wrong.condition))
            wrongs.push_back(std::move(wrong));
    }
    std::vector<Obstacle> of_order(const Order& order) const {
        std::vector<Obstacle> out;
        const SyncEvent* stopped_at = order.phases().stopped_at();
        const SyncEvent* in_vain = order.phases().waits_in_vain();
        if (stopped_at || in_vain)
            out.push_back({stopped_at ? stopped_at->at : in_vain->at, order.doubt(), false, true});
        return out;
    }
    // `warps`: whether the two are of one warp; null: they may be or not.
    void prove_races(const KernelFacts& facts, Order& order, Term warps) {
        std::vector<Wrong> wrongs;
        const std::string doubt = order.doubt();
        Clashes clashes(m_terms, facts, order, m_thread);
        for (const std::vector<OpenAccess>& interval : facts.intervals)
            for (std::size_t i = 0; i < interval.size(); ++i)
                for (std::size_t j = i; j < interval.size(); ++j) {
                    const MemoryAccess& a = facts.accesses[interval[i].access];
                    const MemoryAccess& b = facts.accesses[interval[j].access];
                    if (!may_conflict(a, b))
                        continue;
                    Term besides = clashes.between(interval[i], interval[j]);
                    if (warps)
                        besides = m_terms.both(besides, warps);
                    add_pair(wrongs, a, b, m_thread, besides, doubt);
                }
        m_out.places[static_cast<std::size_t>(Claim::Races)] += static_cast<int>(wrongs.size());
        settle(wrongs, {facts.launched, m_thread.of(facts.launched)}, &m_thread);
    }
    // In shared memory, where one of them reaches that of another block.
    void prove_races_of_clusters() {
        std::vector<Wrong> wrongs;
        const KernelFacts& facts = *m_of_clusters;
        for (const std::vector<OpenAccess>& interval : facts.intervals)
            for (std::size_t i = 0; i < interval.size(); ++i)
                for (std::size_t j = i; j < interval.size(); ++j) {
                    const MemoryAccess& a = facts.accesses[interval[i].access];
                    const MemoryAccess& b = facts.accesses[interval[j].access];
                    if (!may_conflict(a, b) || interval[i].is_unfenced || interval[j].is_unfenced ||
                        facts.objects[static_cast<std::size_t>(a.place.object)].space != Space::Shared)
                        continue;
                    Term besides = m_terms.truth(true);
                    for (const OpenAccess* open : {&interval[i], &interval[j]})
                        if (open->when)
                            besides = m_terms.both(besides, open == &interval[i] ? open->when : m_block.of(open->when));
                    const Term is_ended =
                        m_terms.either(m_order_of_clusters->is_ended_for(interval[i], false, interval[j], m_block),
                                       m_order_of_clusters->is_ended_for(interval[j], true, interval[i], m_block));
                    besides = m_terms.both(besides, m_terms.negate(is_ended));
                    add_pair(wrongs, a, b, m_block, besides, m_order.doubt());
                }
        m_out.places[static_cast<std::size_t>(Claim::Races)] += static_cast<int>(wrongs.size());
        settle(wrongs, {facts.launched, m_block.of(facts.launched), other_block_of_cluster()}, &m_block);
    }
    Term other_block_of_cluster() {
        std::vector<Term> all{m_terms.negate(is_same(m_facts.block, m_block))};
        for (std::size_t d = 0; d < 3; ++d) {
            const Term cluster = m_terms.quotient(m_facts.block[d], m_facts.cluster_dim[d]);
            all.push_back(m_terms.equal(cluster, m_block.of(cluster)));
        }
        return m_terms.all(all);
    }
    void prove_races_of_blocks() {
        std::vector<Wrong> wrongs;
        std::vector<const MemoryAccess*> global;
        for (const MemoryAccess& access : m_facts.accesses)
            if (!access.is_repeated &&
                m_facts.objects[static_cast<std::size_t>(access.place.object)].space == Space::Global)
                global.push_back(&access);
        for (std::size_t i = 0; i < global.size(); ++i)
            for (std::size_t j = i; j < global.size(); ++j)
                if (may_conflict(*global[i], *global[j]))
                    add_pair(wrongs, *global[i], *global[j], m_block, m_terms.truth(true),
                             m_facts.has_cluster ? "a cluster of blocks" : "");
        m_out.places[static_cast<std::size_t>(Claim::Races)] += static_cast<int>(wrongs.size());
        settle(wrongs,
               {m_facts.launched, m_block.of(m_facts.launched), m_terms.negate(is_same(m_facts.block, m_block))},
               &m_block);
    }
    void prove_barriers(const KernelFacts& facts, Term warps, Copies& other) {
        std::vector<Wrong> wrongs;
        for (const Meeting& meeting : facts.meetings) {
            if ((warps || &other == &m_block) && meeting.of_threads > 0) // seen in the other view
                continue;
            const Term others = other.of(meeting.when);
            const Term wrong =
                meeting.value
                    ? m_terms.both(others, m_terms.negate(m_terms.equal(meeting.value, other.of(meeting.value))))
                    : m_terms.both(m_terms.negate(others), m_terms.negate(other.of(meeting.left)));
            Wrong& added = wrongs.emplace_back(Wrong{Claim::Barriers, m_terms.both(meeting.when, wrong), meeting.at});
            added.doubt = meeting.doubt;
            if (warps || meeting.of_threads > 0)
                added.condition =
                    m_terms.both(added.condition, one_warp(std::max<std::int64_t>(meeting.of_threads, warp)));
            if (&other == &m_block)
                added.condition = m_terms.both(added.condition, other_block_of_cluster());
            for (const Term iteration : meeting.together)
                added.condition = m_terms.both(added.condition, m_terms.equal(iteration, m_thread.of(iteration)));
        }
        m_out.places[static_cast<std::size_t>(Claim::Barriers)] += static_cast<int>(wrongs.size());
        settle(wrongs, {facts.launched, other.of(facts.launched)}, &other);
    }

    // What the analysis does not see through leaves open what is not refuted.
    void note_obstacles(const std::vector<Obstacle>& obstacles) {
        for (const Obstacle& obstacle : obstacles)
            for (const Claim claim : {Claim::Bounds, Claim::Races, Claim::Barriers}) {
                const bool hides = claim == Claim::Bounds  ? obstacle.hides_accesses
                                   : claim == Claim::Races ? true
                                                           : obstacle.hides_meetings;
                const auto is_known = [&](const Doubt& doubt) {
                    return doubt.claim == claim && doubt.at.span == obstacle.at->origin.span &&
                           doubt.why == obstacle.what;
                };
                if (!hides || std::ranges::any_of(m_out.doubts, is_known))
                    continue;
                // With order that is not seen, what looks like a race may be none.
                if (claim == Claim::Races && obstacle.hides_order)
                    for (Doubt& doubt : m_out.doubts)
                        if (doubt.claim == claim && doubt.verdict == Verdict::Refuted)
                            doubt.verdict = Verdict::Open, doubt.why = obstacle.what;
                if (claim == Claim::Races && obstacle.hides_order)
                    verdict(claim) = Verdict::Open;
                verdict(claim) = std::max(verdict(claim), Verdict::Open);
                m_out.doubts.push_back(
                    {claim, Verdict::Open, obstacle.at->origin, {}, {}, obstacle.what, {}, false, false});
            }
    }

    Terms& m_terms;
    const KernelFacts& m_facts;
    const KernelFacts* m_of_warps;
    const KernelFacts* m_of_clusters;
    const Ask& m_solver;
    const ProofLimits& m_limits;
    Copies m_thread, m_block;
    Order m_order;
    std::optional<Order> m_order_of_warps, m_order_of_clusters;
    std::set<int> m_with_extent; // objects that are pointers, and their accesses proved if
    KernelProof m_out;
};

} // namespace

const char* claim_name(Claim claim) {
    static constexpr const char* names[] = {"bounds", "races", "barriers", "alignment"};
    return names[static_cast<std::size_t>(claim)];
}

const char* verdict_name(Verdict verdict) {
    static constexpr const char* names[] = {"proved", "proved if", "open", "refuted"};
    return names[static_cast<std::size_t>(verdict)];
}

KernelProof prove(const Module& module, const Function& kernel, const Ask& solver, const ProofLimits& limits) {
    const Function* host = nullptr;
    const LaunchStmt* launch = nullptr;
    int launches = 0;
    for (const FunctionRef& function : module.functions)
        each_node(function, [&](const LaunchStmt& each) {
            if (each.kernel == kernel.name)
                ++launches, host = function.get(), launch = &each;
        });
    Terms terms;
    if (launches != 1) // whatever the launch
        host = nullptr, launch = nullptr;
    const LaunchOf launched{host, launch};
    KernelFacts facts = facts_of(terms, kernel, launched, View::Block, solver);
    for (Obstacle& misuse : misused_product_registers(kernel))
        facts.obstacles.push_back(std::move(misuse));
    std::optional<KernelFacts> of_warps, of_clusters;
    if (has_warp_barriers(kernel))
        of_warps = facts_of(terms, kernel, launched, View::Warp, solver, &facts);
    if (facts.has_cluster)
        of_clusters = facts_of(terms, kernel, launched, View::Cluster, solver, &facts);
    return Prover(terms, facts, of_warps ? &*of_warps : nullptr, of_clusters ? &*of_clusters : nullptr, solver, limits)
        .run();
}

} // namespace hidet::compiler::prove
