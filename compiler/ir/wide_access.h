// SPDX-License-Identifier: Apache-2.0
// ldg, stg, lds, sts: so many bits at once between memory and registers. What they are follows from their names.
#pragma once

#include <optional>

#include "compiler/ir/intrinsic.h"

namespace hidet::ir {

struct WideAccess {
    bool is_load = false;
    bool is_shared = false; // else global, under a predicate
    bool is_last_use = false;
    int bits = 0;

    int registers() const { return bits < 32 ? 1 : bits / 32; } // the first operands; the address follows
    int bytes_of_register() const { return bits < 32 ? bits / 8 : 4; }
    int bytes() const { return bits / 8; }
    int bytes_at_once() const { return bytes() < 16 ? bytes() : 16; } // of an instruction, which wants them aligned
};
std::optional<WideAccess> wide_access(IntrinsicId id); // nothing: it is none

} // namespace hidet::ir
