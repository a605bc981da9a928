// SPDX-License-Identifier: Apache-2.0
// How much memory has to lie behind a pointer, of which no type says that, for all accesses to stay within it: an expression in
// what the launch is given.
#pragma once

#include <optional>
#include <string>

#include "compiler/prove/kernel_facts.h"

namespace hidet::compiler::prove {

struct Extent {
    Term bytes = nullptr;
    std::string text; // "m * n elements"
};

// Whether this can be, under the conditions of every launch.
using AskWrong = std::function<Can(Term condition)>;

// The first of a few simple expressions that all accesses of the object stay in.
std::optional<Extent> extent_behind(Terms& terms, const KernelFacts& facts, int object, const AskWrong& ask);

} // namespace hidet::compiler::prove
