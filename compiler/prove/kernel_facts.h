// SPDX-License-Identifier: Apache-2.0
// What a kernel does, in one thread whose index, block and sizes are any: each access to memory with the condition under which
// it happens, barriers, and which accesses no barrier keeps apart.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "compiler/ir/func.h"
#include "compiler/prove/question.h"
#include "compiler/prove/term.h"

namespace hidet::compiler::prove {

enum class Space : std::uint8_t { Global, Shared, Register, Elsewhere };

struct Object { // what addresses lie in
    const ir::Var* var = nullptr;
    std::string name;
    Space space{};
    Term bytes = nullptr; // null: not known
    bool is_written = false;
    bool is_packed = false; // of values below a byte: those of one byte are stored without touching each other
};

// Some elements of a tensor, or bytes of an object.
struct Place {
    int object = -1;
    // Of an element of the object itself: its index, and so many elements of the last dimension from there on. Else empty.
    std::vector<Term> index, shape;
    std::int64_t count = 1;
    Term offset = nullptr; // in bytes; null: not known
    Term bytes = nullptr;
};

enum class Does : std::uint8_t { Reads, Writes, UpdatesAtOnce };

struct MemoryAccess {
    const ir::Node* at = nullptr;
    Place place;
    Does does{};
    Term when = nullptr;
    bool is_by_warp = false;  // other lanes get what lies there
    std::int64_t aligned = 1; // its address must be a multiple of that
    bool is_repeated = false; // the same as another one in the list, at one iteration of a loop
};

// An access that nothing orders yet with those of other threads.
struct OpenAccess {
    std::size_t access = 0;
    // Of an asynchronous copy: of which group of its thread it is, and whether it may still be under way. Without a barrier
    // after the wait it is open as others are.
    Term group = nullptr;
    bool is_under_way = false;
    Term when = nullptr;          // beside the condition of the access; null: always
    std::size_t waited_after = 0; // accesses of the thread up to there may have met the copy
};

struct
    Meeting { // a barrier, an instruction of a whole warp, or the count of a loop with a barrier: all threads come, or none
    const ir::Node* at = nullptr;
    Term when = nullptr;
    Term left = nullptr;    // it has returned, and nobody waits for it
    Term value = nullptr;   // not null: a number that has to be the same for all
    std::string doubt = {}; // why an example may be none
    bool is_of_warp = false;
    std::vector<Term> together = {}; // iterations of loops, at which the threads are the same
};

struct Obstacle { // what the analysis does not see through: in what order memory is touched, and
    const ir::Node* at = nullptr;
    std::string what;
    bool hides_accesses = false; // which memory
    bool hides_meetings = false; // who waits for whom
};

struct KernelFacts {
    std::vector<Object> objects;
    std::vector<MemoryAccess> accesses;
    std::vector<std::vector<OpenAccess>> intervals; // between barriers
    std::vector<Meeting> meetings;
    std::vector<Obstacle> obstacles;
    std::map<std::string, Term> sizes; // of the launch, by their names
    Term launched = nullptr;           // what holds of it
    std::array<Term, 3> thread{}, block{};
    std::array<Term, 3> block_dim{}, grid_dim{};
};

// Threads of a warp also wait for each other at the barriers of warps, so that they are at the same iterations of loops that
// have one. Others do not: what holds of pairs of threads is looked at twice where a kernel has such barriers.
enum class View : std::uint8_t {
    Block, // any two threads; barriers of warps are not seen
    Warp,  // two of one warp
};

struct LaunchOf { // null: whatever launches it
    const ir::Function* host = nullptr;
    const ir::LaunchStmt* launch = nullptr;
};

// The kernel as it is launched. Loops ask the solver for their invariants.
// `same_as`: facts with the same thread and block, of another view.
KernelFacts facts_of(Terms& terms, const ir::Function& kernel, const LaunchOf& launch, View view, const Ask& solver,
                     const KernelFacts* same_as = nullptr);
bool has_warp_barriers(const ir::Function& kernel);
Term linear_thread(Terms& terms, const KernelFacts& facts); // its number in its block

} // namespace hidet::compiler::prove
