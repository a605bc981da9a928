// SPDX-License-Identifier: Apache-2.0
// The small float formats: their bits, and rounding to them. What operators mean is in scalar.h.
#pragma once

#include <cstdint>

namespace hidet {

// Round to nearest even; fp8 saturates, as the hardware's conversions do.
std::uint16_t f32_to_f16(float value);
float f16_to_f32(std::uint16_t bits);
std::uint16_t f32_to_bf16(float value);
float bf16_to_f32(std::uint16_t bits);
std::uint8_t f32_to_e4m3(float value);
float e4m3_to_f32(std::uint8_t bits);
std::uint8_t f32_to_e5m2(float value);
float e5m2_to_f32(std::uint8_t bits);

// One rounding, from double straight to the format.
double round_to_f16(double value);
double round_to_bf16(double value);
double round_to_tf32(double value);
double round_to_e4m3(double value);
double round_to_e5m2(double value);

} // namespace hidet
