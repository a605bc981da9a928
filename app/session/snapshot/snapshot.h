// SPDX-License-Identifier: Apache-2.0
// What the session hands out: plain values with texts and places in them. A front end (the command line, the desktop
// program) shows these and never sees IR, source maps or the evaluator. A snapshot does not change once it is published.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/base/diagnostic.h"

namespace hidet::session {

// Lines and columns are 1-based; line 0 means that the place is not known.
struct Place {
    std::string file;
    int line = 0;
    int column = 0;
    int end_line = 0;
    int end_column = 0;
    bool known() const { return line > 0; }
};
Place place_of(Span span, const SourceMap& sources);

struct NoteView {
    Place place;
    std::string message;
};

struct FixView {
    Place place;
    std::string text;
    std::string title;
};

// The thread that did what a finding of the emulator says.
struct ThreadPlace {
    std::array<std::int64_t, 3> block{};
    std::array<std::int64_t, 3> thread{};
    std::array<std::int64_t, 3> threads{}; // of each block, in x, y and z
};

// Threads of one block that take part in a finding: with an access, or by where they stand.
struct ThreadsView {
    std::string
        does;    // "reads", "writes", "updates"; "arrives", "waits", "runs", "away" (parted from them there), "left"
    Place place; // what they do, or where they stand; line 0: nowhere in the script
    std::array<std::int64_t, 3> block{};
    std::vector<std::array<int, 2>> threads; // the first and the last of each run of numbers
    std::string tensor;                      // of an access
    std::vector<std::int64_t> index;         // empty: not known
    bool is_access() const { return does == "reads" || does == "writes" || does == "updates"; }
    int count() const;
};

struct DiagnosticView {
    bool is(DiagId what) const { return id == info(what).id; }

