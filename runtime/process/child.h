// SPDX-License-Identifier: Apache-2.0
// A program that we talk to: three pipes, a family that ends with us, and an end that comes for certain.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "lang/base/result.h"
#include "runtime/process/confine.h"
#include "runtime/process/descriptor.h"

namespace hidet::process {

struct Program {
    std::vector<std::string> words = {};         // words[0] is a path, or a name on PATH
    std::vector<std::string> variables = {};     // of its environment, "NAME=value", over ours
    std::string folder = {};                     // where it works; "": where we do
    std::optional<Confinement> confinement = {}; // nothing: it may what we may
};

struct Ending {
    bool by_signal = false;
    int number = 0; // the exit code, or the signal
};

// A process group that ends when this process does, however that happens.
class Family {
public:
    static Result<std::unique_ptr<Family>> make(); // "process-not-started"
    ~Family();                                     // kills all who are in it
    Family(const Family&) = delete;
    Family& operator=(const Family&) = delete;

    pid_t group() const { return m_guard; }

private:
    Family() = default;

    pid_t m_guard = 0;
    Descriptor m_life; // open as long as we live
};

class Child {
public:
    // `input`: its standard input; none: a pipe. "process-not-started".
    static Result<std::unique_ptr<Child>> start(const Program& program, Descriptor input = Descriptor());
    ~Child(); // kills it

    // Our ends of the pipes; they never block.
    Descriptor& input() { return m_input; }
    Descriptor& output() { return m_output; }
    Descriptor& errors() { return m_errors; }
    // Readable once the process has ended; -1 where the system has no such thing.
    int ending() const { return m_ending.get(); }
    bool has_ended();

    // Kills it with all that it started, unless it ends by itself in this time; what it left behind is killed either way.
    // Nothing: it ended by our kill.
    std::optional<Ending> end(std::chrono::milliseconds patience);

private:
    Child() = default;
    bool wait(std::chrono::milliseconds patience);

    std::unique_ptr<Family> m_family;
    pid_t m_process = 0;
    bool m_waited_for = false;
    bool m_killed = false;
    int m_status = 0;
    Descriptor m_input;
    Descriptor m_output;
    Descriptor m_errors;
    Descriptor m_ending;
};

} // namespace hidet::process
