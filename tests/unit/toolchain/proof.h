// SPDX-License-Identifier: Apache-2.0
// Whether machine code, as decoded here, can be right: a result of fixed latency is read no sooner than it is there, and one
// of variable latency after a wait for it. What a compiler made is; so a finding means that the decoder is wrong.
#pragma once

#include <vector>

#include "runtime/toolchain/sass/flow.h"
#include "runtime/toolchain/sass/registers.h"

namespace hidet::toolchain::sass {

struct Reading { // of a result, on the shortest way to it
    std::size_t writer = 0, reader = 0;
    Register name;
    bool is_guard = false; // it says whether the reader runs
    int cycles = 0;        // between them, by stalls
    bool is_waited = true; // false: the writer raised a barrier, and it was not waited for
    int least = 0;         // that the writer's and the reader's pipes need; 0: not known, or a barrier is raised
    bool is_sound() const { return is_waited && cycles >= least; }
};
std::vector<Reading> readings_of(const Function& function, const Flow& flow, const RegisterTable& registers);

} // namespace hidet::toolchain::sass
