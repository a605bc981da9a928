// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/signature.h"

#include <cstring>
#include <optional>
#include <sodium.h>

#include "lang/base/files.h"
#include "lang/base/text.h"

namespace hidet::toolchain {

namespace {

static_assert(std::tuple_size_v<KeyBytes> == crypto_sign_SEEDBYTES);
static_assert(std::tuple_size_v<KeyBytes> == crypto_sign_PUBLICKEYBYTES);
static_assert(signature_bytes == crypto_sign_BYTES);

constexpr std::int64_t most_key_bytes = 1024;
constexpr std::int64_t most_keys_bytes = 1 << 20;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::optional<KeyBytes> key_in_digits(std::string_view text) {
    KeyBytes key{};
    std::size_t count = 0;
    const bool is_key = text.size() == 2 * key.size() &&
                        sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &count, nullptr) == 0;
    return is_key && count == key.size() ? std::optional(key) : std::nullopt;
}

Result<void> begin() {
    if (sodium_init() < 0)
        return Error{"key-unreadable", "libsodium does not work here"};
    return {};
}

} // namespace

Result<KeyBytes> read_seed(const std::string& path) {
    const Result<std::string> read = read_file(path, most_key_bytes);
    if (!read && read.error().code != "file-too-large")
        return Error{"key-unreadable", read.error().message};
    const std::string text = read ? read.value() : "";
    KeyBytes seed{};
    if (text.size() == seed.size()) {
        std::memcpy(seed.data(), text.data(), seed.size());
        return seed;
    }
    if (const std::optional<KeyBytes> digits = key_in_digits(trimmed(text)))
        return *digits;
    return Error{"key-unreadable",
                 cat("'", path, "' is no key: the seed of one is 32 bytes, or 64 hexadecimal digits")};
}

Result<Signature> sign(const KeyBytes& seed, std::string_view message) {
    if (Result<void> begun = begin(); !begun)
        return begun.error();
    Signature out{std::string(signature_bytes, '\0'), {}};
    unsigned char secret[crypto_sign_SECRETKEYBYTES];
    crypto_sign_seed_keypair(out.public_key.data(), secret, seed.data());
    crypto_sign_detached(reinterpret_cast<unsigned char*>(out.bytes.data()), nullptr, bytes_of(message), message.size(),
                         secret);
    sodium_memzero(secret, sizeof secret);
    return out;
}

Result<std::vector<KeyBytes>> read_public_keys(const std::string& path) {
    const Result<std::string> text = read_file(path, most_keys_bytes);
    if (!text)
        return Error{"key-unreadable", text.error().message};
    std::vector<KeyBytes> keys;
    for (const std::string& whole : split(text.value(), '\n')) {
        const std::string_view line = trimmed(std::string_view(whole).substr(0, whole.find('#')));
        if (line.empty())
            continue;
        const std::optional<KeyBytes> key = key_in_digits(line);
        if (!key)
            return Error{"key-unreadable",
                         cat("'", path, "': ", quote(line), " is no public key, which has 64 hexadecimal digits")};
        keys.push_back(*key);
    }
    return keys;
}

bool is_signed_by(const KeyBytes& public_key, std::string_view message, std::string_view signature) {
    return begin().ok() && signature.size() == signature_bytes &&
           crypto_sign_verify_detached(bytes_of(signature), bytes_of(message), message.size(), public_key.data()) == 0;
}

} // namespace hidet::toolchain
