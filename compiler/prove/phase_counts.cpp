// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/phase_counts.h"

#include <algorithm>
#include <limits>

namespace hidet::compiler::prove {

namespace {

constexpr std::int64_t most_in_block = 1024, most_made = 4096, lanes_of_warp = 32;
constexpr std::size_t most_told = 8, most_shares = 24;

bool brings_bytes(const SyncEvent& event) {
    return event.kind == SyncKind::Bytes;
}
bool expects_bytes(const SyncEvent& event) {
    return (event.kind == SyncKind::Arrive || event.kind == SyncKind::Expect) && event.bytes;
}
bool counts_thread(const SyncEvent& event) {
    return arrives_at_barrier(event) && !event.adds_one;
}

// The symbols that an index is the sum of, with what each counts; false: it is no such sum.
bool add_bits(Term index, std::int64_t value, std::vector<std::pair<Term, std::int64_t>>& out) {
    if (index->kind == TermKind::Constant)
        return true;
    if (index->kind == TermKind::Symbol && index->highest == 1) {
        out.emplace_back(index, value & 1);
        return true;
    }
    if (index->kind != TermKind::Sum)
        return false;
    for (std::size_t i = 0; i < index->args.size(); ++i) {
        if (index->args[i]->kind != TermKind::Symbol || index->args[i]->highest != 1)
            return false;
        out.emplace_back(index->args[i], value / index->factors[i] & 1);
    }
    return true;
}

} // namespace

PhaseCounts::PhaseCounts(Phases& phases) : m_phases(phases), m_terms(phases.m_terms) {}

bool PhaseCounts::place_threads() {
    const KernelFacts& facts = m_phases.m_facts;
    std::array<std::int64_t, 3> extent{};
    m_threads.clear();
    for (std::size_t d = 0; d < 3; ++d) {
        const auto known = Terms::constant_of(facts.block_dim[d]);
        if (!known || *known < 1 || *known > most_in_block)
            return false;
        extent[d] = *known;
    }
    if (extent[0] * extent[1] * extent[2] > most_in_block)
        return false;
    for (std::int64_t z = 0; z < extent[2]; ++z)
        for (std::int64_t y = 0; y < extent[1]; ++y)
            for (std::int64_t x = 0; x < extent[0]; ++x) {
                auto& bits = m_threads.emplace_back();
                if (!add_bits(facts.thread[0], x, bits) || !add_bits(facts.thread[1], y, bits) ||
                    !add_bits(facts.thread[2], z, bits))
                    return m_threads.clear(), false;
            }
    return true;
}

static Copies thread_copies(Terms& terms, const std::vector<std::pair<Term, std::int64_t>>& bits,
                            int first_unknown = std::numeric_limits<int>::max()) {
    Copies out(terms, Same::InThread, first_unknown);
    for (const auto& [bit, value] : bits)
        out.replace(bit, terms.constant(value));
    return out;
}

// One of each warp. What else differs between threads, nobody knows of it.
std::vector<Copies> PhaseCounts::some_threads(const SyncEvent& event) {
    std::vector<Copies> out;
    if (m_threads.empty() && !place_threads())
        return out;
    for (std::size_t number = 0; number < m_threads.size() && out.size() < most_told;) {
        Copies of_thread = thread_copies(m_terms, m_threads[number], std::numeric_limits<int>::max());
        if (is_false(of_thread.of(event.when))) {
            ++number;
            continue;
        }
        out.push_back(thread_copies(m_terms, m_threads[number], 0));
        for (const Moment::Around& around : event.moment.loops)
            if (around.iteration->kind == TermKind::Symbol)
                out.back().replace(around.iteration, around.iteration);
        number = (number / lanes_of_warp + 1) * lanes_of_warp;
    }
    return out;
}

// ---- barriers ---------------------------------------------------------------------------------------------------------------

// Each is made once, before anybody uses it: that a barrier of the block is between, the races of its memory say.
bool PhaseCounts::find_barriers() {
    for (const SyncEvent& init : m_phases.m_facts.syncs) {
        if (init.kind != SyncKind::Init)
            continue;
        for (const auto& bits : m_threads) {
            Copies of_thread = thread_copies(m_terms, bits);
            if (!is_made_here(init, of_thread))
                return false;
        }
        if (init.count && !copies_see(init))
            return false;
        for (const SyncEvent& other : m_phases.m_facts.syncs) {
            const bool is_later =
                init.count ? init.moment.place < other.moment.place : other.moment.place < init.moment.place;
            const bool shares_loop = !init.moment.loops.empty() && !other.moment.loops.empty() &&
                                     init.moment.loops[0].loop == other.moment.loops[0].loop;
            if (other.object == init.object && other.kind != SyncKind::Init && (!is_later || shares_loop))
                return false;
        }
    }
    return std::ranges::none_of(m_phases.m_facts.accesses, [&](const MemoryAccess& access) {
        const auto first = m_made.lower_bound({access.place.object, std::numeric_limits<std::int64_t>::min()});
        return !access.is_of_barrier && first != m_made.end() && first->first.first == access.place.object;
    });
}

// Or none ends there.
bool PhaseCounts::copies_see(const SyncEvent& init) {
    const std::vector<SyncEvent>& events = m_phases.m_facts.syncs;
    if (std::ranges::none_of(events, [&](const SyncEvent& event) {
            return event.kind == SyncKind::Bytes && event.object == init.object;
        }))
        return true;
    std::vector<Term> fences;
    for (const SyncEvent& event : events)
        if (event.kind == SyncKind::Fence && Phases::has_run(event, init.moment)) {
            const SyncInstance fence = m_phases.near(event, init.moment, 0, Phases::Inner::Last);
            fences.push_back(m_terms.both(fence.when, is_before(m_terms, init.moment, fence.moment)));
        }
    return m_phases.is_never({init.when, m_terms.negate(m_terms.any(fences))});
}

bool PhaseCounts::is_made_here(const SyncEvent& init, Copies& of_thread) {
    if (!init.count)
        return true; // it ends there
    const Term when = of_thread.of(init.when), offset = of_thread.of(init.offset), count = of_thread.of(init.count);
    std::vector<std::int64_t> extents;
    std::int64_t all = 1;
    for (const Moment::Around& around : init.moment.loops) {
        const auto extent = around.extent ? Terms::constant_of(of_thread.of(around.extent)) : std::nullopt;
        if (!extent || *extent < 0 || *extent > most_made)
            return is_false(when);
        extents.push_back(*extent), all *= *extent;
    }
    if (is_false(when))
        return true;
    if (all > most_made)
        return false;
    for (std::int64_t number = 0; number < all; ++number) {
        Copies at(m_terms, Same::InThread, std::numeric_limits<int>::max());
        std::int64_t rest = number;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            const Term iteration = init.moment.loops[i].iteration;
            if (iteration->kind == TermKind::Symbol)
                at.replace(iteration, m_terms.constant(rest % extents[i]));
            rest /= extents[i];
        }
        const bool is_fixed = extents.empty();
        const Term holds = is_fixed ? when : at.of(when);
        const auto place = Terms::constant_of(is_fixed ? offset : at.of(offset));
        const auto threads = Terms::constant_of(is_fixed ? count : at.of(count));
        if (is_false(holds))
            continue;
        if (!is_true(holds) || !place || !threads || *threads < 1)
            return false;
        Made& made = m_made[{init.object, *place}];
        made.threads = *threads;
        if (++made.times > 1)
            return false;
    }
    return true;
}

