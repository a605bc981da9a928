// SPDX-License-Identifier: Apache-2.0
// The solver Z3, as a library that is loaded when a proof first needs it.
#pragma once

#include <memory>
#include <string>

#include "lang/base/result.h"
#include "runtime/toolchain/solver.h"

namespace hidet::toolchain {

// One thread asks at a time; its questions know nothing of each other.
class Z3 {
public:
    static Result<std::shared_ptr<Z3>> open(const std::string& library); // "library-not-loaded", "solver-too-old"
    std::string version() const;
    std::string recipe() const; // the version and the limits: with the question, what decides an answer
    // `question`: SMT-LIB 2 text. When it gives up depends on the work that it did, some seconds of it, so that the answer is the
    // same everywhere, unless that is wrong by far.
    SolverAnswer ask(const std::string& question) const;

private:
    struct Functions;
    std::shared_ptr<const Functions> m_functions;
};

} // namespace hidet::toolchain
