// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hidet {

// A GPU architecture as nvcc names it: "sm_90a" is {90, true}, with the instructions that only this generation has.
struct Architecture {
    int number = 0; // 90: compute capability 9.0; 0: no GPU, or any
    bool is_specific = false;
    bool provides(Architecture needed) const { return needed.is_specific ? *this == needed : number >= needed.number; }
    friend bool operator==(const Architecture&, const Architecture&) = default;
};

} // namespace hidet
