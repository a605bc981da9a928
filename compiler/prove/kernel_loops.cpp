// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/prove/kernel_walk.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

// Breaks of this loop, and not of one in it.
bool is_left_early(const StmtRef& stmt) {
    bool found = false;
    each_node(
        stmt, [&](const BreakStmt&) { found = true; }, [](const ForStmt&) { return false; },
        [](const WhileStmt&) { return false; });
    return found;
}

// "while not try_wait(...)", "while test_wait(...) == 0": then it holds behind the loop.
bool asks_mbarrier(const ExprRef& condition) {
    ExprRef asked = condition;
    if (const auto* negated = as<Unary>(asked); negated && negated->op == UnOp::Not)
        asked = negated->a;
    else if (const auto* compared = as<Binary>(asked);
             compared && compared->op == BinOp::Eq && constant_int(compared->b) == 0)
        asked = compared->a;
    else
        return false;
    while (const auto* cast = as<Cast>(asked))
        asked = cast->a;
    const auto* call = as<Intrinsic>(asked);
    return call && (call->id == IntrinsicId::MbarrierTryWait || call->id == IntrinsicId::MbarrierTestWait);
}

constexpr std::int64_t most_later = 4;

bool returns(const StmtRef& body) {
    return any_of_nodes(body, [](const ReturnStmt&) { return true; });
}

// That a wait for groups in the body leaves under way, as far as that is a number; -1: it has none.
std::int64_t most_groups_waited_for(const StmtRef& body) {
    std::int64_t out = -1;
    each_node(body, [&](const Intrinsic& each) {
        if (each.id == IntrinsicId::CpAsyncWaitAll)
            out = std::max<std::int64_t>(out, 0);
        if (each.id == IntrinsicId::CpAsyncWait || each.id == IntrinsicId::CopyBulkWait ||
            each.id == IntrinsicId::WgmmaWait)
            out = std::max(out, std::max<std::int64_t>(constant_int(each.args[0]).value_or(0), 0));
    });
    return out;
}

Term number_of(const Value& value) {
    return value.object >= 0 ? value.offset : value.term && !value.term->is_condition ? value.term : nullptr;
}

} // namespace

void KernelWalk::run_loop(Loop loop) {
    if (loop.extent && is_true(m_terms.less_equal(loop.extent, m_terms.constant(0))))
        return;
    loop.is_left_early = is_left_early(loop.body);
    loop.place = m_place, loop.end = m_place + (places_of(*loop.body) + places_of(*loop.stmt)) / 2;
    const bool meets = does_meet(loop.body);
    follow_carried(loop, meets);
    if (meets)
        run_meeting_loop(loop);
    else
        run_open_loop(loop);
}

// Any iteration; where the loop does not run, any number.
Term KernelWalk::iteration_symbol(const Loop& loop, Same same, const char* why) {
    const bool is_bounded = loop.extent && loop.extent->highest != no_highest && loop.extent->highest > 0;
    return m_terms.symbol(loop.var ? loop.var->name : "iteration", same, why, 0,
                          is_bounded ? loop.extent->highest - 1 : no_highest);
}

void KernelWalk::run_iteration(Loop& loop, Term iteration, Term holds) {
    std::vector<Term> conditions{holds, m_terms.less_equal(m_terms.constant(0), iteration)};
    if (loop.extent)
        conditions.push_back(m_terms.less(iteration, loop.extent));
    for (const CarriedValue& carried : loop.carried)
        m_state.variables[carried.var] = value_at(m_terms, carried, iteration, conditions);
    if (loop.var)
        m_lets[loop.var] = {.term = iteration};
    m_loops.push_back({loop.place, iteration, loop.extent, loop.is_complete});
    m_place = loop.place + 1;
    under(m_terms.all(conditions), [&] {
        const Term known = std::exchange(m_comes_when, loop.meets ? m_when : m_comes_when);
        const Term goes_on = loop.condition ? loop_condition(loop, Waits::GoOn) : m_terms.truth(true);
        under(goes_on, [&] { return run(loop.body), 0; });
        m_comes_when = known;
        return 0;
    });
    m_loops.pop_back();
}

// Of a loop that asks an mbarrier until the phase is over, as one that goes on, or as one that has ended.
Term KernelWalk::loop_condition(const Loop& loop, Waits waits) {
    const Waits before = std::exchange(m_waits, asks_mbarrier(loop.condition) ? waits : Waits::AreAsked);
    const Term out = condition(loop.condition);
    m_waits = before;
    return out;
}

