// SPDX-License-Identifier: Apache-2.0
// NVIDIA's assembler, a program of its own: PTX to machine code, on machines with and without a GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/toolchain/compiler.h"

namespace hidet::toolchain {

class Ptxas {
public:
    static Result<std::shared_ptr<const Ptxas>> load(const std::string& path); // "ptxas-missing"; asks for the version

    const std::string& version() const { return m_version; } // "13.0.88"
    // What it says of a line is said of that line of the text; so are the lines of the machine code.
    Result<CompileResult> compile(const CompileRequest& request) const;
    static std::vector<std::string> options(const CompileRequest& request); // those that decide the result

private:
    std::string m_path;
    std::string m_version;
};

} // namespace hidet::toolchain
