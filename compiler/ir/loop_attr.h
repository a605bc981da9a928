// SPDX-License-Identifier: Apache-2.0
// How a loop wants to be run: ".", "u", "u4", "u+", "p", "p8" (language.md 1.5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hidet::ir {

struct LoopAttr {
    enum class What : std::uint8_t { Plain, Unroll, UnrollExplicit, Parallel };
    What what = What::Plain;
    std::int64_t count = 0; // Unroll: factor, Parallel: threads; 0 = not given

    friend bool operator==(const LoopAttr&, const LoopAttr&) = default;
};

std::string to_string(const LoopAttr& attr); // "." for a plain loop
// A sequence such as "u+ . p4"; nothing when it is not one.
std::optional<std::vector<LoopAttr>> parse_loop_attrs(std::string_view text);

} // namespace hidet::ir
