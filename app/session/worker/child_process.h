// SPDX-License-Identifier: Apache-2.0
// A program that we talk to: three pipes, a process group of its own, and an end that comes for certain.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "lang/base/result.h"

namespace hidet::session {

// A file descriptor that is closed in the end.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : m_number(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return m_number; } // -1: none
    void reset(int number) {
        close();
        m_number = number;
    }
    void close();

private:
    int m_number;
};

class ChildProcess {
public:
    // command[0] is a path, or a name on PATH. "process-not-started".
    static Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& command);
    ~ChildProcess(); // kills it

    // Our ends of the pipes; they never block.
    Descriptor& input() { return m_input; }
    Descriptor& output() { return m_output; }
    Descriptor& errors() { return m_errors; }
    // Readable once the process has ended; -1 where the system has no such thing.
    int ending() const { return m_ending.get(); }
    bool has_ended();

    // Kills it with all that it started, unless it ends by itself in this time. Then tells how it ended: "ended with
    // code 3", "was ended by signal 11 (segmentation fault)"; "": by our kill.
    std::string end(std::chrono::milliseconds patience);

private:
    ChildProcess() = default;
    bool wait(std::chrono::milliseconds patience);

    pid_t m_process = 0;
    bool m_reaped = false;
    int m_status = 0;
    Descriptor m_input;
    Descriptor m_output;
    Descriptor m_errors;
    Descriptor m_ending;
};

} // namespace hidet::session
