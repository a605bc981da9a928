// SPDX-License-Identifier: Apache-2.0
// Runs a program of the system to its end: no shell, limits of time and output, and its whole family ended when it is over.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "lang/base/result.h"
#include "runtime/process/confine.h"

namespace hidet::process {

struct Command {
    std::vector<std::string> words = {};          // words[0] is a path, or a name on PATH
    std::string input = {};                       // its standard input; can be opened again as /dev/stdin
    double seconds = 60;                          // then it is killed
    std::size_t output_limit = 512u << 20;        // bytes of output, then it is killed
    const std::atomic<bool>* cancelled = nullptr; // then it is killed
    std::string folder = {};                      // where it works; "": where we do
    // Over ours. What a tool prints shall not depend on the user's language.
    std::vector<std::string> variables = {"LC_ALL=C.UTF-8", "LANGUAGE="};
    std::optional<Confinement> confinement = {}; // nothing: it may what we may
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

// `code`: of the error where it does not start.
Result<Outcome> run_to_end(const Command& command, const char* code = "process-not-started");

} // namespace hidet::process
