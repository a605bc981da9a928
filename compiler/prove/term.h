// SPDX-License-Identifier: Apache-2.0
// Terms over whole numbers, as a solver of satisfiability modulo theories takes them: what an index, a condition or an address
// of a kernel is in one thread. They have no width: that arithmetic of a script does not overflow is an assumption of proofs.
//
// Sums are kept as constants times terms, so that equal ones are one object and x - x is 0. A term knows of which threads it is:
// one that reads threadIdx is another in each, and a question about two threads has it twice.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hidet::compiler::prove {

enum class TermKind : std::uint8_t {
    Constant, // of numbers and, as 0 and 1, of conditions
    Symbol,
    Sum, // value + factors[0] * args[0] + ...
    Product,
    Quotient, // rounded down, by a number above 0
    Remainder,
    Apply, // of a function that is known by its name alone: memory that nobody writes, and bits
    Less,
    Equal,
    Not,
    And,
    Or,
    Choose, // args[0] ? args[1] : args[2]
};

// For whom a term is one and the same number.
enum class Same : std::uint8_t { InLaunch, InBlock, InThread };

struct TermNode;
using Term = const TermNode*;

inline constexpr std::int64_t no_lowest = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t no_highest = std::numeric_limits<std::int64_t>::max();

struct TermNode {
    TermKind kind{};
    bool is_condition = false;
    Same same = Same::InLaunch;
    std::int64_t value = 0; // Constant, Sum
    std::string name = {};  // Symbol, Apply
    std::vector<Term> args = {};
    std::vector<std::int64_t> factors = {}; // Sum
    Term given = nullptr;                   // Symbol, Apply: a condition that holds of it
    std::string why = {}; // Symbol, Apply: it may be fewer numbers than that says; empty: it is any of them
    int id = 0;           // in the order in which they were made
    int depth = 0;
    std::int64_t lowest = no_lowest, highest = no_highest; // of a number: it is never below or above
};

// Owns terms. Equal ones are one object, so that pointers compare. Makers fold what is constant.
class Terms {
public:
    Term constant(std::int64_t value);
    Term truth(bool value);
    // A number that is not known. `why`: see TermNode. Each is another one.
    Term symbol(const std::string& name, Same same, std::string why = "", std::int64_t lowest = no_lowest,
                std::int64_t highest = no_highest);
    // Of 0 to count - 1, as a sum of bits: then quotients by powers of two are sums, too.
    Term index_symbol(const std::string& name, Same same, std::int64_t count);
    Term condition_symbol(const std::string& name, Same same, std::string why);
    // What is known of a symbol: only while nobody has used it.
    void give(Term symbol, Term condition);

    Term add(Term a, Term b);
    Term sub(Term a, Term b) { return add(a, scaled(b, -1)); }
    Term scaled(Term a, std::int64_t by);
    Term multiply(Term a, Term b);
    Term quotient(Term a, Term b);  // rounded down
    Term remainder(Term a, Term b); // of that
    Term truncated_quotient(Term a, Term b);
    Term truncated_remainder(Term a, Term b);
    Term least(Term a, Term b) { return a == b ? a : choose(less(a, b), a, b); }
    Term greatest(Term a, Term b) { return a == b ? a : choose(less(a, b), b, a); }
    Term bit_and(Term a, Term b);
    Term bit_or(Term a, Term b);
    Term bit_xor(Term a, Term b);
    Term shift_left(Term a, Term b);
    Term shift_right(Term a, Term b);
    // Of the same arguments the same number, within [lowest, highest] where lowest <= highest.
    Term apply(const std::string& name, std::vector<Term> args, std::int64_t lowest, std::int64_t highest,
               std::string why, bool is_condition = false);

    Term less(Term a, Term b);
    Term less_equal(Term a, Term b) { return negate(less(b, a)); }
    Term equal(Term a, Term b);
    Term within(Term a, Term begin, Term end); // begin <= a < end
    Term negate(Term a);
    Term both(Term a, Term b);
    Term either(Term a, Term b) { return negate(both(negate(a), negate(b))); }
    Term all(const std::vector<Term>& of);
    Term beside(Term condition, Term given); // what it says beside what is given, of that it is made of
    Term any(const std::vector<Term>& of);
    Term choose(Term condition, Term a, Term b);
    Term as_number(Term condition);
    Term as_condition(Term number);

    static std::optional<std::int64_t> constant_of(Term term);
    int count() const { return static_cast<int>(m_nodes.size()); }

private:
    Term intern(TermNode node);
    Term equal_digits(Term difference);
    Term sum_of(std::int64_t value, std::vector<std::pair<Term, std::int64_t>> parts);
    Term beyond(bool is_condition, const char* why);
    static void bound(TermNode& node);
    Term bounded(Term term, std::int64_t lowest, std::int64_t highest);
    // The bits of both, from the lowest on; empty: one may be negative, or has too many.
    std::vector<std::pair<Term, Term>> bits_of(Term a, Term b);
    Term joined(const std::vector<std::pair<Term, Term>>& bits, const std::function<Term(Term, Term)>& of);
    Term quotient_of_rest(Term rest, std::int64_t by);
    Term shifted_by_each(Term a, Term b, Term (Terms::*shift)(Term, Term));

    std::deque<TermNode> m_nodes;
    std::unordered_multimap<std::size_t, Term> m_known;
    int m_symbols = 0;
};

inline bool is_true(Term term) {
    return term->kind == TermKind::Constant && term->value != 0;
}
inline bool is_false(Term term) {
    return term->kind == TermKind::Constant && term->value == 0;
}

} // namespace hidet::compiler::prove
