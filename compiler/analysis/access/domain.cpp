// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/access/domain.h"

#include <algorithm>

namespace hidet::compiler::access {

using ir::BinOp;
using ir::DType;

namespace {

constexpr std::size_t most_cuts = 64;      // of a variable; one with more is looked at number by number
constexpr std::size_t most_kept = 1 << 19; // numbers of sums

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

Value unknown_of(const Value& a, const Value& b) {
    const Value& first = a.known || (!b.known && std::string_view(a.why) == floating_point) ? b : a;
    return Domain::data(first.why, a.is_uniform() && b.is_uniform(), a.deps | b.deps);
}

bool fits(std::int64_t lowest, std::int64_t highest, DType dtype) {
    return ir::wrap_to(lowest, dtype) == lowest && ir::wrap_to(highest, dtype) == highest;
}

} // namespace

std::int64_t Terms::of(int atom) const {
    for (const Term& term : *this)
        if (term.atom == atom)
            return term.by;
    return 0;
}

bool Terms::add(int atom, std::int64_t by) {
    std::size_t at = 0;
    while (at < m_count && m_terms[at].atom < atom)
        ++at;
    if (at < m_count && m_terms[at].atom == atom) {
        m_terms[at].by += by;
        if (m_terms[at].by != 0)
            return true;
        std::copy(m_terms.begin() + at + 1, m_terms.begin() + m_count, m_terms.begin() + at);
        --m_count;
        return true;
    }
    if (by == 0)
        return true;
    if (m_count == most)
        return false;
    std::copy_backward(m_terms.begin() + at, m_terms.begin() + m_count, m_terms.begin() + m_count + 1);
    m_terms[at] = {atom, by};
    ++m_count;
    return true;
}

// ---- open variables ---------------------------------------------------------------------------------------------------

int Domain::add_atom(std::string name, bool is_bounded) {
    Atom atom;
    atom.name = std::move(name), atom.is_bounded = is_bounded;
    m_atoms.push_back(std::move(atom));
    return atom_count() - 1;
}

std::vector<Stretch> Domain::stretches(int id, std::int64_t count, std::size_t most) const {
    const Atom& known = atom(id);
    std::vector<Stretch> out;
    if (known.all) {
        const auto taken = std::min<std::int64_t>(count, static_cast<std::int64_t>(most));
        for (std::int64_t i = 0; i < taken; ++i)
            out.push_back({taken == count ? i : i * (count - 1) / std::max<std::int64_t>(taken - 1, 1), 1, 1});
    } else {
        std::int64_t begin = 0;
        for (std::int64_t cut : known.cuts)
            if (cut > begin && cut < count)
                out.push_back({begin, cut - begin, 1}), begin = cut;
        if (begin < count)
            out.push_back({begin, count - begin, 1});
        while (out.size() > std::max<std::size_t>(most, 1))
            out.erase(out.begin() + static_cast<std::ptrdiff_t>(out.size() / 2));
    }
    std::int64_t looked_at = 0;
    for (const Stretch& stretch : out)
        looked_at += stretch.count;
    for (Stretch& stretch : out)
        stretch.weight = static_cast<double>(count) / static_cast<double>(looked_at);
    return out;
}

void Domain::cut_all(int id) {
    Atom& known = atom(id);
    if (!known.is_bounded || known.all || known.count <= 1)
        return;
    known.all = true;
    m_refined = true;
}

void Domain::cut_all(const Terms& terms) {
    for (const Term& term : terms)
        cut_all(term.atom);
}

// The one that has the fewest numbers: often the rest can then stay open.
void Domain::cut_one_of(const Terms& terms) {
    const Term* fewest = nullptr;
    for (const Term& term : terms)
        if (atom(term.atom).is_bounded && (!fewest || atom(term.atom).count < atom(fewest->atom).count))
            fewest = &term;
    if (fewest)
        cut_all(fewest->atom);
}

// Where base + by * variable becomes negative or stops being it, or is 0.
void Domain::cut_where(const Term& term, std::int64_t base, bool equality) {
    Atom& known = atom(term.atom);
    const auto cut = [&](std::int64_t at) {
        if (at > 0 && at < known.count && known.cuts.insert(known.begin + at).second)
            m_refined = true;
    };
    if (equality) {
        if (base % term.by != 0)
            return;
        cut(-base / term.by), cut(-base / term.by + 1);
    } else {
        cut(term.by > 0 ? -floor_div(base, term.by) : floor_div(base, -term.by) + 1);
    }
    if (known.cuts.size() > most_cuts)
        cut_all(term.atom);
}

Domain::Bounds Domain::bounds_of(const Terms& terms) const {
    Bounds out{0, 0, true};
    for (const Term& term : terms) {
        if (!atom(term.atom).is_bounded)
            return {};
        const std::int64_t end = term.by * (atom(term.atom).count - 1);
        (end < 0 ? out.lowest : out.highest) += end;
    }
    return out;
}

// ---- values -----------------------------------------------------------------------------------------------------------

Value Domain::constant(std::int64_t value) {
    Value out;
    out.known = true, out.constant = value;
    return out;
}

Value Domain::data(const char* why, bool same, std::uint64_t deps) {
    Value out;
    out.why = why, out.same = same, out.deps = deps;
    return out;
}

Value Domain::open(int id) const {
    const Atom& known = atom(id);
    Value out = constant(known.begin);
    if (known.count != 1 || !known.is_bounded)
        out.terms.add(id, 1);
    out.deps = bit(id);
    return out;
}

Value Domain::add(const Value& a, const Value& b, int sign) {
    if (!a.known || !b.known)
        return unknown_of(a, b);
    Value out = a;
    out.deps |= b.deps;
    out.constant += sign * b.constant;
    for (const Term& term : b.terms)
        if (!out.terms.add(term.atom, sign * term.by)) {
            cut_all(b.terms);
            return data("too many variables", false, out.deps);
        }
    if (b.lanes && !a.lanes && sign == 1) {
        out.lanes = b.lanes;
    } else if (b.lanes) {
        auto lanes = std::make_shared<Lanes>(a.lanes ? *a.lanes : Lanes(m_threads));
        for (std::size_t t = 0; t < m_threads; ++t)
            (*lanes)[t].i += sign * (*b.lanes)[t].i;
        out.lanes = std::move(lanes);
    }
    if (out.memory == Memory::None)
        out.memory = b.memory, out.object = b.object;
    else if (b.memory != Memory::None) // the distance of two addresses
        out.memory = Memory::None, out.object = -1;
    return out;
}

Value Domain::scaled(const Value& a, std::int64_t by) const {
    if (!a.known || by == 1)
        return a;
    Value out = constant(a.constant * by);
    out.deps = a.deps;
    if (by == 0)
        return out;
    for (const Term& term : a.terms)
        out.terms.add(term.atom, term.by * by);
    if (a.lanes) {
        auto lanes = std::make_shared<Lanes>(*a.lanes);
        for (ir::ScalarValue& lane : *lanes)
            lane.i *= by;
        out.lanes = std::move(lanes);
    }
    return out;
}

Value Domain::times(const Value& a, const Value& b, DType dtype) {
    if (a.is_constant() && a.memory == Memory::None)
        return scaled(b, a.constant);
    if (b.is_constant())
        return scaled(a, b.constant);
    if (!a.known || !b.known)
        return unknown_of(a, b);
    const Value pair[] = {a, b};
    return apply(ScalarOp::Mul, dtype, pair);
}

Value Domain::apply(ScalarOp op, DType dtype, std::span<const Value> args) {
    Value out = constant(0);
    bool is_uniform = true, is_known = true, is_open = false;
    for (const Value& arg : args) {
        out.deps |= arg.deps;
        is_known = is_known && arg.known;
        is_uniform = is_uniform && arg.is_uniform();
        is_open = is_open || !arg.terms.empty();
        if (arg.memory == Memory::Shared)
            out.memory = arg.memory, out.object = arg.object;
    }
    if (!is_known)
        return data(std::ranges::find(args, false, &Value::known)->why, is_uniform, out.deps);
    if (is_open) {
        bool has_bounds = true;
        for (const Value& arg : args) {
            has_bounds = has_bounds && bounds_of(arg.terms).known;
            cut_one_of(arg.terms);
        }
        return has_bounds ? out : data("depends on a size that is not known", is_uniform, out.deps);
    }
    if (is_uniform && args.size() <= 2) {
        out.constant = ir::apply(op, dtype, {.i = args[0].constant}, {.i = args.back().constant}).i;
        return out;
    }
    std::vector<Lanes> inputs(args.size());
    std::vector<const ir::ScalarValue*> pointers;
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (args[i].lanes && args[i].constant == 0) {
            pointers.push_back(args[i].lanes->data());
            continue;
        }
        inputs[i].resize(m_threads);
        for (std::size_t t = 0; t < m_threads; ++t)
            inputs[i][t].i = args[i].base(t);
        pointers.push_back(inputs[i].data());
    }
    auto result = std::make_shared<Lanes>(m_threads);
    ir::apply(op, dtype, pointers.data(), static_cast<int>(m_threads), result->data());
    out.lanes = std::move(result);
    return out;
}

