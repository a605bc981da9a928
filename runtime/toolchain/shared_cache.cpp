// SPDX-License-Identifier: Apache-2.0
// A file of it: the magic number, the public key of who signed it, the signature of all that follows, and the entry as it would
// stand in a cache of one machine, with its key in its head.
#include "runtime/toolchain/shared_cache.h"

#include <algorithm>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/toolchain/cache_entry.h"
#include "runtime/toolchain/http.h"

namespace hidet::toolchain {

namespace {

constexpr std::string_view shared_magic = "hidetsc1";
constexpr std::size_t key_at = shared_magic.size();
constexpr std::size_t signature_at = key_at + sizeof(KeyBytes);
constexpr std::size_t entry_at = signature_at + signature_bytes;
constexpr std::string_view signed_as = "compiled by hidet\n"; // a signature of anything else is none of an entry
constexpr std::int64_t most_token_bytes = 1 << 16;
constexpr std::int64_t most_entry_bytes = std::int64_t{64} << 20;
constexpr double to_connect = 3, to_answer = 10; // seconds

Error unusable(const std::string& what) {
    return {"shared-cache", what};
}

Error foreign(const std::string& what) {
    return {"foreign-entry", what};
}

bool is_within_the_machine(std::string_view host) {
    return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

// TLS, but for what does not leave the machine.
Result<void> check_address(const std::string& place) {
    constexpr std::string_view plain = "http://";
    if (place.find("://") == std::string::npos || place.starts_with("https://"))
        return {};
    if (!place.starts_with(plain))
        return unusable(cat("HIDET_SHARED_CACHE is ", quote(place), ", and neither a folder nor https://HOST/PATH"));
    std::string_view host = std::string_view(place).substr(plain.size());
    host = host.substr(0, host.find('/'));
    if (const std::size_t colon = host.rfind(':'); colon != std::string_view::npos && !host.ends_with(']'))
        host = host.substr(0, colon);
    if (is_within_the_machine(host))
        return {};
    return unusable(cat("HIDET_SHARED_CACHE is ", quote(place), ", which is not encrypted: https:// is"));
}

Result<std::string> read_token(const std::string& path) {
    if (path.empty())
        return std::string();
    const Result<std::string> text = read_file(path, most_token_bytes);
    if (!text)
        return unusable(cat("HIDET_SHARED_CACHE_TOKEN: ", text.error().message));
    return std::string(trimmed(text.value()));
}

std::string message_of(std::string_view entry) {
    return cat(signed_as, entry);
}

} // namespace

SharedOptions shared_options_in(const Variables& variables) {
    return {variables("HIDET_SHARED_CACHE"), variables("HIDET_SHARED_CACHE_TOKEN"),
            variables("HIDET_SHARED_CACHE_KEYS"), variables("HIDET_SHARED_CACHE_SIGN")};
}

Result<std::unique_ptr<SharedCache>> SharedCache::open(const SharedOptions& options) {
    if (Result<void> checked = check_address(options.place); !checked)
        return checked.error();
    std::unique_ptr<SharedCache> out(new SharedCache);
    out->m_place = options.place;
    while (out->m_place.size() > 1 && out->m_place.ends_with('/'))
        out->m_place.pop_back();
    HIDET_TRY(out->m_token, read_token(options.token));
    if (!options.keys.empty()) {
        HIDET_TRY(out->m_trusted, read_public_keys(options.keys));
    }
    if (!options.signing.empty()) {
        HIDET_TRY(out->m_seed, read_seed(options.signing));
        HIDET_TRY(const Signature own, sign(*out->m_seed, ""));
        out->m_trusted.push_back(own.public_key);
    }
    if (out->m_trusted.empty())
        return unusable("nobody's entries are trusted: HIDET_SHARED_CACHE_KEYS names a file of public keys, "
                        "HIDET_SHARED_CACHE_SIGN one with a key of your own");
    return out;
}

bool SharedCache::is_folder() const {
    return m_place.find("://") == std::string::npos;
}

std::string SharedCache::path_of(const std::string& key) const {
    return cat(m_place, "/", key.substr(0, 2), "/", key.substr(2));
}

SharedCache::Found SharedCache::find(const std::string& key) const {
    if (is_folder()) {
        Result<std::string> file = read_file(path_of(key), most_entry_bytes);
        if (!file && file.error().code != "file-not-found")
            return file.error();
        return file ? std::optional(std::move(file).value()) : std::nullopt;
    }
    HIDET_TRY(HttpAnswer answer,
              http({.url = path_of(key), .token = m_token, .to_connect = to_connect, .seconds = to_answer}));
    if (answer.status == 404 || answer.status == 410)
        return std::optional<std::string>();
    if (answer.status != 200)
        return Error{"no-line", cat("it answers with ", answer.status)};
    return std::optional(std::move(answer.body));
}

Result<void> SharedCache::put(const std::string& key, const std::string& file) const {
    const std::string path = path_of(key);
    if (is_folder()) {
        if (Result<void> made = make_folders(path.substr(0, path.rfind('/'))); !made)
            return made;
        return replace_file(path, file);
    }
    HIDET_TRY(const HttpAnswer answer, http({.method = "PUT",
                                             .url = path,
                                             .token = m_token,
                                             .body = file,
                                             .type = "application/octet-stream",
                                             .to_connect = to_connect,
                                             .seconds = to_answer}));
    if (answer.status / 100 != 2)
        return Error{"no-line", cat("it answers a PUT with ", answer.status)};
    return {};
}

Result<std::string> SharedCache::checked(const std::string& key, std::string_view file) const {
    if (file.size() < entry_at || !file.starts_with(shared_magic))
        return foreign("an entry is not signed");
    KeyBytes signer{};
    std::copy_n(file.data() + key_at, signer.size(), signer.begin());
    if (std::ranges::find(m_trusted, signer) == m_trusted.end())
        return foreign("an entry is signed by somebody who is not trusted");
    const std::string_view entry = file.substr(entry_at);
    if (!is_signed_by(signer, message_of(entry), file.substr(signature_at, signature_bytes)))
        return foreign("an entry is not what was signed");
    std::optional<std::string> bytes = entry_bytes(key, std::string(entry));
    if (!bytes)
        return foreign("an entry stands in the place of another");
    return std::move(*bytes);
}

std::optional<Error> SharedCache::Way::closed() {
    std::lock_guard lock(m_mutex);
    return m_closed;
}

Error SharedCache::Way::close(const std::string& why) {
    std::lock_guard lock(m_mutex);
    m_closed = Error{"no-line", why};
    return *m_closed;
}

Result<std::optional<std::string>> SharedCache::load(const std::string& key) {
    if (const std::optional<Error> closed = m_from.closed())
        return *closed;
    const Found found = find(key);
    if (!found)
        return m_from.close(found.error().message);
    if (!found.value())
        return std::optional<std::string>();
    HIDET_TRY(std::string bytes, checked(key, *found.value()));
    return std::optional(std::move(bytes));
}

Result<bool> SharedCache::store(const std::string& key, std::string_view bytes) {
    if (!m_seed)
        return false;
    if (const std::optional<Error> closed = m_to.closed())
        return *closed;
    const std::string entry = cat(entry_head(key, bytes), bytes);
    HIDET_TRY(const Signature signature, sign(*m_seed, message_of(entry)));
    const std::string_view signer(reinterpret_cast<const char*>(signature.public_key.data()),
                                  signature.public_key.size());
    if (Result<void> done = put(key, cat(shared_magic, signer, signature.bytes, entry)); !done)
        return m_to.close(done.error().message);
    return true;
}

} // namespace hidet::toolchain
