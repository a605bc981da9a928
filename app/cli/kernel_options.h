// SPDX-License-Identifier: Apache-2.0
// What is tried of a script, and held to what: the options of 'try' and 'compare'.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/session/kernel_bench/kernel_bench.h"

namespace hidet::cli {

struct KernelOptions {
    SourceOptions source;
    RunOptions run;
    session::KernelBenchRequest request;
    std::vector<std::string> arguments;  // "a=f32[64,80]:random"
    std::vector<std::string> dimensions; // "m=64", "m=1,2,4"
    std::string reference;
    std::string tolerance;
};
void add_kernel_options(Verb& verb, KernelOptions& options);
// The script is open. False: what is wrong was told, and `exit` says how it ends.
bool read_kernel_options(const KernelOptions& options, session::KernelBenchRequest& request, int& exit);

} // namespace hidet::cli
