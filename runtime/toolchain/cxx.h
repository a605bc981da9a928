// SPDX-License-Identifier: Apache-2.0
// The system's C++ compiler: C++ to a shared object that this process can load.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/toolchain/compiler.h"

namespace hidet::toolchain {

class CxxCompiler {
public:
    // A command as Finding::path gives it: a program, or a launcher and a program. Asks for the version.
    static Result<std::shared_ptr<const CxxCompiler>> load(const std::string& command); // "compiler-missing"

    const std::string& name() const { return m_name; } // "g++ 12.2.0"
    Result<CompileResult> compile(const CompileRequest& request) const;
    // All but the text and the files.
    static std::vector<std::string> options(const CompileRequest& request);

private:
    const std::string& program() const;

    std::vector<std::string> m_command;
    std::string m_name;
};

// The words of a command; one word if it is the path of a program.
std::vector<std::string> command_words(const std::string& command);
// What "native" stands for on this processor: two processors with the same text run each other's code.
std::string native_architecture();

} // namespace hidet::toolchain
