// SPDX-License-Identifier: Apache-2.0
// What an atomic leaves in memory.
#pragma once

#include <cstdint>

#include "compiler/artifact/program.h"

namespace hidet::vm {

// Bits in the low bytes; `b` is what AtomicCas writes where `old` is `a`, and which bits AtomicBits writes.
std::uint64_t update(artifact::Op op, artifact::Scalar type, std::uint64_t old, std::uint64_t a, std::uint64_t b);
// Value by value; `bytes` are a multiple of theirs.
void update_values(artifact::Op op, artifact::Scalar type, std::byte* to, const std::byte* from, int bytes);

// Whether an atomic access sees what those before it left: all but stores.
inline bool sees_earlier(artifact::Op op) {
    return op != artifact::Op::Store && op != artifact::Op::AtomicBits;
}

// Whether it reads; for bits of a byte nobody cares what the others are.
inline bool reads_first(artifact::Op op) {
    return sees_earlier(op) && op != artifact::Op::AtomicExchange;
}

} // namespace hidet::vm
