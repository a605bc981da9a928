// SPDX-License-Identifier: Apache-2.0
#include "lang/base/numeric.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace hidet {

namespace small_floats {
#include "lang/base/numeric.inl"
} // namespace small_floats

double round_to_f16(double value) {
    return small_floats::round_to_f16(value);
}
double round_to_bf16(double value) {
    return small_floats::round_to_bf16(value);
}
double round_to_tf32(double value) {
    return small_floats::round_to_tf32(value);
}
double round_to_e4m3(double value) {
    return small_floats::round_to_e4m3(value);
}
double round_to_e5m2(double value) {
    return small_floats::round_to_e5m2(value);
}
std::uint16_t f32_to_f16(float value) {
    return small_floats::f32_to_f16(value);
}
float f16_to_f32(std::uint16_t bits) {
    return small_floats::f16_to_f32(bits);
}
std::uint16_t f32_to_bf16(float value) {
    return small_floats::f32_to_bf16(value);
}
float bf16_to_f32(std::uint16_t bits) {
    return small_floats::bf16_to_f32(bits);
}
std::uint8_t f32_to_e4m3(float value) {
    return small_floats::f32_to_e4m3(value);
}
float e4m3_to_f32(std::uint8_t bits) {
    return small_floats::e4m3_to_f32(bits);
}
std::uint8_t f32_to_e5m2(float value) {
    return small_floats::f32_to_e5m2(value);
}
float e5m2_to_f32(std::uint8_t bits) {
    return small_floats::e5m2_to_f32(bits);
}

} // namespace hidet
