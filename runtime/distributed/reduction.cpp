// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/reduction.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "lang/base/numeric.h"
#include "lang/base/text.h"

namespace hidet::distributed {

using package::Scalar;

namespace {

template <class T>
struct Plain {
    using Stored = T;
    using Sum = T;
    static T load(T stored) { return stored; }
    static T store(T value) { return value; }
};

template <class T, float (*to_f32)(T), T (*from_f32)(float)>
struct Narrow {
    using Stored = T;
    using Sum = float;
    static float load(T stored) { return to_f32(stored); }
    static T store(float value) { return from_f32(value); }
};

template <class T>
T add_elements(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}

template <class T>
T multiply_elements(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
        return a * b;
}

// A NaN of either side stays, as in PyTorch.
template <class T>
T least_element(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(b))
            return b;
    return b < a ? b : a;
}

template <class T>
T greatest_element(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(b))
            return b;
    return a < b ? b : a;
}

template <class Kind, class Combine, class Finish>
void reduce_elements(std::span<const std::byte* const> inputs, std::byte* output, std::size_t count, Combine combine,
                     Finish finish) {
    using Stored = typename Kind::Stored;
    for (std::size_t at = 0; at < count * sizeof(Stored); at += sizeof(Stored)) {
        const auto element = [at](const std::byte* input) {
            Stored stored;
            std::memcpy(&stored, input + at, sizeof stored);
            return Kind::load(stored);
        };
        auto value = element(inputs[0]);
        for (const std::byte* input : inputs.subspan(1))
            value = combine(value, element(input));
        const Stored stored = Kind::store(finish(value));
        std::memcpy(output + at, &stored, sizeof stored);
    }
}

template <class Kind>
void reduce_kind(Reduction reduction, std::span<const std::byte* const> inputs, std::byte* output, std::size_t count) {
    using Sum = typename Kind::Sum;
    const auto same = [](Sum value) { return value; };
    switch (reduction) {
    case Reduction::Sum: return reduce_elements<Kind>(inputs, output, count, add_elements<Sum>, same);
    case Reduction::Product: return reduce_elements<Kind>(inputs, output, count, multiply_elements<Sum>, same);
    case Reduction::Min: return reduce_elements<Kind>(inputs, output, count, least_element<Sum>, same);
    case Reduction::Max: return reduce_elements<Kind>(inputs, output, count, greatest_element<Sum>, same);
    case Reduction::Avg:
        return reduce_elements<Kind>(inputs, output, count, add_elements<Sum>, [size = inputs.size()](Sum sum) {
            return static_cast<Sum>(sum / static_cast<Sum>(size));
        });
    }
}

} // namespace

std::optional<Reduction> find_reduction(std::string_view name) {
    const auto found = std::ranges::find(reduction_names, name);
    if (found == std::end(reduction_names))
        return std::nullopt;
    return static_cast<Reduction>(found - std::begin(reduction_names));
}

std::string by(Reduction reduction) {
    return cat(" by ", reduction_names[static_cast<std::size_t>(reduction)]);
}

std::string refusal(Reduction reduction, Scalar dtype) {
    const std::string_view name = reduction_names[static_cast<std::size_t>(reduction)];
    if (dtype == Scalar::Bool && reduction != Reduction::Min && reduction != Reduction::Max)
        return cat("there is no '", name, "' of bool: 'max' is or, 'min' is and");
    if (reduction == Reduction::Avg && !package::is_real(dtype))
        return cat("there is no 'avg' of ", package::scalar_name(dtype), ": integers have no mean");
    return "";
}

void reduce(Reduction reduction, Scalar dtype, std::span<const std::byte* const> inputs, std::byte* output,
            std::size_t count) {
    switch (dtype) {
    case Scalar::Bool:
    case Scalar::U8: return reduce_kind<Plain<std::uint8_t>>(reduction, inputs, output, count);
    case Scalar::I8: return reduce_kind<Plain<std::int8_t>>(reduction, inputs, output, count);
    case Scalar::I16: return reduce_kind<Plain<std::int16_t>>(reduction, inputs, output, count);
    case Scalar::I32: return reduce_kind<Plain<std::int32_t>>(reduction, inputs, output, count);
    case Scalar::I64: return reduce_kind<Plain<std::int64_t>>(reduction, inputs, output, count);
    case Scalar::U16: return reduce_kind<Plain<std::uint16_t>>(reduction, inputs, output, count);
    case Scalar::U32: return reduce_kind<Plain<std::uint32_t>>(reduction, inputs, output, count);
    case Scalar::U64: return reduce_kind<Plain<std::uint64_t>>(reduction, inputs, output, count);
    case Scalar::F8E4M3:
        return reduce_kind<Narrow<std::uint8_t, e4m3_to_f32, f32_to_e4m3>>(reduction, inputs, output, count);
    case Scalar::F8E5M2:
        return reduce_kind<Narrow<std::uint8_t, e5m2_to_f32, f32_to_e5m2>>(reduction, inputs, output, count);
    case Scalar::F16:
        return reduce_kind<Narrow<std::uint16_t, f16_to_f32, f32_to_f16>>(reduction, inputs, output, count);
    case Scalar::BF16:
        return reduce_kind<Narrow<std::uint16_t, bf16_to_f32, f32_to_bf16>>(reduction, inputs, output, count);
    case Scalar::TF32:
    case Scalar::F32: return reduce_kind<Plain<float>>(reduction, inputs, output, count);
    case Scalar::F64: return reduce_kind<Plain<double>>(reduction, inputs, output, count);
    }
}

} // namespace hidet::distributed
