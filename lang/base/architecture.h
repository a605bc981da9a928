// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hidet {

// A GPU architecture as nvcc names it: "sm_90a" is {90, true}, with the instructions that only this generation has.
struct Architecture {
    int number = 0; // 90: compute capability 9.0; 0: no GPU, or any
    bool is_specific = false;
    int last = 0; // of what is needed: specific ones up to this number have it, too; 0: one alone has it
    bool provides(Architecture needed) const {
        const int end = needed.last ? needed.last : needed.is_specific ? needed.number : number;
        return number >= needed.number && number <= end && (is_specific || !needed.is_specific);
    }
    friend bool operator==(const Architecture&, const Architecture&) = default;
};

} // namespace hidet
