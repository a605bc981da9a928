// SPDX-License-Identifier: Apache-2.0
// Ed25519 signatures of packages.
#pragma once

#include <string>
#include <string_view>

#include "lang/base/result.h"

namespace hidet::session {

struct Signature {
    std::string bytes;      // 64
    std::string public_key; // 64 hexadecimal digits: what others verify it with
};

// The key is a file with the seed of an Ed25519 key, 32 bytes or 64 hexadecimal digits. Error codes: "key-unreadable".
Result<Signature> sign(const std::string& key_path, std::string_view message);

} // namespace hidet::session
