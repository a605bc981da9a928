// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/copies.h"

#include <algorithm>

namespace hidet::compiler::prove {

void Copies::replace(Term symbol, Term by) {
    m_known[symbol] = by;
    m_first_replaced = m_first_replaced < 0 ? symbol->id : std::min(m_first_replaced, symbol->id);
}

Term Copies::of(Term term) {
    if (m_first_replaced < 0 ? term->same < m_least || term->id < m_first
                             : term->id < std::min(m_first, m_first_replaced))
        return term;
    const auto known = m_known.find(term);
    if (known != m_known.end())
        return known->second;
    const Term out = copied(term);
    m_known.emplace(term, out);
    return out;
}

Term Copies::copied(Term term) {
    const auto arg = [&](std::size_t i) { return of(term->args[i]); };
    switch (term->kind) {
    case TermKind::Constant: return term;
    case TermKind::Symbol: {
        if (term->same < m_least || term->id < m_first)
            return term;
        const std::string name = term->name + "'";
        const Term out = term->is_condition ? m_terms.condition_symbol(name, term->same, term->why)
                                            : m_terms.symbol(name, term->same, term->why, term->lowest, term->highest);
        m_known.emplace(term, out); // what is given of it names it
        if (term->given)
            m_terms.give(out, of(term->given)); // its bounds once more, which are the same term
        return out;
    }
    case TermKind::Sum: {
        Term sum = m_terms.constant(term->value);
        for (std::size_t i = 0; i < term->args.size(); ++i)
            sum = m_terms.add(sum, m_terms.scaled(arg(i), term->factors[i]));
        return sum;
    }
    case TermKind::Product: return m_terms.multiply(arg(0), arg(1));
    case TermKind::Quotient: return m_terms.quotient(arg(0), arg(1));
    case TermKind::Remainder: return m_terms.remainder(arg(0), arg(1));
    case TermKind::Apply: {
        std::vector<Term> args;
        for (std::size_t i = 0; i < term->args.size(); ++i)
            args.push_back(arg(i));
        const Term out =
            m_terms.apply(term->name, std::move(args), term->lowest, term->highest, term->why, term->is_condition);
        m_known.emplace(term, out);
        if (term->given && !out->given)
            m_terms.give(out, of(term->given));
        return out;
    }
    case TermKind::Less: return m_terms.less(arg(0), arg(1));
    case TermKind::Equal: return m_terms.equal(arg(0), arg(1));
    case TermKind::Not: return m_terms.negate(arg(0));
    case TermKind::And: return m_terms.both(arg(0), arg(1));
    case TermKind::Or: {
        std::vector<Term> args;
        for (std::size_t i = 0; i < term->args.size(); ++i)
            args.push_back(arg(i));
        return m_terms.any(args);
    }
    case TermKind::Choose: return m_terms.choose(arg(0), arg(1), arg(2));
    }
    return term;
}

} // namespace hidet::compiler::prove
