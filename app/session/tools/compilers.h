// SPDX-License-Identifier: Apache-2.0
// Compilers that work outside of this process, in place of its own. No cache: that stands in front, in the process that
// asks.
#pragma once

#include <string>

#include "lang/base/result.h"
#include "runtime/toolchain/compiler.h"
#include "runtime/toolchain/listing.h"

namespace hidet::session {

class Compilers : public toolchain::Compiler {
public:
    // nvdisasm's text
    virtual Result<std::string> disassemble(const std::string& cubin, toolchain::DisassemblyKind kind) = 0;
};

} // namespace hidet::session
