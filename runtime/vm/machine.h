// SPDX-License-Identifier: Apache-2.0
// The virtual machine: runs the bytecode of a module, host functions as one thread, kernels as an emulated GPU that
// checks every access. It owns no tensors: the caller maps its memory and passes the pointers it gets.
//
//     vm::Machine machine;
//     vm::Pointer a = machine.map(data, bytes, {.name = "a", .dtype = "f32", .shape = {16, 16}});
//     vm::CallResult result = machine.call(program, "launch", {a, std::int64_t(16)});
//     for (const vm::Finding& finding : result.findings) sink.report(vm::to_diagnostic(finding));
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/artifact/program.h"
#include "compiler/artifact/target_spec.h"
#include "lang/base/device.h"
#include "lang/base/diagnostic.h"
#include "lang/base/result.h"
#include "runtime/vm/checks/init_bitmap.h"
#include "runtime/vm/checks/owner_map.h"
#include "runtime/vm/matrix/tiles.h"
#include "runtime/vm/observe/counters.h"
#include "runtime/vm/observe/timeline.h"

namespace hidet::vm {

// An address of the machine: the number of an allocation and a place in it. Zero is the null pointer.
struct Pointer {
    std::uint64_t bits = 0;
    friend bool operator==(Pointer, Pointer) = default;
};

struct BufferInfo {
    std::string name = {};  // how findings call it when the access names no tensor
    std::string dtype = {}; // for texts only
    std::vector<std::int64_t> shape = {};
    Device device = Device::Cuda;
    bool initialised = true;
    bool read_only = false;           // a store into it is a finding
    bool is_mapped = false;           // of the CPU, and kernels reach it too
    std::uint64_t device_address = 0; // where it lies on the real device, when there is one behind the machine
    // Which bytes of memory that began undefined hold something, where the checks ask for it, and at which of them this
    // begins; null: all do.
    std::shared_ptr<InitBitmap> written = {};
    std::int64_t written_at = 0;
    std::shared_ptr<OwnerMap> owners = {}; // null: nobody asks who writes what
    std::vector<std::byte*> peers = {};    // of symmetric memory: where each rank has it
};

// The instruction set that the vector operations were compiled for. Results are the same bits in each.
enum class VectorIsa : std::uint8_t { Best, V2, V3, V4 };
bool has_isa(VectorIsa isa); // can this processor run it

// Bounds: of every access, and misuse of barriers. All: reads of what was never written, races, waits and fences too.
enum class Checks : std::uint8_t { Bounds, All };

// LockStep: what runs together does so as far as it goes, groups and blocks in ascending order. Random: every warp alone,
// as the seed says: warps, blocks, the threads of an atomic, and when copies arrive.
enum class Schedule : std::uint8_t { LockStep, Random };

class Team;          // team.h
class DeviceBackend; // backend.h
class Debugger;      // debug/debugger.h
struct DeviceLaunch;

struct MachineOptions {
    Schedule schedule = Schedule::LockStep;
    std::uint64_t seed = 0; // of a random order; in lock step of groups alone, 0: ascending
    // Of launches in lock step whose accesses are checked: the orders that each is run in where it may matter, lock step the first;
    // and the steps that the others may take, of all launches.
    int orders = 1;
    std::int64_t order_steps = 10'000'000;
    std::uint64_t max_steps = 200'000'000'000;          // instructions times threads of a call; above it a finding
    std::uint64_t max_block_instructions = 100'000'000; // dispatched by one block; ten times that by a host function
    int threads = 0; // host threads for independent blocks; 0: one for each processor
    int lanes = 0;   // threads that run together at most, a multiple of 32; 0: chosen
    VectorIsa isa = VectorIsa::Best;
    Checks checks = Checks::Bounds;
    bool counts = false; // what each instruction of a kernel does
    // Asked of each launch that is emulated: whether one of its blocks is timed. Null: none is.
    std::function<bool(const artifact::Function& kernel)> times = {};
    artifact::BlockIndex timed_block = {};
    bool marks = false;                               // it is timed by the marks in its kernel, not by its events
    std::uint64_t copy_steps = 600;                   // that a copy takes until it lands, of such a block
    std::optional<TileRequest> tiles = {};            // whose shared memory is kept
    const std::atomic<bool>* cancelled = nullptr;     // polled
    std::function<void(std::string_view)> print = {}; // text of printf; called on the thread that calls call()
    std::size_t most_printed = 4 << 20; // bytes that one launch prints; the rest is left out, which is said
    // Where kernels are launched; null: they are emulated. Host functions run here either way. Must outlive the machine.
    DeviceBackend* backend = nullptr;
    artifact::TargetSpec target = artifact::default_gpu(); // whose limits launches keep
    // Of the ranks of a program, which each have a machine: this is the one of `rank`. Kernels that reach others are launched by all
    // of them together. Null: it is alone.
    std::shared_ptr<Team> team = {};
    int rank = 0;
    // How many blocks of so many threads and bytes of shared memory the target holds at a time: those may wait for each other.
    // Null: 64.
    std::function<std::int64_t(std::int64_t threads, std::int64_t shared_bytes)> resident_blocks = {};
    // Who stops in launches that are emulated, with all checks; null: nobody. Launches are slower where somebody may.
    Debugger* debugger = nullptr;
    // Told of each launch before it is made: its kernel and shape, without arguments.
    std::function<void(const DeviceLaunch&)> launched = {};
};

enum class FindingKind : std::uint8_t {
#define HIDET_FINDING_KIND(name, diagnostic) name,
#include "runtime/vm/checks/finding_kinds.def"
};

struct RelatedPlace {
    Origin origin;
    std::string message;
};

// What threads do that take part in a finding, or where they stand.
enum class Doing : std::uint8_t {
    Reads,
    Writes,
    Updates,
    Arrives, // at the barrier that the finding is about
    Waits,
    Runs,
    Away, // they parted there from those that they were with
    Left,
};
const char* name_of(Doing doing); // "reads"

using ThreadRuns = std::vector<std::array<int, 2>>; // by number in the block, the first and the last of each
std::string threads_text(const ThreadRuns& runs);   // "threads 0 to 15, 32 and 7 others"

// Threads of one block that take part in a finding.
struct Party {
    Doing doing{};
    Origin origin; // of the access, or where they stand; unknown: nowhere in the script
    std::array<std::int64_t, 3> block{};
    ThreadRuns threads;
    std::string tensor;              // of an access
    std::vector<std::int64_t> index; // empty: not known
};

struct Finding {
    FindingKind kind{};
    std::string function; // kernel or host function
    bool in_kernel = false;
    int rank = 0; // of the GPU
    Origin origin;
    std::int64_t block[3] = {0, 0, 0};
    std::int64_t thread[3] = {0, 0, 0};
    std::int64_t block_dim[3] = {0, 0, 0}; // threads of each block
    std::vector<Party> parties;            // of one that is about several threads: its own first
    std::string tensor;                    // empty: no tensor is involved
    std::string dtype;
    std::vector<std::int64_t> index; // empty: only the address is known
    std::vector<std::int64_t> shape;
    bool is_store = false;
    std::int64_t threads = 1; // how many threads of the access did it
    std::int64_t count = 1;   // how often it was found, where the kernel goes on after it
    int reach = 0; // of what would order the accesses: 1 a block, 2 a cluster; 0: a warp, or it is not about that
    std::optional<std::uint64_t>
        order; // the seed of the random order that shows it; nothing: the one that was asked for
    std::string
        message; // complete sentence: "kernel 'matmul' reads a[16, 3], outside of its shape [16, 16] (block ...)"
    std::vector<RelatedPlace> related;
    std::string code;                      // of DeviceError: the stable code of the environment's error
    std::shared_ptr<const KeptTiles> left; // what its block held then; null: nobody asks, or it was not the first
};
// An error of a device that came after the call that caused it.
Finding device_finding(const Error& error);
Diagnostic to_diagnostic(const Finding& finding);

struct Statistics {
    std::uint64_t instructions = 0; // dispatched: one works on all the threads of a group
    std::uint64_t thread_instructions = 0;
    std::uint64_t launches = 0;
    std::uint64_t blocks = 0;
    // Orders that launches were run in whose order may matter, of the one with the least and the one with the most; 0: none was.
    int orders_least = 0, orders_most = 0;
    std::uint64_t flops = 0;                   // floating-point operations of threads; an fma counts two
    std::vector<CountedInstruction> counted;   // by kernel, in their order; with MachineOptions::counts
    std::vector<BlockTimeline> timelines;      // of launches that are timed
    std::vector<artifact::MarkedBlock> marked; // likewise, with MachineOptions::marks
    std::vector<KeptTiles> tiles;              // of the last launch of each kernel; with MachineOptions::tiles

