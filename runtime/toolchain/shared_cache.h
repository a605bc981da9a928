// SPDX-License-Identifier: Apache-2.0
// Results of compilations that machines share: a folder that all of them see, or a server that gives and takes files by HTTP.
// An entry is native code, so it counts only where somebody who is trusted has signed it, with its key.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/result.h"
#include "runtime/toolchain/locate.h"
#include "runtime/toolchain/signature.h"

namespace hidet::toolchain {

// The last three are files: a process that is confined sees none of them.
struct SharedOptions {
    std::string place;   // a folder, or "https://HOST/PATH"; empty: nothing is shared
    std::string token;   // of the bearer that asks the server
    std::string keys;    // public keys of those who are trusted
    std::string signing; // the seed of our own key; empty: entries are read, and none is stored
};
// HIDET_SHARED_CACHE, HIDET_SHARED_CACHE_TOKEN, HIDET_SHARED_CACHE_KEYS, HIDET_SHARED_CACHE_SIGN.
SharedOptions shared_options_in(const Variables& variables);

class SharedCache {
public:
    // "shared-cache": what of the settings cannot be used.
    static Result<std::unique_ptr<SharedCache>> open(const SharedOptions& options);

    // Nothing: there is no such entry. "foreign-entry": one that is not taken. "no-line": the place does not answer, and
    // this process does not ask it again.
    Result<std::optional<std::string>> load(const std::string& key);
    // False: nothing is stored by this process. "no-line".
    Result<bool> store(const std::string& key, std::string_view bytes);

private:
    using Found = Result<std::optional<std::string>>;
    // To the place or from it; closed behind the first failure.
    class Way {
    public:
        std::optional<Error> closed();
        Error close(const std::string& why);

    private:
        std::mutex m_mutex;
        std::optional<Error> m_closed;
    };

    SharedCache() = default;
    bool is_folder() const;
    std::string path_of(const std::string& key) const;
    Found find(const std::string& key) const;
    Result<void> put(const std::string& key, const std::string& file) const;
    Result<std::string> checked(const std::string& key, std::string_view file) const;

    std::string m_place;
    std::string m_token;
    std::vector<KeyBytes> m_trusted;
    std::optional<KeyBytes> m_seed;
    Way m_from, m_to;
};

} // namespace hidet::toolchain
