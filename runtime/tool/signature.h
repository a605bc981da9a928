// SPDX-License-Identifier: Apache-2.0
// Ed25519 signatures of packages: one key, and whether a signature was made with its other half.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace hidet::tool {

using PublicKey = std::array<unsigned char, 32>;

// Of a file with its 32 bytes, or with 64 hexadecimal digits. Stops where it is neither.
PublicKey read_key(const std::string& path);
bool is_signed_by(const PublicKey& key, std::span<const std::byte> message, std::span<const std::byte> signature);

} // namespace hidet::tool