std::size_t Domain::SumHash::operator()(const Sum& sum) const {
    std::size_t hash = static_cast<std::size_t>(sum.op) << 8 | static_cast<std::size_t>(sum.dtype);
    for (const std::uint64_t part :
         {reinterpret_cast<std::uint64_t>(sum.a.get()), reinterpret_cast<std::uint64_t>(sum.b.get()),
          static_cast<std::uint64_t>(sum.a_constant), static_cast<std::uint64_t>(sum.b_constant), sum.a_deps,
          sum.b_deps})
        hash = (hash ^ part) * 0x9e3779b97f4a7c15 + (hash >> 29);
    return hash;
}

Value Domain::binary(BinOp op, const Value& a, const Value& b, DType dtype) {
    const auto is_plain = [](const Value& value) {
        return value.known && value.terms.empty() && value.memory == Memory::None && value.object < 0;
    };
    const bool is_cheap = (!a.lanes && !b.lanes) || (op == BinOp::Add && (!a.lanes || !b.lanes));
    if (is_cheap || !is_plain(a) || !is_plain(b))
        return computed(op, a, b, dtype);
    Sum sum{op, dtype, a.lanes, b.lanes, a.constant, b.constant, a.deps, b.deps};
    if (const auto known = m_sums.find(sum); known != m_sums.end())
        return known->second;
    if (m_sums.size() * m_threads >= most_kept)
        m_sums.clear();
    return m_sums.emplace(std::move(sum), computed(op, a, b, dtype)).first->second;
}

