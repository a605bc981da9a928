// SPDX-License-Identifier: Apache-2.0
// What cases stand on that need a C++ compiler.
#pragma once

#include "runtime/toolchain/in_process.h"
#include "tests/harness/skip.h"

namespace hidet::test {

struct WithCxx {
    toolchain::InProcessCompiler compiler{toolchain::default_places()};
    // Whether the case has to be skipped.
    bool is_skipped() {
        auto cxx = compiler.cxx();
        if (!cxx)
            skip(cxx.error().message);
        return !cxx;
    }
};

} // namespace hidet::test
