// SPDX-License-Identifier: Apache-2.0
// Stopping a launch in the middle, forward and back.
//
// A launch that somebody wants to stop in runs on one host thread, so what it does is one sequence, and a position in it is the
// number of instructions that were dispatched before: the same each time. Nothing is logged. To go back, the launch begins again at
// a checkpoint, which has the memory that the kernel may write as it was when a block began, and runs up to the position in
// silence. A search for the last place that fits runs from the checkpoint before it, and from the one before that if there was
// none. Checkpoints have a budget: when it is spent, every second one is dropped and they are made half as often.
//
// A write to watched bytes is heard of while its instruction runs; the launch then goes back to stand before it, as it does
// where something is found. A copy of the asynchronous units counts where it is begun.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/launch_shape.h"
#include "compiler/artifact/variable_notes.h"
#include "runtime/vm/machine.h"

namespace hidet::vm {

class Block;
struct Group;

using Position = std::uint64_t;

// Threads of the block that run together, or ended together.
struct GroupPlace {
    int number = 0;
    std::uint32_t pc = 0;                     // of what it does next, or waits at
    const char* waits = "";                   // what for; empty: it runs, or is about to
    std::vector<std::uint32_t> alive, active; // threads, a word a warp
    bool is_next = false;                     // the instruction that comes is its
};

struct Writer {
    Position position = 0; // of the instruction
    std::array<std::int64_t, 3> block{};
    std::vector<std::uint32_t> threads; // a word a warp
    std::uint32_t pc = 0;
    bool is_unit = false; // a copy that those threads started, not they themselves
};

// Global memory by the host's address, or a shared array.
struct WatchedBytes {
    const std::byte* address = nullptr; // null: shared memory
    std::int32_t shared = 0;            // its row
    std::int64_t block = 0;             // whose it is, by its number in the grid
    std::int64_t at = 0, bytes = 0;     // from the address or in the array
};

// What an instruction does to watched bytes.
struct WatchedWrite {
    Position position = 0;
    std::size_t row = 0; // of the bytes, among all that are watched
    int thread = 0;
};

// Where a launch stands, before an instruction. Lives as long as it stands there.
class Standing {
public:
    Standing(Block& block, const Group& group, Position position, std::uint32_t pc)
        : m_block(block), m_group(group), m_position(position), m_pc(pc) {}
    Position position() const { return m_position; }
    const artifact::Function& kernel() const;
    const artifact::LaunchShape& shape() const;
    std::array<std::int64_t, 3> block() const;
    std::int64_t block_number() const; // in the grid
    std::uint32_t pc() const { return m_pc; }
    std::vector<GroupPlace> groups() const; // that have not ended
    bool is_alive(int thread) const;        // of the group that goes on
    bool runs(int thread) const;            // the instruction
    int first_thread() const;               // that does; -1: none, as for what only ends a branch
    bool has_warp(int warp) const;          // threads of it are in the group
    std::uint64_t argument(std::size_t row) const;
    // As a u register holds it, for a thread of the group that goes on.
    std::uint64_t value(const artifact::NamedValue& named, int thread) const;
    double real_value(const artifact::NamedValue& named, int thread) const; // of a real type
    double real_argument(std::size_t row) const;                            // likewise
    std::vector<KeptTile> tiles() const;
    const BufferInfo* buffer_at(std::uint64_t pointer) const;                    // null: it points to no memory
    const std::byte* memory_at(std::uint64_t pointer, std::int64_t bytes) const; // null likewise
    std::uint64_t digest() const; // of registers, shared memory and what the kernel may write

private:
    Block& m_block;
    const Group& m_group;
    Position m_position;
    std::uint32_t m_pc;
};

enum class Why : std::uint8_t { Begin, Mark, Position, Interrupted, Finding, Write, Answer };

struct Stop {
    Why why{};
    const Finding* finding = nullptr;  // with Finding: what the instruction will do
    bool is_first = false;             // there was no earlier place
    std::optional<Writer> writer = {}; // with Answer: who wrote the bytes last; nothing: nobody
    WatchedWrite write = {};           // with Write: what the instruction will do
};

enum class Way : std::uint8_t {
    On,         // to a mark or a watched write that the debugger stops at, or a finding
    Back,       // to the last of these before
    To,         // the position
    FindWriter, // of the bytes, and come back
    Leave,      // to the end, with no more questions
};

struct Going {
    Way way = Way::On;
    std::vector<std::uint8_t> marks = {}; // of each instruction, whether stops() is asked before it
    std::vector<WatchedBytes> watched = {};
    Position position = 0;
    WatchedBytes bytes = {};
};

// What all threads of the process may call is interrupts(); the rest comes on the thread of the launch.
class Debugger {
public:
    virtual ~Debugger() = default;
    virtual bool wants(const artifact::Function& kernel, const artifact::LaunchShape& shape) = 0;
    virtual bool stops(const Standing& standing) = 0;
    // The same of one thread that is about to write watched bytes.
    virtual bool stops_at_write(const Standing& standing, const WatchedWrite& write) = 0;
    virtual bool interrupts() = 0; // asked now and then; true once for each time that somebody wants it
    virtual Going stand(const Standing& standing, const Stop& stop) = 0;
};

} // namespace hidet::vm
