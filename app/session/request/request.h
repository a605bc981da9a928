// SPDX-License-Identifier: Apache-2.0
// What is asked of a script: to show how it becomes machine code, or to run.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/request/source.h"
#include "app/session/snapshot/forms.h"
#include "app/session/snapshot/snapshot.h"
#include "app/session/snapshot/targets.h"
#include "app/session/tools/open_tools.h"

namespace hidet::vm {
class Team;
}

namespace hidet::session {

inline constexpr const char* default_arch = "sm_90a";

enum class Keep : std::uint8_t { Nothing, Last, Everything }; // which texts a request wants

struct PreviewRequest {
    Source source;
    std::vector<std::string> calls; // of kernel factories: "matmul(1024, 1024, 1024)"
    Keep texts = Keep::Last;        // module texts after passes
    std::string stop_after;         // name of a pass; empty: all of them
    std::string only_pass;          // IR input: run this pass and nothing else
    bool lower = true;
    bool for_cpu = false;         // kernels become functions that loop over threads
    std::vector<Form> forms;      // what else each module shall be written as
    std::string arch;             // of PTX and machine code; empty: as the script says, or default_arch
    bool contracts = true;        // likewise: a * b + c may be rounded once
    bool explains = false;        // what SASS says of itself (FormSnapshot::machine)
    std::shared_ptr<Tools> tools; // may be null when no form needs a compiler
    std::string function;         // texts of this function only; empty: whole modules
    int module = 0;               // 1-based; 0: all
    std::string fault;            // a stage that shall fail, to test the report of internal errors
    const std::atomic<bool>* cancelled = nullptr;
    std::function<void(const ModuleSnapshot&)> published;
};

// A block whose shared memory is kept.
struct TileChoice {
    std::array<std::int64_t, 3> block{};
    int line = 0; // as its last thread leaves this line of the script; 0: as it is when the block ends
};

// A kernel that runs from this text instead of the one that is generated: CUDA C++, or PTX where the file is called so.
struct KernelReplacement {
    std::string kernel; // by its name in the script
    Source source;
};

inline constexpr int usual_orders = 9; // where kernels are looked at, and not results
inline constexpr int most_ranks = 16;  // of one script

// Of a script that runs once for each rank, in one process: which run is meant.
struct RankPlace {
    std::shared_ptr<vm::Team> team; // null: it runs alone
    int rank = 0;
};

struct RunRequest {
    Source source;
    Target target = Target::Auto;
    bool all_checks = false;
    bool counts = false; // what lines of emulated kernels do
    bool times = false;  // when the warps of one block of each kernel do what: as the emulator has it
    bool marks = false;  // or by marks in kernels, which a GPU has as well
    std::array<std::int64_t, 3> timed_block = {}; // its index, or {number, -1, -1}
    std::int64_t timed_launch = 1;                // of each kernel
    std::uint64_t copy_steps = 600;               // that a copy takes there
    std::optional<TileChoice> tiles_of;           // of emulated kernels
    // Of emulated kernels: the random order of this seed alone; nothing: lock step first, and where all is checked up to so many
    // orders of a launch whose order may matter.
    std::optional<std::uint64_t> order;
    int orders = 1;
    int ranks = 1;                // GPUs that are emulated, of which each has its own run of the script
    RankPlace place;              // set by who runs them
    std::uint64_t seed = 0;       // of random tensors
    std::shared_ptr<Tools> tools; // null: nothing is compiled for the CPU
    std::uint64_t max_steps =
        0; // of one block, before its loops count as endless, and host code gets as many; 0: their own limits
    std::uint64_t max_bytes = 0; // of the values of host code; 0: the evaluator's own limit
    double kernel_seconds = 60;  // until kernels on the GPU and compiled CPU code count as endless; 0: never
    bool checks_bounds = true;   // of compiled CPU code; never of what is measured
    bool contracts = true;       // a * b + c of code for a GPU may be rounded once; all else rounds twice
    bool watches_calls = true;   // of compiled CPU code, which costs some microseconds each; else it hears no limit
    std::vector<KernelReplacement> replacements; // of kernels on a GPU, each kernel once
    bool waits = true;       // for what a call launches on a GPU; else its mistakes are told by a later one
    bool keep_calls = false; // for who makes them again
    std::string output;      // the folder that the script may write to; empty: what it writes is gone when the run ends
    bool is_program = false; // of the user's, as a CPython process: what it saves and loads lies where it says
    bool trusts = false;     // machine code of packages that the script loads may run
    std::string version;     // of this program, for those that it saves
    std::string fault;
    const std::atomic<bool>* cancelled = nullptr;
    std::function<void(std::string_view)> print; // what the script and its kernels print; called as it happens
    // Told before each call of compiled CPU code, which may end the process: what there is to say if it does. Null: the
    // same as before.
    std::function<void(const DiagnosticView*)> calling;
};

} // namespace hidet::session