// What is known behind the loop.
void KernelWalk::leave_loop(Loop& loop, const ThreadState& before) {
    m_state.left = before.left;
    if (m_state.returned != before.returned)
        m_state.returned = m_terms.either(
            before.returned, m_terms.condition_symbol("returned", Same::InThread, "a loop that threads return from"));
    const Term zero = m_terms.constant(0);
    const Term count = loop.extent ? m_terms.greatest(loop.extent, zero)
                                   : m_terms.symbol("iterations", Same::InThread, "how often a loop runs");
    if (!loop.extent)
        m_terms.give(count, m_terms.less_equal(zero, count));
    std::vector<Term> holds;
    for (CarriedValue& carried : loop.carried) {
        if (loop.is_left_early)
            carried.step = nullptr, carried.around = 0, carried.turns = nullptr;
        m_state.variables[carried.var] = value_at(m_terms, carried, count, holds);
    }
    // Its condition holds no longer. That goes with the values, as statements to come are not below the loop.
    m_place = loop.end;
    const bool was_silent = m_is_silent;
    m_is_silent = was_silent || !loop.condition || !asks_mbarrier(loop.condition);
    if (loop.condition && !loop.is_left_early)
        holds.push_back(m_terms.negate(loop_condition(loop, Waits::AreOver)));
    m_is_silent = was_silent;
    if (!holds.empty())
        assume(m_terms.all(holds));
}

// Whether a while loop runs at an iteration whenever its condition holds there: it held at all before.
bool KernelWalk::is_reached(const Loop& loop) {
    const ThreadState before = m_state;
    const bool was_silent = std::exchange(m_is_silent, true);
    const auto goes_on = [&](Term iteration) {
        std::vector<Term> holds;
        for (const CarriedValue& carried : loop.carried)
            m_state.variables[carried.var] = value_at(m_terms, carried, iteration, holds);
        holds.push_back(loop_condition(loop, Waits::GoOn));
        return m_terms.all(holds);
    };
    const Term at = m_terms.symbol("iteration", Same::InThread, "", 0, no_highest);
    const Term earlier = m_terms.symbol("iteration", Same::InThread, "", 0, no_highest);
    const Term here = goes_on(at), there = goes_on(earlier);
    m_is_silent = was_silent;
    m_state = before;
    return ask(m_solver, {m_terms.less(earlier, at), m_when, here, m_terms.negate(there)}).can == Can::No;
}

void KernelWalk::run_open_loop(Loop& loop) {
    const ThreadState before = m_state;
    const char* const why = loop.is_left_early || returns(loop.body) ? "a loop that is left early"
                            : loop.condition && !is_reached(loop)    ? "how often a loop runs"
                                                                     : "";
    loop.is_complete = !*why;
    const Term iteration = iteration_symbol(loop, Same::InThread, why);
    const bool waits = loop.is_complete && most_groups_waited_for(loop.body) >= 0;
    if (waits)
        std::erase_if(m_state.open, &OpenAccess::is_under_way); // they are waited for at iterations of their own
    m_iterations.push_back(iteration);
    run_iteration(loop, iteration, m_terms.truth(true));
    m_iterations.pop_back();
    if (waits)
        wait_in_later_iterations(loop, before, iteration);
    leave_loop(loop, before);
}

// Copies that an iteration began are mostly waited for in one of the next ones, and those from before the loop in the first or
// the last one.
void KernelWalk::wait_in_later_iterations(Loop& loop, const ThreadState& before, Term iteration) {
    const ThreadState here = m_state;
    const std::int64_t later = std::min(most_groups_waited_for(loop.body) + 1, most_later);
    std::vector<OpenAccess> open = here.open;
    for (std::int64_t by = 1; by <= later; ++by) {
        const Term at = m_terms.add(iteration, m_terms.constant(by));
        if (!may_be_under_way(open, loop, at))
            break;
        open = left_open(loop, before, at, std::move(open));
    }
    std::vector<OpenAccess> earlier = before.open;
    std::erase_if(earlier, [](const OpenAccess& each) { return !each.is_under_way; });
    earlier = left_open(loop, before, m_terms.constant(0), std::move(earlier));
    if (loop.extent)
        earlier = left_open(loop, before, m_terms.sub(loop.extent, m_terms.constant(1)), std::move(earlier));
    m_state = here;
    m_state.open = std::move(earlier);
    m_state.open.insert(m_state.open.end(), open.begin(), open.end());
}

