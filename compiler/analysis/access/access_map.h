// SPDX-License-Identifier: Apache-2.0
// Every access of a kernel to global and shared memory: what the lanes of a warp touch, what that costs, and how often, without
// running anything. Works on a module as the emulator gets it, so that counts are those that the emulator finds.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/warp_traffic.h"
#include "compiler/ir/func.h"
#include "lang/base/symbol_values.h"

namespace hidet::compiler::access {

enum class AccessKind : std::uint8_t { Load, Store, Atomic, CopyAsync, LoadMatrix, StoreMatrix, CopyUnit, Assembly };

// How good the counts are.
enum class Counted : std::uint8_t {
    Exact,   // those of all blocks and iterations
    Sampled, // scaled up from some of them, or for a grid that is not known
    Unknown, // an index, a guard or a trip count depends on data: what is counted is an upper bound, or nothing
};

// How an address follows from threadIdx.
enum class Form : std::uint8_t {
    Affine,  // base + a stride for each of x, y and z
    Sampled, // the addresses of the lanes are those of the picture
    Unknown,
};

// A loop around an access, or a dimension of the grid.
struct Around {
    std::string variable;           // "p", "blockIdx.x"
    std::int64_t trips = 0;         // 0: not known
    bool matters = false;           // the address depends on it
    std::optional<std::int64_t> by; // bytes from one trip to the next, where that is always the same
};

// In all launches of one grid. Whole numbers, unless they are sampled.
struct Sums {
    double requests = 0;     // of warps
    double bytes = 0;        // that lanes asked for
    double units = 0;        // sectors of 32 bytes; of shared memory wavefronts
    double least = 0;        // that would do
    std::uint64_t worst = 0; // times what would do, of one request
    double ratio() const { return least > 0 ? units / least : 1; }
    void add(const artifact::Traffic& traffic, double times);
    void add(const Sums& other);
};

// What the lanes of one warp touch: those of the first block and the first iteration, or of the first that has most lanes.
struct Picture {
    std::array<std::int64_t, 32>
        offsets{};               // bytes behind the beginning of the tensor; of shared memory behind that of the block
    std::array<int, 32> bytes{}; // 0: the lane does not take part
    int warp = 0;
    artifact::Traffic traffic;
    int lanes() const;
};

struct Access {
    std::string kernel;
    Origin origin;
    AccessKind kind{};
    bool is_shared = false;
    std::string tensor; // its name in the script; empty: an address that was computed
    std::string dtype;  // of an element: "f32"; empty: not known
    int lane_bytes = 0; // that a lane asks for at once
    int element_bytes = 0;
    Form form{};
    std::array<std::int64_t, 3> strides{}; // bytes, by threadIdx; Affine
    std::vector<Around> around;            // from the outside in, the grid first
    bool is_guarded = false;               // some lanes of some warps take no part
    Counted counted{};
    std::string why;         // it is not exact
    std::string note;        // on how it is counted; empty: there is nothing to say
    bool is_of_data = false; // the address is made of numbers that are not known
    Sums sums;
    // Loops over which a compiler may hold what it loads in registers, and what is left of it then; empty: none.
    std::vector<std::string> held_over;
    Sums held;
    Picture picture;
};

struct Limits {
    std::int64_t work = 60'000; // values of warps that are computed, until the rest is sampled
    const std::atomic<bool>* cancelled = nullptr;
};

// Of one kernel, in the order of the script. `sizes`: of dynamic dimensions and scalar parameters, by name.
std::vector<Access> access_maps(const ir::Module& module, const ir::Function& kernel, const SymbolValues& sizes = {},
                                const Limits& limits = {});

// Of an extent, where all that it depends on has a size.
std::optional<std::int64_t> known_size(const ir::ExprRef& expr, const SymbolValues& sizes);

const char* kind_name(AccessKind kind); // "load"
const char* counted_name(Counted counted);
const char* form_name(Form form);

} // namespace hidet::compiler::access
