// SPDX-License-Identifier: Apache-2.0
// Results of compilations on disk, by the hash of all that decides them. Many processes use one folder at a time, and any
// of them may be killed at any moment: an entry appears whole, by a rename, and what it holds and whose entry it is are
// checked whenever it is read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/result.h"
#include "runtime/toolchain/locate.h"
#include "runtime/toolchain/shared_cache.h"

namespace hidet::toolchain {

// A hash of the parts, as 32 hexadecimal digits; parts do not run into each other.
std::string cache_key(const std::vector<std::string_view>& parts);

struct CacheOptions {
    std::string folder;                         // empty: there is no cache
    std::int64_t limit = std::int64_t{1} << 30; // bytes on disk; what was used least recently goes first
    SharedOptions shared = {};                  // behind this one
};
// HIDET_CACHE_DIR, else hidet-studio in XDG_CACHE_HOME or ~/.cache; HIDET_CACHE_LIMIT, such as "500M" ("0": no cache).
CacheOptions cache_options_in(const Variables& variables);
CacheOptions default_cache_options(); // of this process

// Of all processes that use the folder, since it was emptied.
struct SharedCounts {
    std::string place;
    std::int64_t hits = 0, misses = 0;
    std::int64_t ignored = 0; // not signed, or by nobody who is trusted, or damaged
    std::int64_t stored = 0;
    std::string problem; // the last one
};

struct CacheStatistics {
    std::string folder;
    std::int64_t limit = 0;
    std::int64_t entries = 0;
    std::int64_t bytes = 0;
    std::int64_t hits = 0;    // of this process, as is what follows
    std::int64_t dropped = 0; // broken entries
    SharedCounts shared;
};

// While it lives, no other thread and no other process holds the lock of the same key. It ends with the process.
class CacheLock {
public:
    ~CacheLock();
    CacheLock(const CacheLock&) = delete;
    CacheLock& operator=(const CacheLock&) = delete;

private:
    friend class Cache;
    explicit CacheLock(int file) : m_file(file) {}
    int m_file;
};

class Cache {
public:
    explicit Cache(CacheOptions options);

    bool is_enabled() const { return !m_root.empty() && m_options.limit > 0; }
    // Nothing: there is no entry, or a broken one, which is removed.
    std::optional<std::string> load(const std::string& key);
    // From what is shared, and kept here from now on. It takes a while: ask load() first, and with a lock.
    std::optional<std::string> fetch(const std::string& key);
    // "disk-full", "file-not-written". May remove other entries, so that the limit holds. Shares it, too.
    Result<void> store(const std::string& key, std::string_view bytes);
    // Waits for its turn. "file-not-written" (no locks in this folder), "cancelled", "lock-timeout".
    Result<std::unique_ptr<CacheLock>> lock(const std::string& key, const std::atomic<bool>* cancelled,
                                            double seconds = 120);
    CacheStatistics statistics() const;
    Result<CacheStatistics> clear(); // what was removed

private:
    std::string path_of(const std::string& key) const;
    std::string shared_counts() const { return m_root + "/shared"; }
    Result<void> keep(const std::string& key, std::string_view bytes);
    void share(const std::string& key, std::string_view bytes);
    void count_shared(const SharedCounts& more) const;
    Result<void> write_entry(const std::string& key, std::string_view bytes);
    Result<int> open_locks() const;
    std::unique_ptr<CacheLock> lock_counts() const; // null: it is not to be had
    void count_stored(const std::string& key, std::int64_t bytes);

    const CacheOptions m_options;
    const std::string m_root;              // below the folder, with the version of the format in its name
    std::unique_ptr<SharedCache> m_shared; // null: there is none
    std::string m_shared_problem;          // why it cannot be used
    std::atomic<std::int64_t> m_hits{0};
    std::atomic<std::int64_t> m_dropped{0};
};

} // namespace hidet::toolchain
