// SPDX-License-Identifier: Apache-2.0
// What a function makes of arguments, by the emulator: what an exported project checks itself against.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/compare/comparison.h"
#include "app/session/execute/executor.h"
#include "app/session/exporting/functions.h"

namespace hidet::session {

struct RecordedArgument {
    bool is_memory = false;
    std::string before, after; // bytes of memory; what is yet to be written is poisoned before
    Tolerance tolerance;       // of what is written
    std::int64_t count = 0;    // elements
    std::vector<std::int64_t> shape;
    std::string number; // of a scalar, as C has it
};
struct RecordedCall {
    std::vector<RecordedArgument> arguments; // by parameter
    std::vector<std::int64_t> symbols;       // by ExportedFunction::symbols
    ReturnValue result;
    Tolerance result_tolerance;
    std::string missing; // why there is none; nothing else is set then
};

std::uint16_t short_bits(double value, ir::DType dtype); // of an f16 or a bf16

// Of each function: its first call by the script, or one with random numbers where shapes say enough. Nothing: the script or
// a call of it fails, which is in the work's sink.
std::optional<std::vector<RecordedCall>> recorded_calls(ExportWork& out, const ExportedProgram& program);

} // namespace hidet::session
