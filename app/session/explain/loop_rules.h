// SPDX-License-Identifier: Apache-2.0
// What would make a loop faster, by rules that name their evidence.
#pragma once

#include "app/session/explain/explain.h"
#include "compiler/artifact/target_spec.h"

namespace hidet::session {

// What an access does in a turn of a block.
struct LoopAccess {
    const AccessView* view = nullptr; // what is known of it in the whole kernel
    double requests = 0, bytes = 0;
    double units = 0, least = 0;
    bool is_shared() const { return view->memory == "shared"; }
};

struct LoopFacts {
    const LoopView& loop;
    std::vector<LoopAccess> accesses;
    double warps = 0; // of a block
    const artifact::TargetSpec& target;
    double matrix_rate = 0; // FLOP of a multiprocessor in a cycle, by matrix units that could take the loop's floats
    double arithmetic_rate = 0; // likewise, by its other units
};

enum class LoopPipeKind : std::uint8_t { Matrix, Arithmetic, Shared, Global, Device };
inline constexpr std::size_t loop_pipe_count = 5;
const char* loop_pipe_name(LoopPipeKind pipe); // "matrix units"

constexpr double sectors_a_cycle = 4; // of a multiprocessor: a line of 128 bytes

struct LoopRuleInfo {
    const char* name = "";
    const char* what = "";
};
const std::vector<LoopRuleInfo>& all_loop_rules();

// The edits that gain most first.
std::vector<LoopAdvice> advice_on(const LoopFacts& facts);

} // namespace hidet::session
