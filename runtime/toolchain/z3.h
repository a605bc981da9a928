// SPDX-License-Identifier: Apache-2.0
// The solver Z3, as a library that is loaded when a proof first needs it.
#pragma once

#include <memory>
#include <string>

#include "lang/base/result.h"

namespace hidet::toolchain {

// One thread asks at a time; its questions know nothing of each other.
class Z3 {
public:
    static Result<std::shared_ptr<Z3>> open(const std::string& library); // "library-not-loaded", "solver-too-old"
    std::string version() const;
    // `question`: SMT-LIB 2 text. What it printed; empty where it gave up. That depends on the work that it did, some seconds of
    // it, and not on the time that it took, so that the answer is the same everywhere.
    std::string ask(const std::string& question) const;

private:
    struct Functions;
    std::shared_ptr<const Functions> m_functions;
};

} // namespace hidet::toolchain