Value Domain::computed(BinOp op, const Value& a, const Value& b, DType dtype) {
    switch (op) {
    case BinOp::Add: return add(a, b);
    case BinOp::Sub: return add(a, b, -1);
    case BinOp::Mul: return times(a, b, dtype);
    case BinOp::Div:
    case BinOp::Mod:
    case BinOp::FloorDiv:
    case BinOp::FloorMod: return quotient(op, a, b, dtype);
    case BinOp::Lt:
    case BinOp::Le:
    case BinOp::Eq:
    case BinOp::Ne: return compare(op, a, b, dtype);
    case BinOp::Shl:
        if (b.is_constant() && b.constant >= 0 && b.constant < 62)
            return scaled(a, std::int64_t{1} << b.constant);
        break;
    case BinOp::Shr:
        if (b.is_constant() && b.constant >= 0 && b.constant < 62 && a.known && !a.terms.empty())
            return floor_quotient(a, std::int64_t{1} << b.constant);
        break;
    case BinOp::BitAnd:
    case BinOp::BitOr:
    case BinOp::BitXor: return bits(op, a, b, dtype);
    default: break;
    }
    const Value pair[] = {a, b};
    return apply(ir::scalar_op(op), dtype, pair);
}

// ---- comparisons ------------------------------------------------------------------------------------------------------