bool PhaseCounts::is_made(const SyncEvent& event) {
    if (event.count) // a named one, which is there
        return true;
    std::vector<Term> question{event.when};
    for (const auto& [place, made] : m_made)
        if (place.first == event.object)
            question.push_back(m_terms.negate(m_terms.equal(event.offset, m_terms.constant(place.second))));
    return m_phases.is_never(question);
}

std::int64_t PhaseCounts::expected_threads(const Site& site, const Share& share) const {
    if (site.event->count)
        return Terms::constant_of(site.event->count).value_or(0);
    const auto place = Terms::constant_of(share.offset);
    std::int64_t out = -1;
    for (const auto& [key, made] : m_made)
        if (key.first == site.event->object && (!place || *place == key.second))
            out = out < 0 || out == made.threads ? made.threads : 0;
    return std::max<std::int64_t>(out, 0);
}

// ---- threads ----------------------------------------------------------------------------------------------------------------

bool PhaseCounts::count(Site& site) {
    const SyncEvent& event = *site.event;
    const Term phase = m_phases.phase_of(event);
    std::vector<std::int64_t> threads;
    std::int64_t number = 0;
    for (const auto& bits : m_threads) {
        Copies of_thread = thread_copies(m_terms, bits);
        const bool may = !is_false(bits.empty() ? event.when : of_thread.of(event.when));
        if (may) {
            threads.push_back(number);
            const Term offset = bits.empty() ? event.offset : of_thread.of(event.offset);
            const Term in = bits.empty() ? phase : of_thread.of(phase);
            const auto known = std::ranges::find_if(
                site.shares, [&](const Share& share) { return share.offset == offset && share.phase == in; });
            if (known == site.shares.end())
                site.shares.push_back({offset, in, 1});
            else
                ++known->threads;
        }
        ++number;
    }
    if (event.count && !has_whole_warps(threads))
        return false;
    if (threads.size() > 1 && is_one_thread(event))
        site.shares = {{event.offset, phase, 1}};
    return find_times(site);
}

