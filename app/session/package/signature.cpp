// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/signature.h"

#include <array>
#include <cstring>

#include <sodium.h>

#include "lang/base/files.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using Seed = std::array<unsigned char, crypto_sign_SEEDBYTES>;

// A file has no end of line, or one behind its digits.
bool read_digits(std::string_view text, Seed& seed) {
    text = trimmed(text);
    std::size_t count = 0;
    return text.size() == 2 * seed.size() &&
           sodium_hex2bin(seed.data(), seed.size(), text.data(), text.size(), nullptr, &count, nullptr) == 0 &&
           count == seed.size();
}

Result<Seed> read_seed(const std::string& path) {
    const Result<std::string> read = read_file(path, 1024);
    if (!read && read.error().code != "file-too-large")
        return Error{"key-unreadable", read.error().message};
    const std::string text = read ? read.value() : "";
    Seed seed{};
    if (text.size() == seed.size())
        std::memcpy(seed.data(), text.data(), seed.size());
    else if (!read_digits(text, seed))
        return Error{"key-unreadable",
                     cat("'", path, "' is no key: the seed of one is 32 bytes, or 64 hexadecimal digits")};
    return seed;
}

} // namespace

Result<Signature> sign(const std::string& key_path, std::string_view message) {
    if (sodium_init() < 0)
        return Error{"key-unreadable", "libsodium does not work here"};
    HIDET_TRY(Seed seed, read_seed(key_path));
    unsigned char public_key[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES],
        signature[crypto_sign_BYTES];
    crypto_sign_seed_keypair(public_key, secret, seed.data());
    crypto_sign_detached(signature, nullptr, reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                         secret);
    sodium_memzero(secret, sizeof secret);
    sodium_memzero(seed.data(), seed.size());
    char digits[2 * sizeof public_key + 1];
    sodium_bin2hex(digits, sizeof digits, public_key, sizeof public_key);
    return Signature{std::string(reinterpret_cast<const char*>(signature), sizeof signature), digits};
}

} // namespace hidet::session
