// SPDX-License-Identifier: Apache-2.0
// What is fixed about a call of an intrinsic at compile time. Apart from intrinsic.h, so that who only handles expressions
// does not depend on the table of intrinsics.
#pragma once

#include <array>
#include <cstdint>

namespace hidet::ir {

enum class IntrinsicId : std::uint16_t; // intrinsic.h

// A value for each attribute of the row, in the order of the row: the number of a word in its set, or a number itself.
// intrinsic.h reads and makes them by their types.
struct IntrinsicAttr {
    static constexpr std::size_t most = 7;
    IntrinsicId id{};
    std::array<std::int16_t, most> values{};
    bool operator==(const IntrinsicAttr&) const = default;
};

} // namespace hidet::ir
