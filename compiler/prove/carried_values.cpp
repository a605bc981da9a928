// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/carried_values.h"

#include <algorithm>
#include <set>

#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

constexpr char changed[] = "a value that a loop changes";
constexpr std::size_t most_rings = 8; // lengths that are tried

// Terms that were made before the iteration say nothing of it.
bool is_invariant(Term term, int first_new) {
    return term->id < first_new && term->kind != TermKind::Apply;
}

void constants_in(Term term, std::set<std::int64_t>& out, std::set<Term>& seen) {
    if (!seen.insert(term).second)
        return;
    if ((term->kind == TermKind::Constant || term->kind == TermKind::Sum) && !term->is_condition)
        for (const std::int64_t value : {term->value, -term->value, term->value + 1})
            if (value > 1 && value < 1 << 20)
                out.insert(value);
    for (Term arg : term->args)
        constants_in(arg, out, seen);
}

} // namespace

std::string name_of(const CarriedValue& carried) {
    return carried.var->name;
}

EndsBy closes_group(IntrinsicId id) {
    switch (id) {
    case IntrinsicId::CpAsyncCommit:
    case IntrinsicId::CpAsyncWaitAll: return EndsBy::CopyGroup;
    case IntrinsicId::CopyBulkCommit: return EndsBy::BulkGroup;
    case IntrinsicId::WgmmaCommit: return EndsBy::Product;
    default: return EndsBy::Itself;
    }
}

std::vector<const Var*> carried_by(const StmtRef& body, const ThreadState& state) {
    std::vector<const Var*> out;
    const auto add = [&](const ExprRef& place) {
        const auto* var = as<Var>(place);
        if (var && state.variables.contains(var) && std::ranges::find(out, var) == out.end())
            out.push_back(var);
    };
    each_node(
        body, [&](const AssignStmt& assign) { add(assign.var); }, [&](const Address& address) { add(address.place); },
        [&](const AsmStmt& assembly) {
            for (const ExprRef& output : assembly.outputs)
                add(output);
        });
    return out;
}

Value value_at(Terms& terms, const CarriedValue& carried, Term iteration, std::vector<Term>& holds) {
    if (!carried.start)
        return carried.before.term || carried.before.object >= 0
                   ? Value{.term = carried.before.term
                                       ? terms.condition_symbol(name_of(carried), Same::InThread, changed)
                                       : nullptr}
                   : Value{};
    Term number = nullptr;
    if (carried.step) {
        const Term steps = carried.turns
                               ? terms.quotient(terms.add(carried.turns, iteration), terms.constant(carried.ring))
                               : iteration;
        number = terms.add(carried.start, terms.multiply(steps, carried.step));
        if (carried.around > 0)
            number = terms.remainder(number, terms.constant(carried.around));
    } else {
        const std::int64_t lowest = carried.is_at_least ? carried.start->lowest : no_lowest;
        number = terms.symbol(name_of(carried), carried.same, changed,
                              carried.is_not_negative ? std::max<std::int64_t>(lowest, 0) : lowest,
                              carried.is_at_most ? carried.start->highest : no_highest);
        if (carried.is_at_least)
            holds.push_back(terms.less_equal(carried.start, number));
        if (carried.is_at_most)
            holds.push_back(terms.less_equal(number, carried.start));
        if (carried.is_not_negative)
            holds.push_back(terms.less_equal(terms.constant(0), number));
    }
    Value out = carried.before;
    out.index.clear(), out.shape.clear(), out.views.clear();
    (out.object >= 0 ? out.offset : out.term) = number;
    return out;
}

