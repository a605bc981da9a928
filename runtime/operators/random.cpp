// SPDX-License-Identifier: Apache-2.0
// Numbers that depend on the seed alone, and are the same in every run.
#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/operators/table.h"

namespace hidet::operators::host_operator {

namespace {

struct Random { // as lang/tensor/random.h has it
    explicit Random(std::uint64_t seed) { reseed(seed); }
    double uniform(); // [0, 1)
    double normal();
    std::uint64_t next();
    void reseed(std::uint64_t seed);

    bool m_has_spare = false;
    double m_spare = 0;
    std::uint64_t m_state[4];
};
#include "lang/tensor/random.inl"

Random random_of(const Call& call) {
    return Random(std::bit_cast<std::uint64_t>(call.real("seed")));
}

bool count_in(Call& call, const Extents& shape, std::int64_t& count) {
    count = 1;
    for (std::size_t d = 0; d < shape.rank; ++d)
        if (shape[d] < 0 || __builtin_mul_overflow(count, shape[d], &count))
            return call.refuse("random numbers of the shape ", words_of(shape));
    return true;
}

// What draw(random) gives, in the shape and type of an attribute, or of the input where there is none.
bool give_drawn(Call& call, auto&& draw) {
    Extents shape;
    Element element = Element::F32;
    const List<std::int64_t> wanted = call.integers("shape");
    if (!call.inputs.empty()) {
        shape = extents_of(call.inputs[0]);
        element = call.inputs[0].element;
    } else if (wanted.size() <= most_rank) {
        for (const std::int64_t extent : wanted)
            shape.add(extent);
    }
    List<double> values;
    std::int64_t count = 0;
    if (!call.takes(0, 1, 1) || !call.element("dtype", element) || !count_in(call, shape, count) ||
        !call.make(values, count))
        return false;
    Random random = random_of(call);
    for (double& value : values)
        value = draw(random);
    return call.give(0, element, shape, values);
}

bool give_normal(Call& call) {
    const double mean = call.real("mean"), scale = call.real("scale", 1);
    return give_drawn(call, [&](Random& random) { return mean + scale * random.normal(); });
}

bool give_uniform(Call& call) {
    const double low = call.real("low"), high = call.real("high", 1);
    return give_drawn(call, [&](Random& random) { return low + (high - low) * random.uniform(); });
}

// From growing sums of weights, the first that is above what was drawn.
std::int64_t drawn_class(const List<double>& sums, double at) {
    const double* found = std::upper_bound(sums.begin(), sums.end(), at);
    return std::min<std::int64_t>(found - sums.begin(), sums.count - std::int64_t{1});
}

} // namespace

bool RandomNormal(Call& call) {
    return give_normal(call);
}

bool RandomNormalLike(Call& call) {
    return call.takes(1, 1, 1) && give_normal(call);
}

bool RandomUniform(Call& call) {
    return give_uniform(call);
}

bool RandomUniformLike(Call& call) {
    return call.takes(1, 1, 1) && give_uniform(call);
}

bool Bernoulli(Call& call) {
    List<double> values;
    if (!call.takes(1, 1, 1) || !call.read(call.inputs[0], values))
        return false;
    const double* next = values.items;
    return give_drawn(call, [&](Random& random) { return random.uniform() < *next++ ? 1.0 : 0.0; });
}

// The input has logarithms of probabilities that need not add up to one.
bool Multinomial(Call& call) {
    const std::int64_t size = call.integer("sample_size", 1);
    Element element = Element::I32;
    if (!call.takes(1, 1, 1) || !call.element("dtype", element))
        return false;
    const Tensor& x = call.inputs[0];
    if (x.rank != 2 || size < 0)
        return call.refuse("multinomial wants a tensor of two dimensions, and a sample size that is not negative");
    const std::int64_t rows = x.extents[0], classes = x.extents[1];
    if (classes < 1 && rows * size > 0)
        return call.refuse("multinomial cannot draw of no classes");
    List<double> logits, sums;
    List<std::int64_t> drawn;
    std::int64_t count = 0, next = 0;
    if (!count_in(call, {{rows, size}, 2}, count) || !call.read(x, logits) || !call.make(sums, classes) ||
        !call.make(drawn, count))
        return false;
    Random random = random_of(call);
    for (std::int64_t row = 0; row < (size > 0 ? rows : 0); ++row) {
        const double* from = logits.items + row * classes;
        const double largest = *std::max_element(from, from + classes);
        double sum = 0;
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] = sum += std::exp(from[i] - largest);
        for (std::int64_t i = 0; i < size; ++i)
            drawn[static_cast<std::size_t>(next++)] = drawn_class(sums, random.uniform() * sum);
    }
    return call.give(0, element, {{rows, size}, 2}, drawn);
}

} // namespace hidet::operators::host_operator