bool KernelWalk::may_be_under_way(const std::vector<OpenAccess>& open, const Loop& loop, Term iteration) {
    std::vector<Term> any;
    for (const OpenAccess& each : open)
        if (each.is_under_way)
            any.push_back(
                m_terms.both(m_facts.accesses[each.access].when, each.when ? each.when : m_terms.truth(true)));
    const Term runs = loop.extent ? m_terms.less(iteration, loop.extent) : m_terms.truth(true);
    return ask(m_solver, {m_facts.launched, runs, m_terms.any(any)}).can != Can::No;
}

// Behind an iteration that is told of nowhere, with these open before it.
std::vector<OpenAccess> KernelWalk::open_behind(Loop& loop, const ThreadState& before, Term iteration, Term holds,
                                                std::vector<OpenAccess> open) {
    const bool was_silent = std::exchange(m_is_silent, true);
    m_state = before;
    m_state.open = std::move(open);
    run_iteration(loop, iteration, holds);
    m_is_silent = was_silent;
    return std::move(m_state.open);
}

// The same of these alone, and not of what the iteration accesses itself.
std::vector<OpenAccess> KernelWalk::left_open(Loop& loop, const ThreadState& before, Term iteration,
                                              std::vector<OpenAccess> open) {
    if (std::ranges::none_of(open, &OpenAccess::is_under_way))
        return open;
    const std::size_t known = m_facts.accesses.size();
    open = open_behind(loop, before, iteration, m_terms.truth(true), std::move(open));
    std::erase_if(open, [&](const OpenAccess& each) { return each.access >= known; });
    m_facts.accesses.erase(m_facts.accesses.begin() + static_cast<std::ptrdiff_t>(known), m_facts.accesses.end());
    return open;
}

void KernelWalk::run_meeting_loop(Loop& loop) {
    const ThreadState before = m_state;
    const bool always_meets = meets_in_each_iteration(loop.body);
    loop.meets = true;
    loop.is_complete = loop.extent && !loop.is_left_early && !returns(loop.body);
    if (loop.is_left_early)
        obstacle(*loop.stmt, {nullptr, "a loop with barriers that is left early", false, true});
    if (loop.extent && loop.extent->same > meeting_same() && !m_is_silent)
        m_facts.meetings.push_back({loop.stmt, running(), m_state.returned, loop.extent, ""});
    const Term one = m_terms.constant(1), yes = m_terms.truth(true);
    const bool is_single = loop.extent && loop.extent == one;
    const bool was_repeated = std::exchange(m_is_repeated, m_is_repeated || !is_single);
    run_iteration(loop, m_terms.constant(0), yes); // behind what came before
    m_is_repeated = was_repeated;
    if (is_single)
        return leave_loop(loop, before);
    const Term iteration = iteration_symbol(loop, meeting_same(), loop.condition ? "how often a loop runs" : "");
    // What is open behind an iteration: also copies that began in any one before, or before the loop. And all of these, where an
    // iteration may meet nobody.
    const auto open_behind_all = [&](Term at, Term holds) {
        const Term earlier = iteration_symbol(loop, meeting_same(), "");
        std::vector<OpenAccess> open = open_behind(loop, before, earlier, m_terms.less(earlier, at), {});
        open.insert(open.begin(), before.open.begin(), before.open.end());
        if (always_meets)
            keep_open_behind_barrier(open);
        return open_behind(loop, before, at, holds, std::move(open));
    };
    std::vector<OpenAccess> end = open_behind_all(m_terms.sub(iteration, one), m_terms.less_equal(one, iteration));
    m_state = before;
    m_state.open = std::move(end);
    run_iteration(loop, iteration, yes);
    const Term last = loop.extent ? m_terms.sub(loop.extent, one)
                                  : m_terms.symbol("last iteration", meeting_same(), "how often a loop runs");
    std::vector<OpenAccess> open = open_behind_all(last, yes);
    const Term never_runs = loop.extent
                                ? m_terms.less_equal(loop.extent, m_terms.constant(0))
                                : m_terms.condition_symbol("never runs", meeting_same(), "how often a loop runs");
    for (OpenAccess each : before.open) {
        each.when = each.when ? m_terms.both(each.when, never_runs) : never_runs;
        if (!is_false(each.when))
            open.push_back(each);
    }
    m_state.open = std::move(open);
    leave_loop(loop, before);
}

// ---- what it changes --------------------------------------------------------------------------------------------------------