void classify(Terms& terms, CarriedValue& carried, Term unknown, Term after, Term during, int first_new,
              const Ask& solver) {
    const Term step = terms.sub(after, unknown);
    if (Terms::constant_of(step) || is_invariant(step, first_new)) {
        carried.step = step;
        return;
    }
    std::set<std::int64_t> rings{2};
    std::set<Term> seen;
    constants_in(after, rings, seen);
    if (carried.before.object >= 0 || rings.size() > most_rings)
        return;
    const Term zero = terms.constant(0);
    for (const std::int64_t ring : rings) {
        const Term length = terms.constant(ring);
        if (ask(solver, {terms.negate(terms.within(carried.start, zero, length))}).can != Can::No)
            continue;
        for (const std::int64_t by : {1, -1}) {
            const Term next = terms.remainder(terms.add(unknown, terms.constant(by)), length);
            if (ask(solver, {during, terms.within(unknown, zero, length), terms.negate(terms.equal(after, next))})
                    .can != Can::No)
                continue;
            carried.step = terms.constant(by), carried.around = ring;
            return;
        }
    }
}

// Of a ring that is taken forwards.
bool follow_ring(Terms& terms, CarriedValue& carried, Term unknown, Term after, const CarriedValue& other,
                 Term other_unknown, Term during, const Ask& solver) {
    if (other.around == 0 || other.turns || terms.constant_of(other.step) != 1 || carried.before.object >= 0)
        return false;
    const Term zero = terms.constant(0), one = terms.constant(1), two = terms.constant(2);
    const Term length = terms.constant(other.around);
    const auto never = [&](std::vector<Term> conditions) { return ask(solver, conditions).can == Can::No; };
    if (after == other_unknown) { // one step behind it
        const Term last = terms.remainder(terms.add(other.start, terms.sub(length, one)), length);
        if (!never({terms.negate(terms.equal(carried.start, last))}))
            return false;
        carried.step = one, carried.around = other.around;
        return true;
    }
    const Term is_turn = terms.equal(terms.add(other_unknown, one), length);
    const Term next = terms.choose(is_turn, terms.sub(one, unknown), unknown);
    if (!never({terms.negate(terms.within(carried.start, zero, two))}) ||
        !never({during, terms.within(other_unknown, zero, length), terms.within(unknown, zero, two),
                terms.negate(terms.equal(after, next))}))
        return false;
    carried.step = one, carried.around = 2;
    carried.turns = other.start, carried.ring = other.around;
    return true;
}

void keep_bounds(Terms& terms, std::vector<CarriedValue*> carried, const std::vector<Term>& unknowns,
                 const std::vector<Term>& after, Term during, const Ask& solver) {
    struct Bound {
        bool CarriedValue::*keeps;
        std::size_t of;
        Term before, behind;
    };
    std::vector<Bound> bounds;
    const Term zero = terms.constant(0);
    for (std::size_t i = 0; i < carried.size(); ++i) {
        const Term start = carried[i]->start;
        bounds.push_back(
            {&CarriedValue::is_at_least, i, terms.less_equal(start, unknowns[i]), terms.less_equal(start, after[i])});
        bounds.push_back(
            {&CarriedValue::is_at_most, i, terms.less_equal(unknowns[i], start), terms.less_equal(after[i], start)});
        if (carried[i]->before.object < 0 && ask(solver, {terms.less(start, zero)}).can == Can::No)
            bounds.push_back({&CarriedValue::is_not_negative, i, terms.less_equal(zero, unknowns[i]),
                              terms.less_equal(zero, after[i])});
    }
    for (bool has_changed = true; has_changed && !bounds.empty();) {
        std::vector<Term> given{during};
        for (const Bound& bound : bounds)
            given.push_back(bound.before);
        const std::size_t count = bounds.size();
        std::erase_if(bounds, [&](const Bound& bound) {
            std::vector<Term> question = given;
            question.push_back(terms.negate(bound.behind));
            return ask(solver, question).can != Can::No;
        });
        has_changed = bounds.size() != count;
    }
    for (const Bound& bound : bounds)
        carried[bound.of]->*bound.keeps = true;
}

} // namespace hidet::compiler::prove