// A named barrier counts warps.
bool PhaseCounts::has_whole_warps(const std::vector<std::int64_t>& threads) const {
    if (m_threads.size() % lanes_of_warp != 0 || threads.size() % lanes_of_warp != 0)
        return false;
    for (std::size_t i = 0; i < threads.size(); i += lanes_of_warp)
        if (threads[i] % lanes_of_warp != 0 || threads[i + lanes_of_warp - 1] != threads[i] + lanes_of_warp - 1)
            return false;
    return true;
}

bool PhaseCounts::is_one_thread(const SyncEvent& event) {
    Copies other(m_terms, Same::InThread);
    std::vector<Term> is_same;
    for (const Term index : m_phases.m_facts.thread)
        is_same.push_back(m_terms.equal(index, other.of(index)));
    const Term phase = m_phases.phase_of(event);
    return m_phases.is_never({other.of(m_phases.m_facts.launched), event.when, other.of(event.when),
                              m_terms.equal(event.offset, other.of(event.offset)),
                              m_terms.equal(phase, other.of(phase)), m_terms.negate(m_terms.all(is_same))});
}

// How many of a thread's iterations fall into one phase: those of inner loops that have no say in it.
bool PhaseCounts::find_times(Site& site) {
    const SyncEvent& event = *site.event;
    const std::size_t depth = event.moment.loops.size();
    const Term phase = m_phases.phase_of(event);
    int first = std::numeric_limits<int>::max();
    for (const Moment::Around& around : event.moment.loops)
        if (around.iteration->kind == TermKind::Symbol)
            first = std::min(first, around.iteration->id);
    if (first == std::numeric_limits<int>::max())
        return true;
    Copies again(m_terms, Same::InBlock, first); // the same thread in another iteration
    for (std::size_t outer = depth + 1; outer-- > 0;) {
        if (outer < depth) {
            const Term extent = event.moment.loops[outer].extent;
            if (!extent || extent->highest == no_highest || extent->highest > most_made || extent->highest < 1)
                return false;
            site.times *= extent->highest;
        }
        std::vector<Term> is_same;
        for (std::size_t i = 0; i < outer; ++i)
            is_same.push_back(
                m_terms.equal(event.moment.loops[i].iteration, again.of(event.moment.loops[i].iteration)));
        if (outer == 0 ||
            m_phases.is_never({event.when, again.of(event.when), m_terms.equal(event.offset, again.of(event.offset)),
                               m_terms.equal(phase, again.of(phase)), m_terms.negate(m_terms.all(is_same))}))
            return true;
    }
    return false;
}

bool PhaseCounts::is_done_once(const SyncEvent& event) {
    Site site{&event, {}, 1};
    return find_times(site) && site.times == 1;
}

// ---- sums -------------------------------------------------------------------------------------------------------------------

