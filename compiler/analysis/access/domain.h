// SPDX-License-Identifier: Apache-2.0
// Arithmetic on values of all threads of a block.
//
// An open variable stands for all numbers of a stretch at once. Where an operation cannot be said that way (a comparison that
// holds for some of them, a remainder) the domain notes where the stretch has to be cut, and whoever runs the kernel runs it
// again with more and shorter stretches, down to single numbers. So nothing is approximated; what remains open has the same
// guards and quotients for each of its numbers.
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "compiler/analysis/access/value.h"
#include "compiler/ir/expr.h"

namespace hidet::compiler::access {

struct Atom {
    std::string name;
    bool is_bounded = true; // else it may be any number: a dimension, what was read from memory
    std::int64_t begin = 0; // it stands for begin, begin + 1, ...
    std::int64_t count = 1;
    // Where its stretches begin, beside 0; `all`: each number is a stretch.
    std::set<std::int64_t> cuts;
    bool all = false;
};

struct Stretch {
    std::int64_t begin = 0, count = 1;
    double weight = 1; // how many numbers it stands for, over `count`: more than 1 where others were left out
};

class Domain {
public:
    explicit Domain(std::size_t threads) : m_threads(threads) {}
    std::size_t threads() const { return m_threads; }
    std::int64_t greatest(const Value& value) const; // of the threads' own

    int add_atom(std::string name, bool is_bounded);
    Atom& atom(int id) { return m_atoms[static_cast<std::size_t>(id)]; }
    const Atom& atom(int id) const { return m_atoms[static_cast<std::size_t>(id)]; }
    int atom_count() const { return static_cast<int>(m_atoms.size()); }
    static std::uint64_t bit(int atom) { return atom < 64 ? std::uint64_t{1} << atom : 0; }
    // The stretches of 0 to count - 1, at most so many.
    std::vector<Stretch> stretches(int atom, std::int64_t count, std::size_t most) const;

    // A stretch was cut since this was last asked.
    bool take_refined() { return std::exchange(m_refined, false); }
    void cut_all(int atom);
    void cut_all(const Terms& terms);

    // Values.
    static Value constant(std::int64_t value);
    static Value data(const char* why, bool same, std::uint64_t deps = 0);
    template <class F>
    Value each(F&& of) const { // of(thread)
        auto lanes = std::make_shared<Lanes>(m_threads);
        bool differs = false;
        for (std::size_t t = 0; t < m_threads; ++t) {
            (*lanes)[t].i = of(t);
            differs = differs || (*lanes)[t].i != lanes->front().i;
        }
        Value out = constant(differs ? 0 : lanes->front().i);
        if (differs)
            out.lanes = std::move(lanes);
        return out;
    }
    Value open(int atom) const; // the value of an open variable
    Value add(const Value& a, const Value& b, int sign = 1);
    Value times(const Value& a, const Value& b, ir::DType dtype);
    Value scaled(const Value& a, std::int64_t by) const;
    Value binary(ir::BinOp op, const Value& a, const Value& b, ir::DType dtype);
    Value least(const Value& a, const Value& b, bool greatest);
    Value select(const Value& condition, const Value& a, const Value& b);
    Value apply(ScalarOp op, ir::DType dtype, std::span<const Value> args); // element by element
    Value converted(const Value& a, ir::DType from, ir::DType to);
    // With the open variable at its last number: what is left of a value behind a loop.
    Value at_end(Value a, int atom) const;

    struct Bounds {
        std::int64_t lowest = 0, highest = 0;
        bool known = false;
    };
    Bounds bounds_of(const Terms& terms) const; // of their sum

private:
    Value compare(ir::BinOp op, const Value& a, const Value& b, ir::DType dtype);
    Value compared(const Value& difference, bool equality);
    Value floor_quotient(const Value& a, std::int64_t by);
    Value quotient(ir::BinOp op, const Value& a, const Value& b, ir::DType dtype);
    Value bits(ir::BinOp op, const Value& a, const Value& b, ir::DType dtype);
    Value computed(ir::BinOp op, const Value& a, const Value& b, ir::DType dtype);
    bool is_never_negative(const Value& a) const;
    void cut_where(const Term& term, std::int64_t base, bool equality);
    void cut_one_of(const Terms& terms);

    // What was made of numbers without open variables. Iterations and runs do the same sums over and over.
    struct Sum {
        ir::BinOp op{};
        ir::DType dtype{};
        std::shared_ptr<const Lanes> a, b;
        std::int64_t a_constant = 0, b_constant = 0;
        std::uint64_t a_deps = 0, b_deps = 0;
        friend bool operator==(const Sum&, const Sum&) = default;
    };
    struct SumHash {
        std::size_t operator()(const Sum& sum) const;
    };

    const std::size_t m_threads;
    std::vector<Atom> m_atoms;
    bool m_refined = false;
    std::unordered_map<Sum, Value, SumHash> m_sums;
};

} // namespace hidet::compiler::access
