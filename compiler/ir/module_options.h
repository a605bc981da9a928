// SPDX-License-Identifier: Apache-2.0
// What a script asks of the code that its modules become, by hidet.option. A module carries it as text, so that it is part of
// what is compared, printed and cached.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compiler/ir/func.h"

namespace hidet::ir {

struct ModuleOptions {
    std::string gpu;                    // the architecture of GPU code: "sm_80"; empty: of the GPU that runs it
    std::string processor;              // of CPU code, as -march has it; empty: of this machine
    bool flushes_subnormals = false;    // floats of GPU code
    bool divides_approximately = false; // floats of GPU code
    int passes =
        0; // of the pipeline that are behind it, as whoever read it from a text says; lower() goes on from there
    friend bool operator==(const ModuleOptions&, const ModuleOptions&) = default;
};

std::string text_of(const ModuleOptions& options); // empty: nothing is asked
std::optional<ModuleOptions> read_module_options(std::string_view text);
ModuleOptions options_of(const Module& module);

} // namespace hidet::ir
