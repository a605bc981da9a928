// SPDX-License-Identifier: Apache-2.0
// Ed25519 signatures: of packages, and of what processes share.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/result.h"

namespace hidet::toolchain {

using KeyBytes = std::array<unsigned char, 32>;
inline constexpr std::size_t signature_bytes = 64;

struct Signature {
    std::string bytes;
    KeyBytes public_key; // what others verify it with
};

// A file with the seed of a key: 32 bytes, or 64 hexadecimal digits. "key-unreadable".
Result<KeyBytes> read_seed(const std::string& path);
// "key-unreadable": libsodium does not work here.
Result<Signature> sign(const KeyBytes& seed, std::string_view message);

// A file with public keys of 64 hexadecimal digits, one in a line, and comments behind '#'. "key-unreadable".
Result<std::vector<KeyBytes>> read_public_keys(const std::string& path);
bool is_signed_by(const KeyBytes& public_key, std::string_view message, std::string_view signature);

} // namespace hidet::toolchain
