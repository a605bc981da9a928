// SPDX-License-Identifier: Apache-2.0
// Who answers questions of proofs: a library of this process (z3.h), or a process of its own.
#pragma once

#include <atomic>
#include <string>

#include "lang/base/result.h"

namespace hidet::toolchain {

struct SolverAnswer {
    std::string text;         // what it printed; empty where it gave up
    bool is_by_clock = false; // it gave up by the time that passed, which another machine may not
};

class Solver {
public:
    virtual ~Solver() = default;
    // `question`: SMT-LIB 2 text. "solver-missing", "cancelled", "worker-lost".
    virtual Result<SolverAnswer> solve(const std::string& question, const std::atomic<bool>* cancelled) = 0;
};

} // namespace hidet::toolchain
