// SPDX-License-Identifier: Apache-2.0
// What the command line said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/model_options.h"

namespace hidet::cli {

struct Options {
    std::string verb;
    std::string file;
    bool json = false;
    std::string target = "auto";
    std::string checks = "bounds";
    std::uint64_t seed = 0;
    std::uint64_t max_steps = 0;
    double timeout = 60;
    std::string against;
    std::string kind = "ir";
    std::string arch;
    std::string out;
    std::string function;
    std::string after;
    std::string only;
    bool all = false;              // lower: after every pass
    bool machines = false;         // doctor: those of the table
    bool clear = false;            // cache
    bool passes = false;           // lower: the list of passes
    std::vector<std::string> diff; // lower: two passes, or none
    bool lines = false;
    int module = 0;
    std::vector<std::string> studio;
    std::vector<std::string> arguments;  // bench: "a=f32[64,80]:random"
    std::vector<std::string> dimensions; // "m=64", "m=1,2,4"
    std::string reference;
    std::string tolerance;
    bool check_only = false;
    std::string fault;
    ModelOptions model;
    bool no_gpu = false;      // worker
    std::uint64_t memory = 0; // worker: MiB of address space
};

// Exit codes.
inline constexpr int exit_fine = 0;
inline constexpr int exit_user = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_environment = 3;
inline constexpr int exit_internal = 70;
inline constexpr int exit_cancelled = 130; // as a shell reports Ctrl-C

// Reads the arguments. Returns true when there is a verb to run; otherwise `exit` is how to end.
bool parse_options(int argc, char** argv, Options& options, int& exit);

} // namespace hidet::cli
