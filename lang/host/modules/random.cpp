// SPDX-License-Identifier: Apache-2.0
// random, by Python's generator and in Python's order: after seed(n) a script draws what CPython draws. Without a seed it
// draws what seed(0) gives, so that a script does the same on every machine and on every run.
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/members.h"

namespace hidet::lang {

namespace {

// MT19937 (Matsumoto and Nishimura), seeded by an array of words.
class Twister {
public:
    void seed(std::uint64_t number) {
        m_state[0] = 19650218;
        for (std::size_t i = 1; i < size; ++i)
            m_state[i] = 1812433253u * (m_state[i - 1] ^ m_state[i - 1] >> 30) + static_cast<std::uint32_t>(i);
        const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(number),
                                               static_cast<std::uint32_t>(number >> 32)};
        const std::size_t keys = key[1] ? 2 : 1;
        std::size_t i = 1;
        const auto next = [&] {
            if (++i < size)
                return;
            m_state[0] = m_state[size - 1];
            i = 1;
        };
        for (std::size_t step = 0; step < size; ++step, next())
            m_state[i] =
                (m_state[i] ^ mixed(i) * 1664525u) + key[step % keys] + static_cast<std::uint32_t>(step % keys);
        for (std::size_t step = 1; step < size; ++step, next())
            m_state[i] = (m_state[i] ^ mixed(i) * 1566083941u) - static_cast<std::uint32_t>(i);
        m_state[0] = 0x80000000u;
        m_at = size;
    }

    std::uint32_t word() {
        if (m_at == size)
            turn();
        std::uint32_t y = m_state[m_at++];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        return y ^ y >> 18;
    }

private:
    static constexpr std::size_t size = 624, middle = 397;
    std::uint32_t mixed(std::size_t i) const { return m_state[i - 1] ^ m_state[i - 1] >> 30; }
    void turn() {
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint32_t y = (m_state[i] & 0x80000000u) | (m_state[(i + 1) % size] & 0x7fffffffu);
            m_state[i] = m_state[(i + middle) % size] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0u);
        }
        m_at = 0;
    }

    std::array<std::uint32_t, size> m_state{};
    std::size_t m_at = size;
};

class Generator final : public WithMembers<Generator> {
public:
    Generator() { m_twister.seed(0); }
    std::string type_name() const override { return "Random"; }
    static std::span<const Member<Generator>> members();

    void seed(std::int64_t number) {
        m_twister.seed(number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number));
        m_second.reset();
    }
    double real() { // of [0, 1), a multiple of 2^-53
        const std::uint32_t high = m_twister.word() >> 5, low = m_twister.word() >> 6;
        return (high * 67108864.0 + low) / 9007199254740992.0;
    }
    std::uint64_t bits(int count) { // 1 to 64
        if (count <= 32)
            return m_twister.word() >> (32 - count);
        const std::uint64_t low = m_twister.word();
        return low | static_cast<std::uint64_t>(m_twister.word() >> (64 - count)) << 32;
    }
    std::uint64_t below(std::uint64_t limit) { // limit > 0
        const int count = std::bit_width(limit);
        std::uint64_t drawn = bits(count);
        while (drawn >= limit)
            drawn = bits(count);
        return drawn;
    }
    double normal() {
        if (m_second) {
            const double second = *m_second;
            m_second.reset();
            return second;
        }
        const double angle = real() * 6.28318530717958647692, length = std::sqrt(-2.0 * std::log(1.0 - real()));
        m_second = std::sin(angle) * length;
        return std::cos(angle) * length;
    }

private:
    Twister m_twister;
    std::optional<double> m_second; // normal numbers come in pairs
};

std::vector<Value> population(Evaluator& evaluator, const Arguments& a) {
    std::vector<Value> items = evaluator.iterate(a[0], a.span(0));
    if (items.empty())
        fail(DiagId::BadValue, a.span(0), "there is nothing to choose from");
    return items;
}

Value seed(Generator& generator, Evaluator&, Args& args, Span span) {
    const Arguments a(args, span, "seed", {"a=", "version="});
    generator.seed(a.has(0) ? a.integer(0) : 0);
    return {};
}

Value random(Generator& generator, Evaluator&, const Arguments&, Span) {
    return Value::real(generator.real());
}

Value uniform(Generator& generator, Evaluator&, const Arguments& a, Span) {
    const double low = a.real(0), high = a.real(1);
    return Value::real(low + (high - low) * generator.real());
}

Value gauss(Generator& generator, Evaluator&, const Arguments& a, Span) {
    return Value::real(a.real(0, 0) + generator.normal() * a.real(1, 1));
}

Value draw_bits(Generator& generator, Evaluator&, const Arguments& a, Span) {
    const std::int64_t count = a.integer(0);
    if (count < 0 || count > 63)
        fail(DiagId::BadValue, a.span(0), cat("getrandbits() gives 0 to 63 bits here, not ", count));
    return Value::integer(count ? static_cast<std::int64_t>(generator.bits(static_cast<int>(count))) : 0);
}

Value number_of_range(Generator& generator, std::int64_t start, std::int64_t stop, std::int64_t step, Span span) {
    const std::uint64_t from = static_cast<std::uint64_t>(start), to = static_cast<std::uint64_t>(stop);
    const std::uint64_t width = step > 0 ? to - from : from - to;
    const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    if (step == 0 || (step > 0 ? stop <= start : stop >= start))
        fail(DiagId::BadValue, span, cat("there is no number from ", start, " to below ", stop));
    const std::uint64_t drawn = generator.below((width - 1) / stride + 1);
    return Value::integer(static_cast<std::int64_t>(from + static_cast<std::uint64_t>(step) * drawn));
}

