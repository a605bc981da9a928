// SPDX-License-Identifier: Apache-2.0
// Elements of several processes become one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/package/scalar.h"

namespace hidet::distributed {

enum class Reduction : std::uint8_t { Sum, Product, Min, Max, Avg };
inline constexpr std::string_view reduction_names[] = {"sum", "prod", "min", "max", "avg"}; // as scripts say
std::optional<Reduction> find_reduction(std::string_view name);
std::string by(Reduction reduction); // " by sum"

// Why such elements cannot be reduced so; empty: they can.
std::string refusal(Reduction reduction, package::Scalar dtype);

// In the order of the inputs, so that all processes get the same bits. Reals of fewer bits are added up in f32, integers
// wrap. The output may be one of the inputs.
void reduce(Reduction reduction, package::Scalar dtype, std::span<const std::byte* const> inputs, std::byte* output,
            std::size_t count);

} // namespace hidet::distributed
