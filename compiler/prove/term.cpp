// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/term.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_set>

namespace hidet::compiler::prove {

namespace {

using Part = std::pair<Term, std::int64_t>;

constexpr int most_depth = 4000;
constexpr std::size_t most_digits = 64;
constexpr char too_large[] = "a number of more than 64 bits";

std::size_t hash_of(const TermNode& node) {
    std::size_t out = static_cast<std::size_t>(node.kind) * 31 + (node.is_condition ? 1 : 0);
    const auto mix = [&](std::size_t with) { out = out * 1000003 + with; };
    mix(static_cast<std::size_t>(node.value));
    mix(std::hash<std::string>{}(node.name));
    for (Term arg : node.args)
        mix(static_cast<std::size_t>(arg->id));
    for (std::int64_t factor : node.factors)
        mix(static_cast<std::size_t>(factor));
    return out;
}

bool is_equal(const TermNode& a, const TermNode& b) {
    return a.kind == b.kind && a.is_condition == b.is_condition && a.value == b.value && a.name == b.name &&
           a.args == b.args && a.factors == b.factors;
}

// The constant and the parts of a number as a sum.
std::pair<std::int64_t, std::vector<Part>> parts_of(Term term) {
    if (term->kind == TermKind::Constant)
        return {term->value, {}};
    if (term->kind != TermKind::Sum)
        return {0, {{term, 1}}};
    std::vector<Part> parts;
    for (std::size_t i = 0; i < term->args.size(); ++i)
        parts.emplace_back(term->args[i], term->factors[i]);
    return {term->value, std::move(parts)};
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// Whether sums and products of such numbers stay far below 2^63: others are left as they are.
bool is_small(std::int64_t value) {
    return value < (std::int64_t{1} << 31) && value > -(std::int64_t{1} << 31);
}

} // namespace

std::optional<std::int64_t> Terms::constant_of(Term term) {
    return term->kind == TermKind::Constant ? std::optional(term->value) : std::nullopt;
}

// What a number is at least and at most, from what it is made of.
void Terms::bound(TermNode& node) {
    __extension__ typedef __int128 Wide; // NOLINT(modernize-use-using)
    const auto low = [](Term term) { return Wide(term->lowest); };
    const auto high = [](Term term) { return Wide(term->highest); };
    const auto is_open = [](Term term) { return term->lowest == no_lowest || term->highest == no_highest; };
    const auto set = [&](Wide lowest, Wide highest) {
        if (lowest > no_lowest && lowest < no_highest)
            node.lowest = static_cast<std::int64_t>(lowest);
        if (highest < no_highest && highest > no_lowest)
            node.highest = static_cast<std::int64_t>(highest);
    };
    switch (node.kind) {
    case TermKind::Sum: {
        Wide lowest = node.value, highest = node.value;
        bool has_lowest = true, has_highest = true;
        for (std::size_t i = 0; i < node.args.size(); ++i) {
            const Wide by = node.factors[i];
            const Term arg = node.args[i];
            const bool up = by > 0;
            has_lowest = has_lowest && (up ? arg->lowest != no_lowest : arg->highest != no_highest);
            has_highest = has_highest && (up ? arg->highest != no_highest : arg->lowest != no_lowest);
            lowest += by * (up ? low(arg) : high(arg)), highest += by * (up ? high(arg) : low(arg));
        }
        set(has_lowest ? lowest : Wide(no_lowest), has_highest ? highest : Wide(no_highest));
        return;
    }
    case TermKind::Product: {
        const Term a = node.args[0], b = node.args[1];
        if (a->lowest >= 0 && b->lowest >= 0)
            set(low(a) * low(b), is_open(a) || is_open(b) ? Wide(no_highest) : high(a) * high(b));
        return;
    }
    case TermKind::Quotient: {
        const Term a = node.args[0], b = node.args[1];
        if (a->lowest >= 0 && b->lowest > 0)
            set(0, a->highest == no_highest ? Wide(no_highest) : high(a) / low(b));
        else if (!is_open(a) && b->lowest == b->highest && b->lowest > 0)
            set(floor_quotient(a->lowest, b->lowest), floor_quotient(a->highest, b->lowest));
        return;
    }
    case TermKind::Remainder:
        if (node.args[1]->highest != no_highest)
            set(0, high(node.args[1]) - 1);
        return;
    case TermKind::Choose:
        set(std::min(low(node.args[1]), low(node.args[2])), std::max(high(node.args[1]), high(node.args[2])));
        return;
    default: return;
    }
}

// In the place of what is not followed any further.
Term Terms::beyond(bool is_condition, const char* why) {
    return is_condition ? condition_symbol("beyond", Same::InThread, why) : symbol("beyond", Same::InThread, why);
}

Term Terms::intern(TermNode node) {
    for (Term arg : node.args)
        node.same = std::max(node.same, arg->same), node.depth = std::max(node.depth, arg->depth + 1);
    if (node.depth > most_depth)
        return beyond(node.is_condition, "an expression that is too deep");
    const std::size_t hash = hash_of(node);
    const auto [begin, end] = m_known.equal_range(hash);
    for (auto at = begin; at != end; ++at)
        if (is_equal(*at->second, node))
            return at->second;
    if (!node.is_condition)
        bound(node);
    node.id = static_cast<int>(m_nodes.size());
    m_nodes.push_back(std::move(node));
    m_known.emplace(hash, &m_nodes.back());
    return &m_nodes.back();
}

Term Terms::constant(std::int64_t value) {
    return intern({.kind = TermKind::Constant, .value = value, .lowest = value, .highest = value});
}

Term Terms::truth(bool value) {
    return intern({.kind = TermKind::Constant, .is_condition = true, .value = value ? 1 : 0});
}

Term Terms::symbol(const std::string& name, Same same, std::string why, std::int64_t lowest, std::int64_t highest) {
    const Term out = intern({.kind = TermKind::Symbol,
                             .same = same,
                             .name = name + "!" + std::to_string(m_symbols++),
                             .why = std::move(why),
                             .lowest = lowest,
                             .highest = highest});
    if (lowest != no_lowest || highest != no_highest)
        give(out, bounded(out, lowest, highest));
    return out;
}

Term Terms::index_symbol(const std::string& name, Same same, std::int64_t count) {
    Term sum = constant(0);
    std::vector<Term> bits;
    for (std::int64_t step = 1; step < count; step *= 2) {
        bits.push_back(symbol(name, same, "", 0, 1));
        sum = add(sum, scaled(bits.back(), step));
    }
    if (!std::has_single_bit(static_cast<std::uint64_t>(count)))
        for (const Term bit : bits)
            give(bit, less(sum, constant(count)));
    return sum;
}

Term Terms::condition_symbol(const std::string& name, Same same, std::string why) {
    return intern({.kind = TermKind::Symbol,
                   .is_condition = true,
                   .same = same,
                   .name = name + "!" + std::to_string(m_symbols++),
                   .why = std::move(why)});
}

void Terms::give(Term symbol, Term condition) {
    auto& node = m_nodes[static_cast<std::size_t>(symbol->id)];
    node.given = node.given ? both(node.given, condition) : condition;
}

// ---- numbers ----------------------------------------------------------------------------------------------------------

Term Terms::sum_of(std::int64_t value, std::vector<Part> parts) {
    std::ranges::sort(parts, {}, [](const Part& part) { return part.first->id; });
    std::vector<Part> merged;
    for (const Part& part : parts) {
        if (merged.empty() || merged.back().first != part.first)
            merged.push_back(part);
        else if (__builtin_add_overflow(merged.back().second, part.second, &merged.back().second))
            return beyond(false, too_large);
    }
    std::erase_if(merged, [](const Part& part) { return part.second == 0; });
    if (merged.empty())
        return constant(value);
    if (merged.size() == 1 && value == 0 && merged[0].second == 1)
        return merged[0].first;
    TermNode node{.kind = TermKind::Sum, .value = value};
    for (const auto& [term, factor] : merged)
        node.args.push_back(term), node.factors.push_back(factor);
    return intern(std::move(node));
}

Term Terms::add(Term a, Term b) {
    auto [value, parts] = parts_of(a);
    const auto [more, others] = parts_of(b);
    parts.insert(parts.end(), others.begin(), others.end());
    std::int64_t all = 0;
    return __builtin_add_overflow(value, more, &all) ? beyond(false, too_large) : sum_of(all, std::move(parts));
}

Term Terms::scaled(Term a, std::int64_t by) {
    auto [value, parts] = parts_of(a);
    for (auto& [term, factor] : parts)
        if (__builtin_mul_overflow(factor, by, &factor))
            return beyond(false, too_large);
    return __builtin_mul_overflow(value, by, &value) ? beyond(false, too_large) : sum_of(value, std::move(parts));
}

Term Terms::multiply(Term a, Term b) {
    if (const auto by = constant_of(a); by && is_small(*by))
        return scaled(b, *by);
    if (const auto by = constant_of(b); by && is_small(*by))
        return scaled(a, *by);
    return intern({.kind = TermKind::Product, .args = {a, b}});
}

// What the divisor divides in a sum leaves it: (16 * i + j) // 16 is i + j // 16.
Term Terms::quotient(Term a, Term b) {
    const auto by = constant_of(b);
    if (!by || *by <= 0)
        return choose(less(constant(0), b), intern({.kind = TermKind::Quotient, .args = {a, b}}),
                      intern({.kind = TermKind::Quotient, .args = {scaled(a, -1), scaled(b, -1)}}));
    if (*by == 1)
        return a;
    if (const auto value = constant_of(a))
        return constant(floor_quotient(*value, *by));
    auto [value, parts] = parts_of(a);
    std::vector<Part> whole;
    std::erase_if(parts, [&](const Part& part) {
        if (part.second % *by != 0)
            return false;
        whole.emplace_back(part.first, part.second / *by);
        return true;
    });
    const std::int64_t outside = floor_quotient(value, *by);
    const Term rest = sum_of(value - outside * *by, std::move(parts));
    return add(sum_of(outside, std::move(whole)), quotient_of_rest(rest, *by));
}

// Of a sum whose parts the divisor does not divide.
Term Terms::quotient_of_rest(Term rest, std::int64_t by) {
    if (rest->lowest != no_lowest && rest->highest != no_highest &&
        floor_quotient(rest->lowest, by) == floor_quotient(rest->highest, by))
        return constant(floor_quotient(rest->lowest, by));
    if (rest->kind == TermKind::Quotient && constant_of(rest->args[1]) && is_small(by) &&
        is_small(rest->args[1]->value))
        return quotient(rest->args[0], constant(rest->args[1]->value * by));
    // What all parts but a small rest have in common with the divisor leaves both: (4 * x + r) // 8 is x // 2 where r is below 4.
    auto [value, parts] = parts_of(rest);
    std::int64_t common = by;
    std::vector<Part> large;
    std::ranges::sort(parts, std::greater<>{}, [](const Part& part) { return std::abs(part.second); });
    for (std::size_t i = 0; i < parts.size(); ++i) {
        common = std::gcd(common, parts[i].second);
        large.push_back(parts[i]);
        if (common == 1)
            break;
        const std::int64_t kept = floor_quotient(value, common) * common;
        const Term small =
            sum_of(value - kept, std::vector<Part>(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, parts.end()));
        if (small->lowest < 0 || small->highest >= common)
            continue;
        for (auto& [term, factor] : large)
            factor /= common;
        return quotient(sum_of(kept / common, std::move(large)), constant(by / common));
    }
    return intern({.kind = TermKind::Quotient, .args = {rest, constant(by)}});
}

Term Terms::remainder(Term a, Term b) {
    const auto by = constant_of(b);
    if (!by || *by <= 0)
        return sub(a, multiply(quotient(a, b), b));
    auto [value, parts] = parts_of(a);
    std::erase_if(parts, [&](const Part& part) { return part.second % *by == 0; });
    value -= floor_quotient(value, *by) * *by;
    const Term rest = sum_of(value, std::move(parts));
    const Term quotient_left = quotient(rest, b);
    if (quotient_left->kind != TermKind::Quotient)
        return sub(rest, scaled(quotient_left, *by));
    return intern({.kind = TermKind::Remainder, .args = {rest, b}});
}

Term Terms::truncated_quotient(Term a, Term b) {
    const Term zero = constant(0);
    if (a->lowest >= 0)
        return quotient(a, b);
    const Term negative = scaled(quotient(scaled(a, -1), b), -1);
    return choose(less(a, zero), negative, quotient(a, b));
}

Term Terms::truncated_remainder(Term a, Term b) {
    if (a->lowest >= 0 && b->lowest > 0)
        return remainder(a, b);
    return sub(a, multiply(truncated_quotient(a, b), b));
}

Term Terms::apply(const std::string& name, std::vector<Term> args, std::int64_t lowest, std::int64_t highest,
                  std::string why, bool is_condition) {
    const bool is_bounded = lowest <= highest && !is_condition;
    const Term out = intern({.kind = TermKind::Apply,
                             .is_condition = is_condition,
                             .name = name,
                             .args = std::move(args),
                             .why = std::move(why),
                             .lowest = is_bounded ? lowest : no_lowest,
                             .highest = is_bounded ? highest : no_highest});
    if (is_bounded && !out->given)
        give(out, bounded(out, lowest, highest));
    return out;
}

// As terms that do not fold: the bounds would make them true at once.
Term Terms::bounded(Term term, std::int64_t lowest, std::int64_t highest) {
    const auto at_most = [&](Term a, Term b) {
        return negate(intern({.kind = TermKind::Less, .is_condition = true, .args = {b, a}}));
    };
    const Term low = lowest == no_lowest ? truth(true) : at_most(constant(lowest), term);
    return highest == no_highest ? low : both(low, at_most(term, constant(highest)));
}

// ---- conditions -------------------------------------------------------------------------------------------------------

Term Terms::less(Term a, Term b) {
    const Term difference = sub(b, a);
    if (difference->lowest > 0 && difference->lowest != no_lowest)
        return truth(true);
    if (difference->highest <= 0)
        return truth(false);
    return intern({.kind = TermKind::Less, .is_condition = true, .args = {a, b}});
}

Term Terms::equal(Term a, Term b) {
    if (a == b)
        return truth(true);
    if (a->is_condition) {
        if (constant_of(a))
            return is_true(a) ? b : negate(b);
        if (constant_of(b))
            return is_true(b) ? a : negate(a);
    } else {
        const Term difference = sub(a, b);
        if (difference->lowest == 0 && difference->highest == 0)
            return truth(true);
        if (difference->lowest > 0 || difference->highest < 0)
            return truth(false);
        if (const Term digits = equal_digits(difference))
            return digits;
    }
    if (a->id > b->id)
        std::swap(a, b);
    return intern({.kind = TermKind::Equal, .is_condition = true, .args = {a, b}});
}

// 16 * x + y is 0 only where x and y are, if y is above -16 and below 16. Null: it has no such digits.
Term Terms::equal_digits(Term difference) {
    auto [value, parts] = parts_of(difference);
    if (parts.size() < 2 || parts.size() > most_digits)
        return nullptr;
    std::ranges::sort(parts, {}, [](const Part& part) { return std::pair(std::abs(part.second), part.first->id); });
    for (std::size_t low = 1; low < parts.size(); ++low) {
        std::int64_t base = 0;
        for (std::size_t i = low; i < parts.size(); ++i)
            base = std::gcd(base, parts[i].second);
        const std::int64_t rest = value - floor_quotient(value, base) * base;
        for (const std::int64_t digit : {rest, rest - base}) {
            const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(low);
            const Term first = sum_of(digit, {parts.begin(), middle});
            if (first->lowest <= -base || first->highest >= base || first->highest == no_highest)
                continue;
            return both(equal(first, constant(0)), equal(sum_of(value - digit, {middle, parts.end()}), constant(0)));
        }
    }
    return nullptr;
}

Term Terms::within(Term a, Term begin, Term end) {
    return both(less_equal(begin, a), less(a, end));
}

Term Terms::negate(Term a) {
    if (a->kind == TermKind::Constant)
        return truth(a->value == 0);
    if (a->kind == TermKind::Not)
        return a->args[0];
    return intern({.kind = TermKind::Not, .is_condition = true, .args = {a}});
}

Term Terms::both(Term a, Term b) {
    if (is_false(a) || is_true(b) || a == b)
        return a;
    if (is_true(a) || is_false(b))
        return b;
    if (negate(a) == b)
        return truth(false);
    return intern({.kind = TermKind::And, .is_condition = true, .args = {a, b}});
}

Term Terms::all(const std::vector<Term>& of) {
    Term out = truth(true);
    for (Term term : of)
        out = both(out, term);
    return out;
}

static void add_parts(Term condition, std::unordered_set<Term>& out) {
    if (out.insert(condition).second && condition->kind == TermKind::And)
        for (Term part : condition->args)
            add_parts(part, out);
}

Term Terms::beside(Term condition, Term given) {
    std::unordered_set<Term> known;
    add_parts(given, known);
    const auto rest = [&](const auto& again, Term of) -> Term {
        if (known.contains(of))
            return truth(true);
        return of->kind == TermKind::And ? both(again(again, of->args[0]), again(again, of->args[1])) : of;
    };
    return rest(rest, condition);
}

Term Terms::any(const std::vector<Term>& of) {
    TermNode node{.kind = TermKind::Or, .is_condition = true};
    for (Term term : of) {
        if (is_true(term))
            return term;
        if (!is_false(term))
            node.args.push_back(term);
    }
    if (node.args.size() < 2)
        return node.args.empty() ? truth(false) : node.args[0];
    return intern(std::move(node));
}

Term Terms::choose(Term condition, Term a, Term b) {
    if (condition->kind == TermKind::Constant)
        return is_true(condition) ? a : b;
    if (a == b)
        return a;
    if (a->is_condition && a->kind == TermKind::Constant && b->kind == TermKind::Constant)
        return is_true(a) ? condition : negate(condition);
    if (condition->kind == TermKind::Not)
        return choose(condition->args[0], b, a);
    return intern({.kind = TermKind::Choose, .is_condition = a->is_condition, .args = {condition, a, b}});
}

Term Terms::as_number(Term condition) {
    return condition->is_condition ? choose(condition, constant(1), constant(0)) : condition;
}

Term Terms::as_condition(Term number) {
    return number->is_condition ? number : negate(equal(number, constant(0)));
}

} // namespace hidet::compiler::prove
