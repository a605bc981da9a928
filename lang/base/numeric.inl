// SPDX-License-Identifier: Apache-2.0
// The functions of numeric.h. This text is included in namespaces: by numeric.cpp, and by the runtime of packages, which links
// nothing of this folder. What includes it has included <algorithm>, <bit>, <cmath>, <cstdint> and <limits>.

struct Format {
    int mantissa_bits;
    int lowest_exponent; // of the smallest normal number
    double largest;
    bool saturates;
};
inline constexpr Format f16{10, -14, 65504.0, false};
inline constexpr Format bf16{7, -126, 0x1.FEp127, false};
inline constexpr Format tf32{10, -126, 0x1.FFCp127, false};
inline constexpr Format e4m3{3, -6, 448.0, true};
inline constexpr Format e5m2{2, -14, 57344.0, true};

inline double round_to_format(double value, const Format& format) {
    if (std::isnan(value) || value == 0.0)
        return value;
    if (std::isinf(value))
        return format.saturates ? std::copysign(format.largest, value) : value;
    constexpr int bias = 1023, mantissa_of_double = 52;
    const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> mantissa_of_double & 0x7FF) - bias;
    const int quantum = std::max(exponent, format.lowest_exponent) - format.mantissa_bits;
    // The last bit of 1.5 * 2^(52 + quantum) is a quantum, so the addition rounds to even, and the subtraction is exact.
    const auto scale = static_cast<std::uint64_t>(mantissa_of_double + quantum + bias) << mantissa_of_double;
    const double align = std::bit_cast<double>(scale | std::uint64_t{1} << (mantissa_of_double - 1));
    const double rounded = value + align - align;
    if (std::fabs(rounded) <= format.largest)
        return std::copysign(rounded, value);
    return std::copysign(format.saturates ? format.largest : std::numeric_limits<double>::infinity(), value);
}

// Sign, exponent and mantissa of a value that the format holds exactly.
inline unsigned encode(double value, const Format& format, int total_bits) {
    unsigned sign = std::signbit(value) ? 1u << (total_bits - 1) : 0u;
    double magnitude = std::fabs(value);
    if (magnitude == 0.0)
        return sign;
    int exponent = std::max(std::ilogb(magnitude), format.lowest_exponent);
    auto mantissa = static_cast<unsigned>(std::ldexp(magnitude, format.mantissa_bits - exponent));
    unsigned hidden = 1u << format.mantissa_bits;
    if (mantissa < hidden)
        return sign | mantissa; // subnormal
    auto biased = static_cast<unsigned>(exponent - format.lowest_exponent + 1);
    return sign | (biased << format.mantissa_bits) | (mantissa - hidden);
}

inline double round_to_f16(double value) {
    return round_to_format(value, f16);
}
inline double round_to_bf16(double value) {
    return round_to_format(value, bf16);
}
inline double round_to_tf32(double value) {
    return round_to_format(value, tf32);
}
inline double round_to_e4m3(double value) {
    return round_to_format(value, e4m3);
}
inline double round_to_e5m2(double value) {
    return round_to_format(value, e5m2);
}

inline std::uint16_t f32_to_f16(float value) {
    auto bits = std::bit_cast<std::uint32_t>(value);
    auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    bits &= 0x7FFFFFFFu;
    if (bits > 0x7F800000u)
        return static_cast<std::uint16_t>(sign | 0x7FFFu);
    if (bits >= 0x477FF000u) // rounds to 65520 or more
        return static_cast<std::uint16_t>(sign | 0x7C00u);
    if (bits < 0x38800000u) { // subnormal: the addition aligns the mantissa and rounds it
        float aligned = std::bit_cast<float>(bits) + 0.5f;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3F000000u));
    }
    std::uint32_t odd = (bits >> 13) & 1u;
    bits += 0xC8000FFFu + odd; // rebias the exponent from 127 to 15, and round
    return static_cast<std::uint16_t>(sign | (bits >> 13));
}

inline float f16_to_f32(std::uint16_t bits) {
    std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    std::uint32_t magnitude = bits & 0x7FFFu;
    if (magnitude >= 0x7C00u)
        return std::bit_cast<float>(sign | 0x7F800000u | ((magnitude & 0x3FFu) << 13));
    if (magnitude >= 0x400u)
        return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
    float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign ? -value : value;
}

inline std::uint16_t f32_to_bf16(float value) {
    auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return 0x7FFFu;
    return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

inline float bf16_to_f32(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline std::uint8_t f32_to_e4m3(float value) {
    if (std::isnan(value))
        return static_cast<std::uint8_t>(std::signbit(value) ? 0xFFu : 0x7Fu);
    return static_cast<std::uint8_t>(encode(round_to_e4m3(value), e4m3, 8));
}

inline float e4m3_to_f32(std::uint8_t bits) {
    int mantissa = bits & 7;
    int exponent = (bits >> 3) & 15;
    if (exponent == 15 && mantissa == 7)
        return std::numeric_limits<float>::quiet_NaN();
    float value = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -9)
                                : std::ldexp(static_cast<float>(mantissa + 8), exponent - 10);
    return bits & 0x80 ? -value : value;
}

inline std::uint8_t f32_to_e5m2(float value) {
    if (std::isnan(value))
        return static_cast<std::uint8_t>(std::signbit(value) ? 0xFFu : 0x7Fu);
    return static_cast<std::uint8_t>(encode(round_to_e5m2(value), e5m2, 8));
}

inline float e5m2_to_f32(std::uint8_t bits) {
    return f16_to_f32(static_cast<std::uint16_t>(bits << 8)); // e5m2 is the upper half of an f16
}
