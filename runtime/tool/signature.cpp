// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/signature.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sodium.h>

#include "lang/base/files.h"
#include "runtime/tool/stop.h"

namespace hidet::tool {

static_assert(std::tuple_size_v<PublicKey> == crypto_sign_PUBLICKEYBYTES);

static bool read_digits(std::string text, PublicKey& key) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    if (text.size() != 2 * key.size())
        return false;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const char* digits = text.data() + 2 * i;
        auto [end, error] = std::from_chars(digits, digits + 2, key[i], 16);
        if (error != std::errc() || end != digits + 2)
            return false;
    }
    return true;
}

PublicKey read_key(const std::string& path) {
    const Result<std::string> read = read_file(path, 1024);
    if (!read && read.error().code != "file-too-large")
        throw Stop{exit_usage, read.error().message};
    const std::string text = read ? read.value() : "";
    PublicKey key = {};
    if (text.size() == key.size())
        std::copy(text.begin(), text.end(), key.begin());
    else if (!read_digits(text, key))
        throw Stop{exit_usage, "'" + path + "' is no public key: 32 bytes, or 64 hexadecimal digits"};
    return key;
}

bool is_signed_by(const PublicKey& key, std::span<const std::byte> message, std::span<const std::byte> signature) {
    if (sodium_init() < 0 || signature.size() != crypto_sign_BYTES)
        return false;
    return crypto_sign_verify_detached(reinterpret_cast<const unsigned char*>(signature.data()),
                                       reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                                       key.data()) == 0;
}

} // namespace hidet::tool
