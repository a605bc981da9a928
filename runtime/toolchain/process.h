// SPDX-License-Identifier: Apache-2.0
// Runs a program of the system to its end: no shell, a time limit, and its whole family ended when it is over.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "lang/base/result.h"

namespace hidet::toolchain {

struct Command {
    std::vector<std::string> words = {};          // words[0] is the path of the program
    std::string input = {};                       // its standard input; can be opened again as /dev/stdin
    double seconds = 60;                          // then it is killed
    std::size_t output_limit = 512u << 20;        // bytes of output, then it is killed
    const std::atomic<bool>* cancelled = nullptr; // then it is killed
};

struct Outcome {
    enum class End : std::uint8_t { Exited, Crashed, TimedOut, TooMuchOutput, Cancelled };
    End end = End::Exited;
    int code = 0; // of the exit, or the number of the signal
    std::string output = {};
    std::string errors = {};

    bool succeeded() const { return end == End::Exited && code == 0; }
    std::string story() const; // "exited with code 1", "was ended by signal 11", "took longer than its time"
};

Result<Outcome> run_process(const Command& command); // "process-not-started"

} // namespace hidet::toolchain
