// SPDX-License-Identifier: Apache-2.0
// The same scripts with real machine code: CUDA text compiled by NVRTC, its kernels and their parameters read from the
// cubin by the fake driver. What runs is the emulator still, but launches fit what was compiled, or the test fails.
#include "runtime/toolchain/toolchain.h"
#include "tests/unit/cuda/gpu_engine.h"

using namespace hidet;
using namespace hidet::test;

int main(int argc, char** argv) {
    toolchain::Toolchain tools({.cache = toolchain::CacheOptions{}});
    if (auto warm = tools.warm_up(); !warm) {
        std::printf("skipped: %s\n", warm.error().message.c_str());
        return 77;
    }
    Suite suite(argc, argv);
    for (const auto& path : all_scripts())
        suite.run(cat(path.stem().string(), " launches what NVRTC compiled"), [&] {
            EXPECT_EQUAL(run_script(read_text(path), path.parent_path().string(), "", &tools.compiler()).errors, "");
        });
    return suite.result();
}
