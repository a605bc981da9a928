// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as numbers, by the C++ types that hold them. This text is included in anonymous namespaces that see the
// functions of numeric.h or numeric.inl, behind scalar.h: in lang/tensor, and in the runtime of packages, which links nothing
// of this folder.

// Types whose numbers are computed in another one. A double becomes one in one rounding: round_to() gives a double that the
// narrow conversion keeps exactly.
struct E4M3 {
    std::uint8_t bits;
    static E4M3 of(double value) { return {f32_to_e4m3(static_cast<float>(value))}; }
    double number() const { return static_cast<double>(e4m3_to_f32(bits)); }
};
struct E5M2 {
    std::uint8_t bits;
    static E5M2 of(double value) { return {f32_to_e5m2(static_cast<float>(value))}; }
    double number() const { return static_cast<double>(e5m2_to_f32(bits)); }
};
struct Half {
    std::uint16_t bits;
    static Half of(double value) { return {f32_to_f16(static_cast<float>(round_to_f16(value)))}; }
    double number() const { return static_cast<double>(f16_to_f32(bits)); }
};
struct Brain {
    std::uint16_t bits;
    static Brain of(double value) { return {f32_to_bf16(static_cast<float>(round_to_bf16(value)))}; }
    double number() const { return static_cast<double>(bf16_to_f32(bits)); }
};

template <class T>
double double_of(T value) {
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<double>(value);
    else
        return value.number();
}
template <class T>
std::int64_t integer_of(T value) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<std::int64_t>(value);
    else
        return scalar::saturate<std::int64_t>(double_of(value));
}
template <class T>
T from(double value) {
    if constexpr (std::is_same_v<T, bool>)
        return value != 0;
    else if constexpr (std::is_integral_v<T> && sizeof(T) < 4) // as in a kernel: an int32 first
        return static_cast<T>(scalar::saturate<std::int32_t>(value));
    else if constexpr (std::is_integral_v<T>)
        return scalar::saturate<T>(value);
    else if constexpr (std::is_arithmetic_v<T>)
        return static_cast<T>(value);
    else
        return T::of(value);
}
template <class T>
T from(std::int64_t value) {
    if constexpr (std::is_same_v<T, bool>)
        return value != 0;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(value);
    else
        return from<T>(static_cast<double>(value));
}
