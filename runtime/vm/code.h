// SPDX-License-Identifier: Apache-2.0
// A function's bytecode made ready for a number of lanes: leaves looked up, registers turned into byte offsets.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "runtime/vm/core/fused_loads.h"
#include "runtime/vm/machine.h"
#include "runtime/vm/vector/table.h"

namespace hidet::vm {

using artifact::Access;
using artifact::AccessDim;
using artifact::Function;
using artifact::Instr;
using artifact::is_u;
using artifact::is_v;
using artifact::Op;
using artifact::Program;
using artifact::register_of;
using artifact::Scalar;
using artifact::Space;

struct Step {
    Op op{};
    Scalar type{};
    std::uint8_t flags = 0;
    bool is_vector = false; // all of it is the call of a leaf
    bool is_scalar = false;
    bool divides = false;       // check the divisor first
    bool is_index = false;      // integer arithmetic: equal operands give a result with an equal number
    bool is_tracked = false;    // it names a register that may hold nothing yet, or one of a product
    bool names_product = false; // the latter
    bool is_of_index = false;   // i32 arithmetic that an index is made of
    bool is_put_off = false;    // Address: for matrices and copies only; LdMatrix: for products only (deferred.cpp)
    std::uint64_t hash = 0;     // of what it does
    std::uint32_t first_named = 0, named_count = 0; // of a tracked one, in Code::named
    std::uint8_t flops = 0;
    std::uint8_t request_bytes = 0; // of an access: of a thread, at once; 0: a part of a vector that is counted
    std::uint8_t dst_bytes = 4, a_bytes = 4, b_bytes = 4, c_bytes = 4; // of a lane; 0: a u operand, at `a` slots
    VectorFn vector = nullptr;
    ScalarFn scalar = nullptr;
    std::uint32_t dst = 0, a = 0, b = 0, c = 0; // v: byte offset into the registers; u: index
    std::int32_t dst_register = -1;             // v register that is written
    std::int32_t run = -1;                      // Load: the row of the run of loads that it begins
    Instr instr{};
};

// An access with what is constant folded away.
struct ReadyTerm {
    std::int32_t u = -1;        // slot of the shared part, -1: none
    std::int32_t v = -1;        // register of the lanes' part, -1: none
    std::int32_t stride_u = -1; // slot
    std::int32_t extent_u = -1; // slot
    bool checked = false;
    bool wide = false;
    std::int64_t constant = 0; // of the index
    std::int64_t stride = 0;
    std::int64_t extent = 0;
};
struct ReadyAccess {
    std::vector<ReadyTerm> terms; // those that vary, or have a stride that does
    std::int64_t offset = 0;      // the constant parts
    int base = -1;                // u slot, v register, or row
    int bytes = 0;
    int lane_terms = 0; // that differ between lanes, the base included
    bool lane_base = false;
    bool differs = false;
    bool always_outside = false; // a constant index outside of a constant extent
};

enum class Role : std::uint8_t { Use, Copy, Definition };
struct Named {
    std::int32_t reg = 0;
    Role role{};
};

struct Code {
    const Function* function = nullptr;
    std::size_t stride = 0; // bytes from one v register to the next
    std::vector<Step> steps;
    std::vector<ReadyAccess> accesses;
    std::vector<std::vector<std::uint32_t>> triples; // of each MulAddAll, by its row of operands
    std::vector<Named> named;
    std::vector<FusedLoads> load_runs;
};

// Lanes: a multiple of 32. The stride avoids powers of two, which would make registers fight for the same cache sets.
Code prepare(const Function& function, int lanes, const VectorTable& table);
Code prepare_host(const Function& function);
// The sum of what registers take, to choose how many threads run together.
inline std::size_t register_bytes(const Function& function, int lanes) {
    return static_cast<std::size_t>(function.v_count + 1) * (static_cast<std::size_t>(lanes) * 4 + 64);
}
// The registers that an instruction names, uses before definitions. A pair of registers goes by its first.
void for_each_register(const Function& function, const Instr& i, const std::function<void(std::int32_t, Role)>& f);
// Which steps name registers that may hold nothing yet (defined.cpp).
void find_undefined(Code& code, const Function& function);
// And those of products of warp groups (products.cpp).
void find_products(Code& code, const Function& function);
// Which steps compute what an index is made of (overflow.cpp).
void find_index_arithmetic(Code& code, const Function& function);
// What an instruction counts as (counters.cpp); nothing: it is not work of a GPU.
std::optional<WorkKind> work_kind(const Instr& i);
// What accesses ask for at once.
void find_requests(Code& code, const Function& function);
// Which addresses are for matrices and copies only, and which matrices for products (deferred.cpp).
enum class Deferred : std::uint8_t { Addresses, Matrices }; // the latter: those too
void find_put_off(Code& code, Deferred most);
// After the others: what tracked steps name.
void note_registers(Code& code, const Function& function);
const VectorTable& best_table(VectorIsa isa);

inline bool has_any_of(const Function& function, std::initializer_list<Op> ops) {
    return std::ranges::any_of(function.code, [&](const Instr& i) { return std::ranges::count(ops, i.op) > 0; });
}

} // namespace hidet::vm