// One iteration with unknowns in the place of what is carried. False: one that was taken for the same in all threads of the
// block is not.
bool KernelWalk::walk_unknown(Loop& loop, bool meets, std::vector<Term>& unknowns, std::vector<Term>& after,
                              Term& during) {
    const ThreadState before = m_state;
    const bool was_silent = std::exchange(m_is_silent, true);
    const Term iteration = iteration_symbol(loop, meets ? meeting_same() : Same::InThread, "an iteration");
    unknowns.clear(), after.clear();
    for (const CarriedValue& carried : loop.carried) {
        unknowns.push_back(carried.start ? m_terms.symbol(name_of(carried), carried.same, "carried") : nullptr);
        Value value = carried.before;
        value.index.clear(), value.shape.clear(), value.views.clear();
        if (unknowns.back())
            (value.object >= 0 ? value.offset : value.term) = unknowns.back();
        else
            value = {.term =
                         value.term ? m_terms.condition_symbol(name_of(carried), Same::InThread, "carried") : nullptr};
        m_state.variables[carried.var] = value;
    }
    if (loop.var)
        m_lets[loop.var] = {.term = iteration};
    during = m_terms.both(m_when, m_terms.less_equal(m_terms.constant(0), iteration));
    if (loop.extent)
        during = m_terms.both(during, m_terms.less(iteration, loop.extent));
    m_loops.push_back({loop.place, iteration, loop.extent});
    m_place = loop.place + 1;
    under(during, [&] {
        const Term goes_on = loop.condition ? loop_condition(loop, Waits::GoOn) : m_terms.truth(true);
        during = m_terms.both(during, goes_on);
        return under(goes_on, [&] { return run(loop.body), 0; });
    });
    m_loops.pop_back();
    bool is_right = true;
    for (std::size_t i = 0; i < loop.carried.size(); ++i) {
        CarriedValue& carried = loop.carried[i];
        const Value& value = m_state.variables[carried.var];
        Term number = value.object == carried.before.object ? number_of(value) : nullptr;
        if (!number && unknowns[i])
            number = m_terms.symbol(name_of(carried), Same::InThread, "a value that a loop changes");
        after.push_back(number);
        if (number && carried.same != Same::InThread && number->same == Same::InThread)
            carried.same = Same::InThread, is_right = false;
    }
    m_is_silent = was_silent;
    m_state = before;
    return is_right;
}

void KernelWalk::follow_carried(Loop& loop, bool meets) {
    std::vector<const Var*> changed = carried_by(loop.body, m_state);
    const std::size_t variables = changed.size();
    for (const EndsBy kind : {EndsBy::CopyGroup, EndsBy::BulkGroup, EndsBy::Product})
        if (any_of_nodes(loop.body, [&](const Intrinsic& each) { return closes_group(each.id) == kind; }))
            groups(kind), changed.push_back(group_counter(kind));
    for (std::size_t i = 0; i < changed.size(); ++i) {
        const Var* var = changed[i];
        CarriedValue carried{var, m_state.variables[var]};
        if (i < variables && !m_is_host && !m_steering.contains(var))
            carried.before = {};
        carried.start = number_of(carried.before);
        carried.same =
            meets && carried.start
                ? std::min(carried.start->same, Same::InBlock) == carried.start->same ? Same::InBlock : Same::InThread
                : Same::InThread;
        loop.carried.push_back(std::move(carried));
    }
    if (loop.carried.empty())
        return;
    const int first_new = m_terms.count();
    std::vector<Term> unknowns, after;
    Term during = nullptr;
    while (!walk_unknown(loop, meets, unknowns, after, during)) {
    }
    std::vector<CarriedValue*> rest;
    std::vector<Term> rest_unknowns, rest_after;
    for (std::size_t i = 0; i < loop.carried.size(); ++i)
        if (loop.carried[i].start)
            classify(m_terms, loop.carried[i], unknowns[i], after[i], during, first_new, m_solver);
    for (std::size_t i = 0; i < loop.carried.size(); ++i) {
        CarriedValue& carried = loop.carried[i];
        const auto is_unknown = [&] { return carried.start && !carried.step; };
        for (std::size_t other = 0; other < loop.carried.size() && is_unknown(); ++other)
            follow_ring(m_terms, carried, unknowns[i], after[i], loop.carried[other], unknowns[other], during,
                        m_solver);
        if (is_unknown())
            rest.push_back(&carried), rest_unknowns.push_back(unknowns[i]), rest_after.push_back(after[i]);
    }
    if (!rest.empty())
        keep_bounds(m_terms, std::move(rest), rest_unknowns, rest_after, during, m_solver);
}

} // namespace hidet::compiler::prove
