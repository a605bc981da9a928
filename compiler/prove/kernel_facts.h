// SPDX-License-Identifier: Apache-2.0
// What a kernel does, in one thread whose index, block and sizes are any: each access to memory with the condition under which
// it happens, barriers, and which accesses no barrier keeps apart.
#pragma once

#include <array>
#include <optional>
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

// Of an element that an address is made of: where a view has a shape of its own, it is kept like that of the memory behind it.
struct ElementOfView {
    std::string view;
    std::vector<Term> index, shape;
    bool operator==(const ElementOfView&) const = default;
};

// Some elements of a tensor, or bytes of an object.
struct Place {
    int object = -1;
    // Of an element of the object itself: its index, and so many elements of the last dimension from there on. Else empty.
    std::vector<Term> index, shape;
    std::int64_t count = 1;
    std::vector<ElementOfView> views = {};
    Term offset = nullptr; // in bytes; null: not known
    Term bytes = nullptr;
    Term block = nullptr; // the rank of another one of the cluster, in whose shared memory it is; null: its own
    // A box of what a tensor map describes: where it begins, and how long it is. The bytes are all that the map does.
    const ir::Var* map = nullptr;
    std::vector<Term> corner = {}, box = {};
};

enum class Does : std::uint8_t { Reads, Writes, UpdatesAtOnce };

// When a thread does something: at which iterations of the loops around it, and behind which other statements.
struct Moment {
    struct Around {
        int loop = 0; // its place
        Term iteration = nullptr;
        Term extent = nullptr;   // null: not known
        bool is_complete = true; // it runs at all iterations that it may; false: perhaps it is left before
    };
    std::vector<Around> loops = {}; // from the outermost on
    int place = 0;                  // among all that the kernel has, loops with what is in them
};
// That one thread does the first before the second.
Term is_before(Terms& terms, const Moment& first, const Moment& second);

// What it takes for an asynchronous access to have taken place.
enum class EndsBy : std::uint8_t {
    Itself,
    CopyGroup, // a wait for its group of cp.async
    BulkGroup, // a wait for its group of copies by the copy unit
    Product,   // a wait for its group of products of a warp group
    Barrier,   // the phase of the mbarrier that counts its bytes
};

struct MemoryAccess {
    const ir::Node* at = nullptr;
    Place place;
    Does does{};
    Term when = nullptr;
    bool is_by_warp = false;  // other lanes get what lies there
    std::int64_t aligned = 1; // its address must be a multiple of that
    bool is_repeated = false; // the same as another one in the list, at one iteration of a loop
    Moment moment = {};
    EndsBy ends_by = EndsBy::Itself;
    int ends_at = 0;            // Barrier: the place of the event that counts its bytes
    bool is_of_barrier = false; // an instruction about an mbarrier, which lies there
};

// At a barrier that counts who arrives: an mbarrier, or a named one.
enum class SyncKind : std::uint8_t {
    Init,
    Arrive,
    ArriveOfCopies, // when the copies by cp.async are done that the thread began
    Expect,         // bytes; the thread arrives later
    Bytes,          // of a copy come
    Wait,
    MeetWarp,  // a barrier of the whole warp; at no barrier object
    MeetBlock, // one of the block or the cluster
    Fence,     // after which asynchronous accesses see what the thread wrote, as at no barrier object
};

struct SyncEvent {
    const ir::Node* at = nullptr;
    SyncKind kind{};
    int object = -1;       // that the barrier lies in
    Term offset = nullptr; // null: not known
    Term when = nullptr;
    Moment moment = {};
    Term parity = nullptr;     // Wait at an mbarrier
    Term count = nullptr;      // Init, and Arrive at a named one: of threads in a phase
    Term bytes = nullptr;      // Arrive, Expect: that come in the phase, too; Bytes: that came. Null: none
    bool is_own_phase = false; // Wait: for the phase in which the thread arrived just before
    bool adds_one = false;     // ArriveOfCopies: the phase waits for one more than it is made for
};

// An access that nothing orders yet with those of other threads.
struct OpenAccess {
    std::size_t access = 0;
    // Of an asynchronous copy: of which group of its thread it is, and whether it may still be under way. Without a barrier
    // after the wait it is open as others are.
    Term group = nullptr;
    bool is_under_way = false;
    Term closed = nullptr;    // where its group is; null: nowhere yet
    bool is_unfenced = false; // a write that asynchronous accesses may not see, and that no others meet any more
    Term fenced = nullptr;    // where they see it; null: nowhere
    std::optional<Moment> fenced_at = {};
    Term fenced_later =
        nullptr; // where a thread behind the barrier has had a fence, which lets its own accesses see it
    std::optional<Moment> fenced_later_at = {};
    Term when = nullptr;               // beside the condition of the access; null: always
    std::optional<Moment> waited = {}; // at which time it was known to be done
};

struct
    Meeting { // a barrier, an instruction of a whole warp, or the count of a loop with a barrier: all threads come, or none
    const ir::Node* at = nullptr;
    Term when = nullptr;
    Term left = nullptr;             // it has returned, and nobody waits for it
    Term value = nullptr;            // not null: a number that has to be the same for all
    std::string doubt = {};          // why an example may be none
    int of_threads = 0;              // so many beside each other, not the block: a warp, or four
    std::vector<Term> together = {}; // iterations of loops, at which the threads are the same
};

inline bool arrives_at_barrier(const SyncEvent& event) {
    return event.kind == SyncKind::Arrive || event.kind == SyncKind::ArriveOfCopies;
}

struct Obstacle { // what the analysis does not see through; races are open
    const ir::Node* at = nullptr;
    std::string what;
    bool hides_accesses = false; // which memory
    bool hides_meetings = false; // who waits for whom
    bool hides_order = true;     // so that a race that is seen may be none
};

struct KernelFacts {
    std::vector<Object> objects;
    std::vector<MemoryAccess> accesses;
    std::vector<std::vector<OpenAccess>> intervals; // between barriers
    std::vector<SyncEvent> syncs;                   // each once, at any iteration of the loops around it
    std::vector<Meeting> meetings;
    std::vector<Obstacle> obstacles;
    std::map<std::string, Term> sizes; // of the launch, by their names
    Term launched = nullptr;           // what holds of it
    std::array<Term, 3> thread{}, block{};
    std::array<Term, 3> block_dim{}, grid_dim{}, cluster_dim{};
    bool has_cluster = false;
};

// Threads of a warp also wait for each other at the barriers of warps, so that they are at the same iterations of loops that
// have one. Others do not: what holds of pairs of threads is looked at twice where a kernel has such barriers.
enum class View : std::uint8_t {
    Block,   // any two threads; barriers of warps are not seen
    Warp,    // two of one warp
    Cluster, // of two blocks of a cluster; only barriers of clusters are seen
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
Term linear_thread(Terms& terms, const KernelFacts& facts);   // its number in its block
Term rank_in_cluster(Terms& terms, const KernelFacts& facts); // of its block

} // namespace hidet::compiler::prove
