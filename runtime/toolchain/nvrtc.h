// SPDX-License-Identifier: Apache-2.0
// NVIDIA's run-time compiler, loaded from a file: CUDA C++ to PTX and to machine code, on machines with and without a GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/toolchain/compiler.h"

namespace hidet::toolchain {

// What a program is called: it lands in the line tables, and stands in every log.
inline constexpr const char* program_name = "/hidet/kernel.cu";

class Nvrtc {
public:
    // "nvrtc-missing": the file is no NVRTC, or one of another world.
    static Result<std::shared_ptr<const Nvrtc>> load(const std::string& path);

    const std::string& version() const { return m_version; }                  // "13.0"
    const std::vector<int>& architectures() const { return m_architectures; } // 75, 80, ...
    Result<CompileResult> compile(const CompileRequest& request) const;       // without key and time; from any thread
    // The first compilation of a process takes 6 to 10 ms more than others; this one is of an empty kernel.
    Result<void> warm_up() const;

    static std::vector<std::string> options(const CompileRequest& request); // those that decide the result

    struct Functions;

private:
    struct Attempt;
    Nvrtc() = default;
    Attempt attempt(const CompileRequest& request, std::vector<std::string> words) const;
    Attempt explain(const CompileRequest& request, Attempt failed) const;
    Result<void> check_architecture(const std::string& arch) const;

    std::shared_ptr<const Functions> m_functions;
    std::string m_version;
    int m_major = 0;
    std::vector<int> m_architectures;
};

} // namespace hidet::toolchain
