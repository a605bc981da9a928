// SPDX-License-Identifier: Apache-2.0
// Digests of bytes: a fast one that tells whether they are as they were written, and one that nobody can find other bytes for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hidet::package {

struct Checksum {
    std::uint64_t low = 0, high = 0;
    friend bool operator==(const Checksum&, const Checksum&) = default;
};
Checksum checksum_of(const void* bytes, std::size_t count); // XXH3, 128 bits

struct Sha256 {
    std::uint64_t words[4] = {}; // the 32 bytes, in their order
    friend bool operator==(const Sha256&, const Sha256&) = default;
};
enum class Sha256By : std::uint8_t { Instructions, Portable }; // the processor's for it, where it has them
Sha256 sha256_of(const void* bytes, std::size_t count, Sha256By by = Sha256By::Instructions); // FIPS 180-4

} // namespace hidet::package
