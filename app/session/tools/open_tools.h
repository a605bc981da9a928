// SPDX-License-Identifier: Apache-2.0
// The tools as requests carry them: who only hands them on need not know what they are made of (tools.h).
#pragma once

#include <memory>

namespace hidet::toolchain {
class Compiler;
class Solver;
} // namespace hidet::toolchain

namespace hidet::session {

// Compilers, disassemblers and the cache; opened once, shared by all requests, looked for when they are needed.
class Tools;
struct ToolsOptions {
    std::shared_ptr<toolchain::Compiler> compilers = nullptr; // null: compilations are done in this process
    bool use_gpu = true;                                      // false: as if there was none
    bool has_cache = true;                                    // false: somebody else has one, in front of `compilers`
    std::shared_ptr<toolchain::Solver> solver = nullptr;      // null: proofs are made in this process, when asked for
};
std::shared_ptr<Tools> open_tools(ToolsOptions options = {});

} // namespace hidet::session
