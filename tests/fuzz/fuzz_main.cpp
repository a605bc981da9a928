// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls, for the target that the build names.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    hidet::fuzz::HIDET_FUZZED({reinterpret_cast<const char*>(data), size});
    return 0;
}
