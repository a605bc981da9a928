// SPDX-License-Identifier: Apache-2.0
// Well-formed modules by chance, for tests that say "for every module".
#pragma once

#include <cstdint>

#include "compiler/ir/func.h"

namespace hidet::test {

struct RandomModuleOptions {
    ir::Level level = ir::Level::Script;
    int statements = 12; // about, per function
};

// The same seed gives the same module. Over many seeds every node kind and every dtype occurs.
ir::ModuleRef random_module(std::uint64_t seed, const RandomModuleOptions& options = {});

} // namespace hidet::test
