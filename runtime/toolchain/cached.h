// SPDX-License-Identifier: Apache-2.0
// A cache in front of another compiler. What several threads or processes want at the same time is compiled once.
#pragma once

#include "runtime/toolchain/cache.h"
#include "runtime/toolchain/compiler.h"

namespace hidet::toolchain {

class CachedCompiler final : public Compiler {
public:
    CachedCompiler(Compiler& inner, Cache& cache) : m_inner(inner), m_cache(cache) {}
    // A cache that fails costs time, never a result: CompileResult::not_stored says why.
    Result<CompileResult> compile(const CompileRequest& request) override;
    Result<std::string> recipe(const CompileRequest& request) override { return m_inner.recipe(request); }

private:
    Result<CompileResult> compile_once(const CompileRequest& request, const std::string& key);
    std::optional<CompileResult> load(const std::string& key);
    std::optional<CompileResult> load_or_fetch(const std::string& key);

    Compiler& m_inner;
    Cache& m_cache;
};

} // namespace hidet::toolchain
