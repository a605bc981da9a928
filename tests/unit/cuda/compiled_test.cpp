// SPDX-License-Identifier: Apache-2.0
// The same scripts with real machine code: CUDA text compiled by NVRTC, its kernels and their parameters read from the
// cubin by the fake driver. What runs is the emulator still, but launches fit what was compiled, or the test fails.
#include "runtime/toolchain/toolchain.h"
#include "tests/harness/skip.h"
#include "tests/unit/cuda/gpu_engine.h"

#include <cstdio>
#include <doctest/doctest.h>

using namespace hidet;
using namespace hidet::test;

TEST_CASE("scripts launch what NVRTC compiled") {
    toolchain::Toolchain tools({.cache = toolchain::CacheOptions{}});
    if (auto warm = tools.warm_up(); !warm)
        return skip(warm.error().message);
    for (const auto& path : all_scripts()) {
        CAPTURE(path.stem().string());
        CHECK(run_script(read_text(path), path.parent_path().string(), "", &tools.compiler()).errors == "");
    }
}
