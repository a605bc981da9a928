// SPDX-License-Identifier: Apache-2.0
// Where a piece of IR or generated code came from: bytes of the script, and the pass that made it.
// An origin is no part of a node's value: equality, hash, the printed form and cache keys do not see it.
#pragma once

#include <cstdint>

#include "lang/base/source.h"

namespace hidet {

using PassId = std::uint16_t; // 0 = written in the script; otherwise 1 + the row of compiler/transform/passes.def

struct Origin {
    Span span;
    PassId pass = 0;

    bool known() const { return span.known(); }
    friend bool operator==(const Origin&, const Origin&) = default;
};

// The bytes [begin, end) of a text came from there.
struct TokenOrigin {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    Origin origin;
    friend bool operator==(const TokenOrigin&, const TokenOrigin&) = default;
};

} // namespace hidet
