// SPDX-License-Identifier: Apache-2.0
// What fuzzing calls: each target takes any bytes and returns, or the program ends where an invariant is broken. Which of them
// a program has is targets.def; fuzz_main.cpp hands libFuzzer one of them, replay.cpp runs the corpus through all.
#pragma once

#include <string_view>

namespace hidet::fuzz {

#define HIDET_FUZZ_TARGET(name, seeds, holds) void name(std::string_view input);
#include "tests/fuzz/targets.def"
#undef HIDET_FUZZ_TARGET

// Ends the program with the message where the condition does not hold: to a fuzzer that is a crash.
void require(bool holds, std::string_view message);

// Bytes as the evaluator may be given them, or nothing: a text that cannot be read is a target's of the parser.
bool is_readable(std::string_view input);

} // namespace hidet::fuzz