bool PhaseCounts::may_meet(const Site& a, const Share& share, const Site& b, const Share& other) {
    if (a.event->object != b.event->object || is_false(m_terms.equal(share.offset, other.offset)))
        return false;
    if (&share == &other)
        return true;
    const std::pair key{static_cast<std::size_t>(&a - m_sites.data()), static_cast<std::size_t>(&b - m_sites.data())};
    if (const auto known = m_may_meet.find(key); known != m_may_meet.end())
        return known->second;
    const SyncEvent &x = *a.event, &y = *b.event;
    Copies of(m_terms, Same::InThread);
    return m_may_meet[key] = !m_phases.is_never({of.of(m_phases.m_facts.launched), x.when, of.of(y.when),
                                                 m_terms.equal(x.offset, of.of(y.offset)),
                                                 m_terms.equal(m_phases.phase_of(x), of.of(m_phases.phase_of(y)))});
}

// What comes in one phase: shares of which any two may.
struct PhaseCounts::Together {
    std::int64_t arrive = 0, come = 0, expected = 0;
};

bool PhaseCounts::add(Together& sum, const Site& site, const Share& share) const {
    const std::int64_t count = share.threads * site.times;
    if (counts_thread(*site.event))
        sum.arrive += count;
    if (!brings_bytes(*site.event) && !expects_bytes(*site.event))
        return true;
    const auto bytes = Terms::constant_of(site.event->bytes);
    if (!bytes || *bytes < 0)
        return false;
    (brings_bytes(*site.event) ? sum.come : sum.expected) += count * *bytes;
    return true;
}

// Goes through all sets of shares to which no other one can be added.
bool PhaseCounts::each_set(const std::vector<Member>& chosen, const std::vector<Member>& left, std::size_t from,
                           std::vector<Together>& out) {
    bool is_largest = true;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const bool fits = std::ranges::all_of(chosen, [&](const Member& each) {
            return each.second != left[i].second &&
                   may_meet(*each.first, *each.second, *left[i].first, *left[i].second);
        });
        if (!fits)
            continue;
        is_largest = false;
        if (i < from)
            continue;
        std::vector<Member> more = chosen;
        more.push_back(left[i]);
        if (!each_set(more, left, i + 1, out))
            return false;
    }
    if (!is_largest)
        return true;
    Together& sum = out.emplace_back();
    return out.size() <= most_made &&
           std::ranges::all_of(chosen, [&](const Member& each) { return add(sum, *each.first, *each.second); });
}

// A phase ends when as many have arrived as it waits for, so then all have that may; and all bytes have come that they expect.
bool PhaseCounts::check_site(const Site& site) {
    for (const Share& share : site.shares) {
        std::vector<Member> others;
        for (const Site& other : m_sites)
            for (const Share& each : other.shares)
                if (&each != &share && may_meet(site, share, other, each))
                    others.emplace_back(&other, &each);
        const std::int64_t threads = expected_threads(site, share);
        std::vector<Together> sums;
        if (threads <= 0 || others.size() > most_shares || !each_set({{&site, &share}}, others, 0, sums))
            return false;
        bool ends = false;
        for (const Together& sum : sums) {
            if (sum.arrive > threads || (sum.arrive == threads && sum.come > sum.expected))
                return false;
            ends = ends || (sum.arrive == threads && sum.come == sum.expected);
        }
        if (!ends)
            m_in_vain = site.event;
    }
    return true;
}

const SyncEvent* PhaseCounts::check() {
    const std::vector<SyncEvent>& events = m_phases.m_facts.syncs;
    if (m_threads.empty() && !place_threads())
        return &events.front();
    if (!find_barriers())
        return &*std::ranges::find(events, SyncKind::Init, &SyncEvent::kind);
    for (const SyncEvent& event : events) {
        if (!is_at_barrier(event) || event.kind == SyncKind::Init)
            continue;
        if (!is_made(event))
            return &event;
        if (event.kind == SyncKind::Wait)
            continue;
        Site& site = m_sites.emplace_back(Site{&event, {}, 1});
        if (!count(site))
            return &event;
    }
    for (const Site& site : m_sites)
        if (!check_site(site))
            return site.event;
    return nullptr;
}

} // namespace hidet::compiler::prove