    void add(const Statistics& other) { // but what is counted by instruction
        instructions += other.instructions, thread_instructions += other.thread_instructions;
        launches += other.launches, blocks += other.blocks, flops += other.flops;
        if (other.orders_most)
            orders_least = orders_least ? std::min(orders_least, other.orders_least) : other.orders_least;
        orders_most = std::max(orders_most, other.orders_most);
    }
};

using Argument = std::variant<std::int64_t, double, Pointer>;
struct CallResult {
    bool ok = false; // false: `findings` say why
    std::variant<std::monostate, std::int64_t, double, Pointer> value;
    std::vector<Finding> findings;
    Statistics statistics;
};

class Machine {
public:
    explicit Machine(MachineOptions options = {});
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    // The memory must stay where it is until it is unmapped; without `data` it is memory of the device behind the machine,
    // at info.device_address. Mapping the same address range again gives the same pointer.
    Pointer map(void* data, std::size_t bytes, BufferInfo info);
    void unmap(Pointer pointer); // uses after this are findings

    // Values of dynamic dimensions; launch code reads them.
    void set_symbol_value(const std::string& name, std::int64_t value);

    // Runs a host function, or a kernel's host function. Kernels cannot be called directly. The program must outlive the
    // machine, and not change: what is made ready for its first call serves the later ones. Global variables of a program
    // live from its first call on.
    CallResult call(const artifact::Program& program, std::string_view function, const std::vector<Argument>& args);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace hidet::vm
