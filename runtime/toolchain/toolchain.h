// SPDX-License-Identifier: Apache-2.0
// The compilers and tools of others behind one door: a session opens it once and shares it between its threads.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/toolchain/cache.h"
#include "runtime/toolchain/cached.h"
#include "runtime/toolchain/compiler.h"
#include "runtime/toolchain/in_process.h"
#include "runtime/toolchain/listing.h"
#include "runtime/toolchain/locate.h"

namespace hidet::toolchain {

struct ToolchainOptions {
    std::optional<Places> places = {};      // nothing: those of this process (default_places)
    std::optional<CacheOptions> cache = {}; // nothing: those of this process; an empty folder: no cache
    Compiler* compiler = nullptr;           // behind the cache, in place of the compilers of this process
};

// Making one is cheap: tools are looked for when they are first needed.
class Toolchain {
public:
    explicit Toolchain(ToolchainOptions options = {});

    Compiler& compiler() { return m_cached; }
    Compiler& uncached() { return m_uncached; } // for who has a cache in front already
    // Where a tool is; opens nothing, starts nothing.
    Finding locate(Tool tool) const { return find(tool, m_places->get()); }
    Cache& cache() { return m_cache; }
    // Through the cache. "nvdisasm-missing", "disassembly-failed", "cancelled".
    Result<Disassembly> disassemble(const std::string& cubin, const std::atomic<bool>* cancelled = nullptr);
    // Loads NVRTC and compiles something small, so that the first real compilation is as fast as the next.
    Result<void> warm_up();
    // Each tool: where it is, its version, what is missing and how to get it. Loads NVRTC, starts programs: for `doctor`.
    std::vector<Finding> facts();

private:
    Result<std::string> nvdisasm();

    const std::shared_ptr<LazyPlaces> m_places;
    InProcessCompiler m_in_process;
    Compiler& m_uncached;
    Cache m_cache;
    CachedCompiler m_cached;
    std::mutex m_mutex;
    std::optional<Finding> m_nvdisasm;
};

} // namespace hidet::toolchain
