// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/cache_entry.h"

#include <cstdint>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lang/base/check.h"
#include "lang/base/text_hash.h"
#include "runtime/toolchain/cache.h"

namespace hidet::toolchain {

namespace {

constexpr char magic[8] = {'h', 'i', 'd', 'e', 't', 'c', 'c', '2'};

struct Head {
    char magic[8];
    std::uint64_t size;
    XXH128_canonical_t hash;
    char key[32];
};
static_assert(sizeof(Head) == 64);

Head head_of(std::string_view key, std::string_view bytes) {
    Head head{};
    std::memcpy(head.magic, magic, sizeof magic);
    head.size = bytes.size();
    XXH128_canonicalFromHash(&head.hash, XXH3_128bits(bytes.data(), bytes.size()));
    HIDET_CHECK(key.size() == sizeof head.key, key);
    std::memcpy(head.key, key.data(), sizeof head.key);
    return head;
}

} // namespace

std::string entry_head(std::string_view key, std::string_view bytes) {
    Head head = head_of(key, bytes);
    return {reinterpret_cast<const char*>(&head), sizeof head};
}

std::optional<std::string> entry_bytes(std::string_view key, std::string file) {
    if (file.size() < sizeof(Head))
        return std::nullopt;
    if (file.compare(0, sizeof(Head), entry_head(key, std::string_view(file).substr(sizeof(Head)))) != 0)
        return std::nullopt;
    file.erase(0, sizeof(Head));
    return file;
}

std::string cache_key(const std::vector<std::string_view>& parts) {
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    for (std::string_view part : parts) {
        std::uint64_t size = part.size();
        XXH3_128bits_update(&state, &size, sizeof size);
        XXH3_128bits_update(&state, part.data(), part.size());
    }
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(&state));
    return hex_digits({reinterpret_cast<const char*>(hash.digest), sizeof hash.digest});
}

} // namespace hidet::toolchain