    std::string id;
    Severity severity = Severity::Error;
    std::string message;
    Place place;
    std::vector<NoteView> notes;
    std::vector<FixView> fixes;
    std::optional<ThreadPlace> where; // findings in kernels
    std::vector<ThreadsView> parties; // of those that are about several threads: its own first
    std::string rendered;             // for a terminal: "file:line:col: error: ...", the line, carets, notes
};
DiagnosticView view_of(const Diagnostic& diagnostic, const SourceMap& sources);
void add_note(DiagnosticView& view, const std::string& message); // about no place

// An origin (lang/base/origin.h) as people read it, who have neither the sources nor the table of passes.
struct OriginView {
    Place place;
    std::string pass; // that made it; empty: written in the script
};

// The bytes [begin, end) of a text, and where they came from.
struct TokenView {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    OriginView origin;
};

struct TextSnapshot {
    std::string text;
    std::vector<OriginView> lines; // one for each line of the text
    std::vector<TokenView> tokens; // of IR and generated C++ and CUDA C++, in order
    std::vector<int> source_lines; // of PTX and SASS: for each line the 1-based line of the CUDA text, or 0
    // Of SASS: for each line how its instruction is scheduled, "B01---- R- W2 - S05 a--"; empty: no instruction. It waits for
    // barriers 0 and 1, sets none when it has read its operands and 2 when its result is there, lets no other warp go (Y)
    // stalls its own for 5 cycles, and keeps its first operand at hand.
    std::vector<std::string> controls;
    std::string temporaries; // of IR: the variables that no person named (compiler/ir/text/print.h)
};

// What ptxas says of a kernel.
struct KernelFacts {
    std::string name;
    int registers = 0; // a thread
    int stack_bytes = 0;
    int spill_store_bytes = 0;
    int spill_load_bytes = 0;
    int static_shared_bytes = 0; // a block
    int barriers = 0;            // a block
};

struct MachineSnapshot; // snapshot/machine.h

struct FormSnapshot {
    std::string name; // "ptx"
    TextSnapshot text;
    std::string bytes; // of a form that is no text
    std::vector<KernelFacts> kernels;
    std::shared_ptr<const MachineSnapshot> machine; // of SASS, where the request asked for it
    std::string compiler;                           // "NVRTC 13.0"; empty: none was needed
    bool from_cache = false;
    double ms = 0; // including what it is made from, unless that was there already
};

struct PassSnapshot {
    int number = 0; // 1-based, in the order in which passes ran; 0 is the module as the script made it
    std::string name;
    std::string summary;
    bool changed = false;
    double ms = 0;
    std::shared_ptr<const TextSnapshot> module; // where the request asked for it and the pass changed something
};

struct FunctionSnapshot {
    std::string name;
    std::string kind; // "cuda_kernel"
    Place place;
};

// Cheap to copy: its texts are shared.
struct ModuleSnapshot {
    int number = 0; // 1-based, in the order in which the script built them
    Place site;     // where the script built it
    std::vector<FunctionSnapshot> functions;
    std::vector<PassSnapshot> passes;                       // the first is the module as the script made it
    std::vector<std::shared_ptr<const FormSnapshot>> forms; // those that the request asked for and that could be made
    bool lowered = false;                                   // false: a user mistake stopped it, see the diagnostics
};

// What no run of the emulator finds, however it ends.
inline constexpr const char* not_emulated = "races between threads, reads of what was never written";

// What the lines of kernels did on the emulator, in all launches of a run (runtime/vm/observe/counters.h says what is counted).
struct KindCounters {
    std::string kind;               // "integer", "load", ...
    std::uint64_t instructions = 0; // of warps
};

struct AccessCounters {
    std::string memory; // "global", "shared"
    std::string access; // the kind of the instruction
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0; // that threads asked for
    std::string unit;        // "sectors", "wavefronts"
    std::uint64_t count = 0;
    std::uint64_t least = 0; // the ideal
    std::uint64_t worst = 0; // times the ideal, of one request
};

struct LineCounters {
    std::string kernel;
    Place place;
    std::uint64_t instructions = 0; // of warps
    std::uint64_t threads = 0;      // that ran in them
    std::uint64_t flops = 0;
    std::uint64_t branches = 0;
    std::uint64_t divergent = 0; // of them
    std::vector<KindCounters> kinds;
    std::vector<AccessCounters> accesses;
};

// A pipeline: when the warps of one block do what, by the clocks of runtime/vm/observe/timeline.h or by marks in the kernel, which do
// not know when a copy lands, nor who comes last to where others wait. A copy counts as landed for them when the first wait for
// it has ended.
struct TimelineSpan {
    std::string kind; // "copy": it is begun; "wait", "compute", "store"
    int warp = 0;
    Place place;
    std::int64_t begin = 0, end = 0;
    std::int64_t landed = 0, bytes = 0; // of a copy
    int slot = -1;                      // the stage that it fills
    std::string awaits;     // of a wait: "copies", "barrier in memory", "barrier", "cluster", "products", "stores"
    std::string barrier;    // "full[1]": that is waited at, or that counts the bytes of a copy
    std::int64_t phase = 0; // of a barrier in memory, from 1 on
    bool by_copy = false;   // what came last was a copy, else a warp
    int by_warp = -1, by_rank = 0;
    Place by_place;
};
struct TimelineBubble { // waits of one kind, of all warps of a role
    std::string role;
    int warps = 0;
    std::string awaits, barrier; // without numbers: "full"
    Place place;
    bool by_copy = false;
    Place by_place;
    std::string reason; // in words
    std::int64_t times = 0, steps = 0;
    double share = 0; // of a warp's time, 0 to 1
};
struct TimelineRole {
    std::string name; // "copy", "compute, store"
    std::vector<int> warps;
};
struct TimelineView {
    std::string kernel;
    std::string source;        // "the emulator's order, not time", "measured on NVIDIA H200, marks: +3 %"
    std::string unit = "step"; // of all times: "step", "cycle"
    bool marked = false;       // by marks in the kernel
    double seconds_with_marks = 0, seconds_without_marks = 0; // a call, or one of its several kernels; 0: not measured
    std::int64_t nanoseconds = 0;                             // of the block, by the timer of a GPU; 0: not measured
    std::int64_t block = 0, blocks = 1;
    std::int64_t launch = 1, launches = 1; // of this kernel, from 1 on
    std::int64_t dropped = 0;              // marks that found no place
    int warps = 0;
    std::int64_t steps = 0, copy_steps = 0;
    int stages = 0; // of a ring, that copies fill
    bool is_cut_short = false;
    std::vector<TimelineRole> roles;
    std::vector<TimelineBubble> bubbles; // the longest first
    std::vector<TimelineSpan> spans;
};

// What a run did. Launches are of kernels, calls are of module functions from the script.
struct RunSummary {
    int modules = 0;
    int calls = 0;
    int kernels = 0; // different ones that were launched
    std::int64_t launches = 0;
    double ms = 0;         // spent in calls
    bool emulated = true;  // kernels; false: they ran on `device`
    std::string device;    // the name of the GPU
    int native_calls = 0;  // of functions that were compiled for the CPU
    std::string schedules; // of graphs on a GPU: "untuned", "2 of 14 kernels tuned at level 1"
    // Orders of warps and blocks that launches were run in whose order may matter: of the one with the least, and with the most;
    // nothing: there was none.
    std::optional<int> orders_least, orders_most;
    std::optional<std::uint64_t>
        found_in;            // the seed of the random order that shows what was found, where lock step does not
    std::string not_checked; // by compiled functions; empty: they check what the emulator does
    std::vector<std::string> uncalled;   // modules that were built and never called, by their functions
    std::vector<std::string> replaced;   // "scale by scale.cu": kernels that ran from a text of the user's
    std::vector<LineCounters> counters;  // of emulated kernels, where the request asked for them
    std::vector<TimelineView> timelines; // likewise
};

} // namespace hidet::session
