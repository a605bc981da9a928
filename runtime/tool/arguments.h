// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hidet::tool {

enum class Verb { Describe, Verify, Run, Time };

struct Arguments {
    Verb verb = Verb::Describe;
    std::string package;
    std::string key; // file; empty: signatures are not looked at
    bool json = false;

    std::string device = "auto"; // or cpu, cuda, cuda:N
    std::string entry;           // empty: the first
    int gpu = 0;                 // which one is meant where the device does not say
    bool trust = false;
    int threads = 0;
    std::vector<std::pair<std::string, std::string>> inputs;      // name, .npy file
    std::vector<std::pair<std::string, std::int64_t>> dimensions; // of random inputs
    std::uint64_t seed = 0;
    bool profile = false;

    std::string output; // folder; empty: results are printed
    int runs = 0;       // 0: for about a second
};

// Nothing: there is no verb to run, and `exit` is how to end. What is wrong was printed.
std::optional<Arguments> read_arguments(int argc, char** argv, int& exit);

} // namespace hidet::tool