Value draw_range(Generator& generator, Evaluator&, const Arguments& a, Span span) {
    const bool has_stop = a.has(1);
    return number_of_range(generator, has_stop ? a.integer(0) : 0, has_stop ? a.integer(1) : a.integer(0),
                           a.integer(2, 1), span);
}

Value draw_int(Generator& generator, Evaluator&, const Arguments& a, Span span) {
    std::int64_t after = 0;
    if (__builtin_add_overflow(a.integer(1), 1, &after))
        fail(DiagId::IntegerOverflow, a.span(1), "the end of randint()");
    return number_of_range(generator, a.integer(0), after, 1, span);
}

Value choice(Generator& generator, Evaluator& evaluator, const Arguments& a, Span) {
    const std::vector<Value> items = population(evaluator, a);
    return items[generator.below(items.size())];
}

// How far the weights reach, one after the other; empty: all are the same.
std::vector<double> reaches(Evaluator& evaluator, const Arguments& a, std::size_t count) {
    const bool are_given = a.has(1), are_sums = a.has(2);
    std::vector<double> out;
    if (!are_given && !are_sums)
        return out;
    const std::size_t which = are_given ? 1 : 2;
    for (const Value& weight : evaluator.iterate(a[which], a.span(which))) {
        if (!weight.is_number())
            a.wrong_type(which, "a list of numbers");
        out.push_back(weight.as_double() + (are_given && !out.empty() ? out.back() : 0));
    }
    if (out.size() != count || !(out.back() > 0))
        fail(DiagId::BadValue, a.span(which),
             cat("one weight each is wanted for ", count, " items, with a sum above 0"));
    return out;
}

Value choices(Generator& generator, Evaluator& evaluator, const Arguments& a, Span span) {
    const std::vector<Value> items = population(evaluator, a);
    const std::vector<double> reach = reaches(evaluator, a, items.size());
    std::vector<Value> out;
    for (std::int64_t left = a.integer(3, 1); left > 0; --left) {
        evaluator.charge_steps(1, span);
        const double drawn = generator.real() * (reach.empty() ? static_cast<double>(items.size()) : reach.back());
        evaluator.impl().charge_items(reach.size(), span); // all may be looked at
        std::size_t at = reach.empty() ? static_cast<std::size_t>(drawn) : 0;
        while (!reach.empty() && at + 1 < reach.size() && reach[at] <= drawn)
            ++at;
        out.push_back(items[at]);
    }
    return evaluator.new_list(std::move(out));
}

Value shuffle(Generator& generator, Evaluator& evaluator, const Arguments& a, Span span) {
    if (!a[0].is(ValueKind::List))
        a.wrong_type(0, "a list");
    std::vector<Value>& items = as_sequence(a[0]).items;
    evaluator.charge_steps(items.size() / 2, span);
    for (std::size_t i = items.size(); i-- > 1;)
        std::swap(items[i], items[generator.below(i + 1)]);
    return {};
}

// Python keeps a pool of what is left where the sample is large, and else what it has drawn.
Value sample(Generator& generator, Evaluator& evaluator, const Arguments& a, Span span) {
    std::vector<Value> pool = population(evaluator, a);
    const std::int64_t wanted = a.integer(1);
    if (wanted < 0 || wanted > static_cast<std::int64_t>(pool.size()))
        fail(DiagId::BadValue, a.span(1), cat("a sample of ", wanted, " of ", pool.size(), " items"));
    const auto count = static_cast<std::size_t>(wanted);
    evaluator.charge_steps(count, span);
    std::size_t small = 21;
    if (count > 5)
        small += std::size_t{1} << 2 * static_cast<int>(
                                           std::ceil(std::log(3.0 * static_cast<double>(count)) / std::log(4.0)));
    std::vector<Value> out;
    std::vector<bool> taken(pool.size());
    for (std::size_t i = 0; i < count; ++i) {
        const bool has_pool = pool.size() <= small;
        std::size_t at = generator.below(has_pool ? pool.size() - i : pool.size());
        while (!has_pool && taken[at])
            at = generator.below(pool.size());
        taken[at] = true;
        out.push_back(pool[at]);
        if (has_pool)
            pool[at] = pool[pool.size() - i - 1];
    }
    return evaluator.new_list(std::move(out));
}

constexpr Member<Generator> functions[] = {
    {"choice", {"seq"}, choice},
    {"choices", {"population", "weights=", "*", "cum_weights=", "k="}, choices},
    {"gauss", {"mu=", "sigma="}, gauss},
    {"getrandbits", {"k"}, draw_bits},
    {"randint", {"a", "b"}, draw_int},
    {"random", {}, random},
    {"randrange", {"start", "stop=", "step="}, draw_range},
    {"sample", {"population", "k"}, sample},
    {"seed", seed},
    {"shuffle", {"x"}, shuffle},
    {"uniform", {"a", "b"}, uniform},
};

std::span<const Member<Generator>> Generator::members() {
    return functions;
}

} // namespace

void make_random(Evaluator&, HostModule& module) {
    const Ref<Generator> generator(new Generator);
    for (const Member<Generator>& row : functions)
        module.function(row.name, [generator, body = row.method](Evaluator& evaluator, Args& args, Span span) {
            return body(*generator, evaluator, args, span);
        });
    module.function("Random", {"x="}, [](Evaluator&, const Arguments& a, Span) {
        const Ref<Generator> made(new Generator);
        if (a.has(0))
            made->seed(a.integer(0));
        return Value::extension(made);
    });
}

} // namespace hidet::lang