Value Domain::compare(BinOp op, const Value& a, const Value& b, DType dtype) {
    if (!a.known || !b.known)
        return unknown_of(a, b);
    if (a.terms.empty() && b.terms.empty()) {
        const Value pair[] = {a, b};
        Value out = apply(ir::scalar_op(op), dtype, pair);
        out.memory = Memory::None;
        return out;
    }
    switch (op) {
    case BinOp::Lt: return compared(add(a, b, -1), false);
    case BinOp::Le: return compared(add(add(a, b, -1), constant(-1)), false);
    case BinOp::Eq: return compared(add(a, b, -1), true);
    default: return add(constant(1), compared(add(a, b, -1), true), -1);
    }
}

// difference < 0, or == 0.
Value Domain::compared(const Value& difference, bool equality) {
    const Bounds bounds = bounds_of(difference.terms);
    if (!bounds.known)
        return data("depends on a size that is not known", !difference.lanes, difference.deps);
    bool is_decided = true;
    const Term& single = *difference.terms.begin();
    const bool is_single = !difference.terms.empty() && difference.terms.begin() + 1 == difference.terms.end();
    const auto of = [&](std::size_t t) -> std::int64_t {
        const std::int64_t lowest = difference.base(t) + bounds.lowest, highest = difference.base(t) + bounds.highest;
        if (equality ? lowest > 0 || highest < 0 : lowest >= 0)
            return 0;
        if (equality ? lowest == 0 && highest == 0 : highest < 0)
            return 1;
        if (is_single && equality && difference.base(t) % single.by != 0)
            return 0;
        is_decided = false;
        if (is_single)
            cut_where(single, difference.base(t), equality);
        return 0;
    };
    Value out = difference.lanes ? each(of) : constant(of(0));
    out.deps = difference.deps;
    if (!is_decided && !is_single)
        cut_one_of(difference.terms);
    return out;
}

Value Domain::least(const Value& a, const Value& b, bool greatest) {
    if (!a.known || !b.known)
        return unknown_of(a, b);
    Value is_less = compare(BinOp::Lt, a, b, DType::I64);
    return greatest ? select(is_less, b, a) : select(is_less, a, b);
}

Value Domain::select(const Value& condition, const Value& a, const Value& b) {
    if (condition.is_constant()) {
        Value out = condition.constant ? a : b;
        out.deps |= condition.deps;
        return out;
    }
    if (!condition.known || !a.known || !b.known)
        return unknown_of(condition, unknown_of(a, b).known ? a : a.known ? b : a);
    if (a.memory != b.memory || a.object != b.object)
        return data("one of several addresses", false, a.deps | b.deps | condition.deps);
    Value out = a;
    out.deps |= b.deps | condition.deps;
    if (!(a.terms == b.terms)) {
        const Terms differ = add(a, b, -1).terms;
        if (!bounds_of(differ).known)
            return data("depends on a size that is not known", false, out.deps);
        cut_all(differ);
        return out;
    }
    auto lanes = std::make_shared<Lanes>(m_threads);
    for (std::size_t t = 0; t < m_threads; ++t)
        (*lanes)[t].i = condition.base(t) ? a.base(t) : b.base(t);
    out.constant = 0;
    out.lanes = std::move(lanes);
    return out;
}

// ---- quotients and bits -----------------------------------------------------------------------------------------------

bool Domain::is_never_negative(const Value& a) const {
    const Bounds bounds = bounds_of(a.terms);
    if (!bounds.known)
        return true; // sizes and indices
    for (std::size_t t = 0; t < (a.lanes ? m_threads : 1); ++t)
        if (a.base(t) + bounds.lowest < 0)
            return false;
    return true;
}

// What divides evenly leaves the quotient; the rest must lie between two multiples in every thread.
Value Domain::floor_quotient(const Value& a, std::int64_t by) {
    Value out = constant(0);
    out.deps = a.deps;
    Terms rest;
    for (const Term& term : a.terms)
        if (term.by % by == 0)
            out.terms.add(term.atom, term.by / by);
        else
            rest.add(term.atom, term.by);
    const Bounds bounds = bounds_of(rest);
    if (!bounds.known)
        return data("depends on a size that is not known", !a.lanes, a.deps);
    bool is_decided = true;
    const bool is_open = bounds.lowest != bounds.highest;
    const auto of = [&](std::size_t t) {
        const std::int64_t quotient = floor_div(a.base(t) + bounds.lowest, by);
        is_decided = is_decided && (!is_open || quotient == floor_div(a.base(t) + bounds.highest, by));
        return quotient;
    };
    const Value base = a.lanes ? each(of) : constant(of(0));
    if (!is_decided)
        cut_one_of(rest);
    out.constant = base.constant, out.lanes = base.lanes;
    return out;
}

