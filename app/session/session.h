// SPDX-License-Identifier: Apache-2.0
// The service that front ends talk to: a request in, snapshots out. It joins the parser, the evaluator, the compiler and
// the emulator, catches internal errors once, and knows nothing of a terminal or of widgets.
//
// preview() evaluates a script without data and lowers every module it would build; each finished module is also
// published while the next one is being lowered. run() executes a script for real. Both return whatever happened: they
// throw nothing, and stop soon after the request's token says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/forms.h"
#include "app/session/input.h"
#include "app/session/snapshot.h"
#include "app/session/targets.h"

namespace hidet::session {

// What the front end's exit code or status line says.
enum class Status : std::uint8_t {
    Fine,
    UserMistake, // in the script or in one of its kernels
    WrongUsage,  // what was asked for does not exist
    Environment, // no GPU, no memory, a file that cannot be written
    Internal,    // our bug
    Cancelled,
};

struct StageTime {
    std::string stage; // "parse", "evaluate", "lower", "cuda", "ptx", "run", ...
    double ms = 0;     // together, however often it was entered
};

struct Outcome {
    std::vector<StageTime> stages; // in the order of their first start
    Status status = Status::Fine;
    bool device_hangs = false; // a kernel never ended: end the process with leave_process()
    std::vector<DiagnosticView> diagnostics;
};

// Compilers, disassemblers and the cache; opened once, shared by all requests, looked for when they are needed.
class Tools;
class CompilePool;
struct ToolsOptions {
    std::shared_ptr<CompilePool> compilers = nullptr; // null: compilations are done in this process
    bool use_gpu = true;                              // false: as if there was none
};
std::shared_ptr<Tools> open_tools(ToolsOptions options = {});

inline constexpr const char* default_arch = "sm_90a";

enum class Keep : std::uint8_t { Nothing, Last, Everything }; // which texts a request wants

struct PreviewRequest {
    Source source;
    std::vector<std::string> calls; // of kernel factories: "matmul(1024, 1024, 1024)"
    Keep texts = Keep::Last;        // module texts after passes
    std::string stop_after;         // name of a pass; empty: all of them
    std::string only_pass;          // IR input: run this pass and nothing else
    bool lower = true;
    std::vector<Form> forms;         // what else each module shall be written as
    std::string arch = default_arch; // of PTX and machine code
    std::shared_ptr<Tools> tools;    // may be null when no form needs a compiler
    std::string function;            // texts of this function only; empty: whole modules
    int module = 0;                  // 1-based; 0: all
    std::string fault;               // a stage that shall fail, to test the report of internal errors
    const std::atomic<bool>* cancelled = nullptr;
    std::function<void(const ModuleSnapshot&)> published;
};

struct PreviewResult : Outcome {
    std::vector<ModuleSnapshot> modules;
    int modules_built = 0; // also those that the request did not ask for
};

PreviewResult preview(const PreviewRequest& request);

struct RunRequest {
    Source source;
    Target target = Target::Auto;
    bool all_checks = false;
    std::uint64_t seed = 0;
    std::shared_ptr<Tools> tools; // null: nothing is compiled for the CPU
    std::uint64_t max_steps = 0;  // of one block, before its loops count as endless; 0: the emulator's own limit
    double kernel_seconds = 60;   // how long the GPU may take until its kernels count as endless; 0: for ever
    bool keep_calls = false;      // for who makes them again
    std::string fault;
    const std::atomic<bool>* cancelled = nullptr;
    std::function<void(std::string_view)> print; // what the script and its kernels print; called as it happens
};

// Ends the process without the exit handlers of the driver, which would wait for a kernel that never ends.
[[noreturn]] void leave_process(int exit_code);

struct RunResult : Outcome {
    RunSummary summary;
};

RunResult run(const RunRequest& request);

// All passes, in table order.
struct PassDescription {
    std::string name;
    std::string summary;
    std::string level_in;
    std::string level_out;
};
std::vector<PassDescription> describe_passes();
Diagnostic no_such_pass(const std::string& name); // with what was probably meant

} // namespace hidet::session
