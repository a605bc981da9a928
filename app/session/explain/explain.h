// SPDX-License-Identifier: Apache-2.0
// Why a kernel takes as long as it will: each access to memory with what it costs and how to cure it, and what the whole costs.
// Nothing runs: all of it is read off the lowered kernels.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/session/explain/proof_view.h"
#include "app/session/kernel_bench/kernel_bench.h"
#include "app/session/preview/preview.h"
#include "compiler/perf/roofs.h"
#include "compiler/perf/waves.h"

namespace hidet::session {

struct ExplainRequest {
    PreviewRequest preview; // `function`: of this kernel only; `arch`: the GPU that costs are of
    bool cost = true;       // and not the accesses alone; registers need a compiler
    bool waves = false;     // which blocks run together, and what they share
    bool loops = false;     // what limits loops, and which edits would raise that
    bool shared = false;    // from where to where shared tensors are in use
    bool bounds = false;    // whether accesses stay within their tensors
    bool proofs = false;    // what holds for all sizes; needs a solver
    std::optional<std::array<std::int64_t, 3>> block = {}; // which elements this one reads and writes
    bool fixes = true; // edits are tried before they are offered, which takes an evaluation of the script each
};

// A loop around an access, or a dimension of the grid.
struct AroundView {
    std::string variable;
    std::int64_t trips = 0;         // 0: not known
    bool matters = false;           // the address depends on it
    std::optional<std::int64_t> by; // bytes from one trip to the next; nothing: not always the same
};

// The 32 lanes of one warp: of global memory a picture of lanes and sectors, of shared memory of lanes and banks.
struct LanesView {
    int warp = 0;
    std::vector<std::int64_t>
        offsets; // by lane, bytes from the beginning of the tensor, of shared memory from that of the block's
    std::vector<int> bytes;            // by lane; 0: it takes no part
    std::vector<std::int64_t> sectors; // global: that are touched, by number
    std::int64_t lines = 0;            // global: lines of 128 bytes
    std::vector<int> banks;            // shared: how many words are wanted of each of the 32 banks, in the worst part
    int parts = 1;                     // shared: in which the warp is served
    bool is_broadcast = false;         // several lanes want the same
    std::int64_t units = 0, least = 0; // of this request
};

// A load that does the same in each turn of these loops, in which nothing may write what it reads.
struct HeldView {
    std::vector<std::string> over;
    double requests = 0, bytes = 0, units = 0, least = 0; // loaded once before them
};

struct AccessView {
    std::string kernel;
    Place place;
    std::string kind;    // "load", "store", "atomic", "copy", "ldmatrix", ...
    std::string memory;  // "global", "shared"
    std::string tensor;  // empty: not known
    int lane_bytes = 0;  // that a lane asks for at once
    int vector = 0;      // elements of them
    std::string form;    // "affine": the address is a sum of strides; "sampled": it is that of `lanes`; "unknown"
    std::string address; // "4 * threadIdx.x + 320 * p": bytes; empty where it is not affine
    std::vector<AroundView> around;
    std::vector<std::string> independent; // of these loops: it touches the same in each iteration
    bool is_guarded = false;              // lanes without work, which is no fault
    std::string counted;                  // "exact", "sampled", "unknown"
    std::string why;                      // it is not exact
    double requests = 0, bytes = 0;
    std::string unit; // "sectors", "wavefronts"
    double units = 0, least = 0;
    double ratio = 1; // units / least
    std::int64_t worst = 1;
    LanesView lanes;
    std::optional<HeldView> held; // what is left of it where the compiler holds it in registers over loops
    std::string note;             // on how it is counted; empty: there is nothing to say
    std::string verdict;          // what it moves beside the ideal, in words, where nothing is wrong
    std::string finding;          // what is wrong, in words; empty: nothing
    std::string cure;
    std::vector<FixView> fixes; // of one cure, to be applied together; the script was tried with them
};

using perf::Pipe;
using perf::WaveOperand;
using perf::WavesView;
using perf::WaveView;

// The cost of a kernel at its launch, and what a compiler said of it.
struct CostView : perf::KernelCost {
    std::optional<KernelFacts> facts;
    std::string facts_unknown;
};

// An edit that would raise the limit of a loop.
struct LoopAdvice {
    std::string rule; // of loop_rules.def
    std::string edit; // in words
    std::vector<Place> evidence;
    double gain = 1;   // of the limit
    std::string limit; // the pipe that limits it then
};

// What a block does in a turn of a loop.
struct LoopView {
    Place place;
    std::string variable;
    std::int64_t trips = 0; // 0: not known
    bool is_inner = true;
    std::string unknown;                // why nothing more is known; empty: it is
    double flops = 0, matrix_flops = 0; // the latter by matrix units
    bool flops_at_most = false;
    std::string flops_unknown;
    double global_bytes = 0, shared_bytes = 0; // that lanes ask for
    double sector_bytes = 0;                   // of global memory, that move for them
    double distinct_bytes = 0;                 // that have to come from the device's memory at least
    std::vector<Pipe> pipes;                   // for a turn of one block, at least; the busiest first
    std::string limiter;                       // its name; empty: not known
    std::vector<LoopAdvice> advice;            // what gains most first
};

// What one block touches of a tensor.
struct BlockOperand {
    std::string tensor;
    std::string direction; // "read", "written", "read and written"
    std::string dtype;     // empty, with a shape of bytes: the script says none
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> low, high;          // the hull, the last index included
    std::int64_t read = 0, written = 0;           // elements
    std::int64_t outside = 0;                     // bytes behind the tensor
    bool is_at_most = false;                      // data decides about some of them
    std::int64_t rows = 0, columns = 0;           // of the matrix that the tensor is, its last dimension across
    std::int64_t cell_rows = 1, cell_columns = 1; // of it, in a cell of the pictures
    std::vector<std::vector<double>> read_share, written_share; // of each cell, 0 to 1; empty: nothing is
};

struct BlockView {
    std::vector<std::int64_t> block, grid;
    std::string unknown; // why there is nothing; empty: there is
    std::vector<BlockOperand> operands;
    std::vector<std::string> left_out; // tensors whose addresses depend on data
};

// A shared tensor of a kernel, from where it is used first to where it is used last.
struct SharedTensor {
    std::string name, dtype;
    std::vector<std::int64_t> shape;
    std::int64_t offset = 0, bytes = 0; // of the block's shared memory
    bool is_dynamic = false;            // at an offset that the script chose
    std::int64_t stages = 1;            // it is a ring of so many
    Place place;                        // where it is declared
    Place first, last;                  // uses; not known: it has none
    int begin = 0, end = 0; // the same as numbers of statements in program order, loops that it stays in included
};

struct SharedMoment { // between two statements in program order
    int statement = 0;
    std::int64_t bytes = 0; // in use from here on
};

struct SharedView {
    std::vector<SharedTensor> tensors; // by offset
    int statements = 0;
    std::int64_t bytes = 0; // that a block has
    std::int64_t peak = 0;  // in use at a time at most
    Place peak_at;
    std::int64_t unused = 0;           // bytes that no tensor lies in
    std::vector<SharedMoment> moments; // where it changes
    std::string advice;                // what could share its place with what; empty: nothing
};

struct TurnView { // of a loop
    std::string variable;
    std::int64_t number = 0;
};

// Whether an access stays within its tensor, in all threads, blocks and turns of loops.
struct BoundsAccess {
    Place place;
    std::string kind, memory, tensor; // as of AccessView
    std::string verdict;              // "proved", "leaves", "not decided"
    bool for_any_size = false;        // it is proved whatever the sizes of the call are
    std::string why;                  // it is not decided
    std::string example;              // a thread that leaves, in words; of what is not decided one that may
    std::vector<std::int64_t> block, thread;
    std::vector<TurnView> turns;            // of the loops around, from the outside in
    std::vector<std::int64_t> index, shape; // of the element
    std::int64_t threads = 0;               // of the block, that leave there
};

struct BoundsView {
    std::string sentence;               // "all 14 accesses stay in bounds (proved)"
    std::string sizes;                  // that it is said of, as of KernelExplained
    std::vector<BoundsAccess> accesses; // those that leave first, then those that are not decided
    std::int64_t proved = 0, undecided = 0, leaves = 0;
    std::vector<DiagnosticView> mistakes; // what leaves, as the emulator says it when it comes there
};

// What a kernel loses time to, for people.
struct KernelFinding {
    std::string figure;   // which one shows it: "accesses", "loops", "waves", "occupancy", "machine"
    std::string sentence; // "load of 'a': 2 times as many sectors as needed"
    std::string cure;     // empty: none is known
    Place place;          // not known: it is about the launch
    double seconds = 0;   // of the predicted time, at most, that go if it is mended; 0: not known
    std::vector<FixView> fixes;
};

struct KernelExplained {
    int module = 0;
    std::string launched_by;          // a host function; empty: there is none
    double launches = 1;              // in a call of it
    double all_seconds = 0;           // predicted, of these
    bool is_launched_in_loop = false; // which counts once, because nobody knows how often it runs
    std::string name;
    Place place;
    std::string target; // "NVIDIA H200"
    std::string
        sizes; // "m = 100, n = 120": of dynamic dimensions and numbers, by the script's first call; empty: it has none
    std::vector<AccessView> accesses; // the worst first
    std::optional<CostView> cost;
    double coalesced = 1; // sectors that are ideal over those that move, of what is counted
    double conflicts = 0; // wavefronts beyond the ideal
    bool is_all_counted = true;
    std::optional<WavesView> waves;      // where they were asked for
    std::vector<LoopView> loops;         // likewise
    std::vector<KernelFinding> findings; // findings_of(), where all of it was explained at once
    std::optional<SharedView> shared;
    std::optional<BlockView> block;
    std::optional<BoundsView> bounds;
    std::optional<ProvedKernel> proof;
    std::string unproved; // why there is no proof; empty: nobody has asked for one
};

// What a call of a function takes that launches more than one kernel, or one several times.
struct LaunchTotal {
    int module = 0;
    std::string function;
    double launches = 0;
    double predicted_seconds = 0; // of all of them
    std::vector<std::string> at_least;
};

struct ExplainResult : Outcome {
    std::vector<KernelExplained> kernels;
    std::vector<LaunchTotal> totals;
    int modules_built = 0;
    double analysis_ms = 0; // of maps and costs, without the compiler
};

ExplainResult explain(const ExplainRequest& request);

std::string flops_text(const CostView& cost); // "at most 2.1 MFLOP"
// "4.62 µs, 44 % of the roof", "at least 4.62 µs: how much a while loop in line 7 adds is not known".
std::string predicted_text(const CostView& cost);
std::string at_least_text(const std::vector<std::string>& what); // "how much a while loop in line 7 adds is not known"

// The script with the edits of one access. Nothing: they do not fit it.
std::optional<std::string> with_edits(const Source& source, const std::vector<FixView>& fixes);

} // namespace hidet::session