Value Domain::quotient(BinOp op, const Value& a, const Value& b, DType dtype) {
    const bool is_floor = op == BinOp::FloorDiv || op == BinOp::FloorMod;
    const bool gives_rest = op == BinOp::Mod || op == BinOp::FloorMod;
    if (a.known && !a.terms.empty() && b.is_constant() && b.constant > 0 && (is_floor || is_never_negative(a))) {
        Value plain = a;
        plain.memory = Memory::None;
        const Value whole = floor_quotient(plain, b.constant);
        return gives_rest ? add(plain, scaled(whole, b.constant), -1) : whole;
    }
    const Value pair[] = {a, b};
    Value out = apply(ir::scalar_op(op), dtype, pair);
    out.memory = Memory::None;
    return out;
}

// Open parts that are multiples of a power of two are not touched by bits below it.
Value Domain::bits(BinOp op, const Value& a, const Value& b, DType dtype) {
    if (!a.known || !b.known)
        return unknown_of(a, b);
    if (a.terms.empty() && !b.terms.empty())
        return bits(op, b, a, dtype);
    const Value pair[] = {a, b};
    if (a.terms.empty() || !b.terms.empty())
        return apply(ir::scalar_op(op), dtype, pair);
    std::int64_t unit = std::int64_t{1} << 40;
    for (const Term& term : a.terms)
        unit = std::min(unit, term.by & -term.by);
    bool is_below = true;
    for (std::size_t t = 0; t < (b.lanes ? m_threads : 1); ++t)
        is_below = is_below && b.base(t) >= 0 && b.base(t) < unit;
    if (!is_below && op == BinOp::BitAnd && b.is_constant() && b.constant > 0 && (b.constant & (b.constant + 1)) == 0) {
        Value plain = a;
        plain.memory = Memory::None;
        return add(plain, scaled(floor_quotient(plain, b.constant + 1), b.constant + 1), -1);
    }
    if (!is_below)
        return apply(ir::scalar_op(op), dtype, pair);
    Value closed[] = {a, b};
    closed[0].terms = {};
    Value out = apply(ir::scalar_op(op), DType::I64, closed);
    if (op == BinOp::BitAnd)
        return out;
    out.terms = a.terms;
    return out;
}

std::int64_t Domain::greatest(const Value& value) const {
    std::int64_t most = value.base(0);
    for (std::size_t t = 1; value.lanes && t < m_threads; ++t)
        most = std::max(most, value.base(t));
    return most;
}

Value Domain::converted(const Value& a, DType from, DType to) {
    if (!a.known || from == to)
        return a;
    if (to == DType::Bool)
        return compare(BinOp::Ne, a, constant(0), from);
    const Bounds bounds = bounds_of(a.terms);
    std::int64_t lowest = a.base(0), highest = lowest;
    for (std::size_t t = 1; a.lanes && t < m_threads; ++t)
        lowest = std::min(lowest, a.base(t)), highest = std::max(highest, a.base(t));
    if (!a.terms.empty() || fits(lowest + bounds.lowest, highest + bounds.highest, to))
        return a;
    Value out = each([&](std::size_t t) { return ir::wrap_to(a.base(t), to); });
    out.memory = a.memory, out.object = a.object, out.deps = a.deps;
    return out;
}

Value Domain::at_end(Value a, int id) const {
    const std::int64_t by = a.terms.of(id);
    if (by == 0)
        return a;
    a.terms.add(id, -by);
    a.constant += by * (atom(id).count - 1);
    return a;
}

} // namespace hidet::compiler::access
