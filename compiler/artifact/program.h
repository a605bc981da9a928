// SPDX-License-Identifier: Apache-2.0
// The bytecode of a module: plain data that the code generator makes and the virtual machine runs. Nothing in it points
// anywhere, so it can be copied, compared, stored and sent; the order of the tables is that of the script.
//
// A function has three banks of registers. `u` registers hold one 64-bit value for all the threads that run together;
// host functions have no others. `v` registers hold one 32-bit word for each thread (64-bit values take two neighbours).
// Local arrays are runs of v registers. A constant is a u register with an initial value. Control flow is structured: If
// and Loop on a v condition narrow the set of running threads, jumps are taken by all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/origin.h"
#include "runtime/package/scalar.h"

namespace hidet::artifact {

// What a register or an element in memory holds. In registers the types below 32 bits are extended to a word (signed
// ones with their sign, floats and bool with zeros); a pointer is a U64.
using package::is_real;
using package::Scalar;
using package::scalar_bytes;
using package::scalar_count;
using package::scalar_name;
inline int scalar_words(Scalar scalar) { // v registers it takes
    return scalar_bytes(scalar) == 8 ? 2 : 1;
}
// The low bits of a word, as a u register holds a value of the type.
inline std::uint64_t extended(Scalar type, std::uint64_t bits) {
    const int above = 64 - 8 * scalar_bytes(type);
    const bool is_signed = type >= Scalar::I8 && type <= Scalar::I64;
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << above) >> above)
                     : bits << above >> above;
}
// An integer as a value of an integer type: its low bits; of a bool: whether it is not zero.
inline std::int64_t wrapped(Scalar type, std::int64_t value) {
    return type == Scalar::Bool ? value != 0
                                : static_cast<std::int64_t>(extended(type, static_cast<std::uint64_t>(value)));
}

enum class Op : std::uint16_t {
#define HIDET_OP(name, text, operands, summary) name,
#include "compiler/artifact/opcodes.def"
};
struct OpInfo {
    const char* name;
    const char* operands; // what dst, a, b, c and x are, for the disassembly and the table in runtime/README.md
    const char* summary;
};
const OpInfo& info(Op op);

// An operand: none, a v register, or a u register.
inline constexpr std::int32_t no_operand = -1;
inline constexpr std::int32_t uniform_bit = 1 << 30;
inline constexpr std::int32_t u_operand(int index) {
    return index | uniform_bit;
}
inline constexpr bool is_u(std::int32_t operand) {
    return operand >= uniform_bit;
}
inline constexpr bool is_v(std::int32_t operand) {
    return operand >= 0 && operand < uniform_bit;
}
inline constexpr int register_of(std::int32_t operand) {
    return operand & (uniform_bit - 1);
}

inline constexpr std::uint8_t flag_blend = 1; // threads that are switched off keep the old value of dst
inline constexpr std::uint8_t flag_may_block =
    2; // If, LoopTest: a barrier stands inside, so warps that differ part ways
inline constexpr std::uint8_t flag_negate = 4;
inline constexpr std::uint8_t flag_safe = 8;     // Div and its kin: the divisor is no zero
inline constexpr std::uint8_t flag_strong = 16;  // Load, Store: as an atomic access sees memory
inline constexpr std::uint8_t flag_factor = 128; // Load: nothing but the MulAddAll behind it uses the result

enum class FenceKind : std::uint8_t { Threads, Barriers, Units };  // of a Fence
inline constexpr std::int32_t wgmma_fence = -1, wgmma_commit = -2; // of a WarpGroup
inline constexpr std::int32_t wgmma_copies_sums = 1,
                              wgmma_copies_a = 2; // c of a Wgmma: not the registers of the script

struct Instr {
    Op op{};
    Scalar type{}; // of the operands
    std::uint8_t flags = 0;
    std::int32_t dst = no_operand;
    std::int32_t a = no_operand;
    std::int32_t b = no_operand;
    std::int32_t c = no_operand;
    std::int32_t x = 0; // jump target, row of a side table, or immediate
    friend bool operator==(const Instr&, const Instr&) = default;
};

enum class Space : std::uint8_t { Pointer, Shared, Local };

// A term of an address: (value(u) + lane(v) + constant) * stride bytes. Terms that are an index of the tensor as the script
// wrote it are checked against [0, extent).
struct AccessDim {
    std::int32_t u = no_operand;
    std::int32_t v = no_operand;
    std::int64_t constant = 0;
    std::int64_t extent = -1; // -1: extent_u, or not known when that is none
    std::int32_t extent_u = no_operand;
    std::int64_t stride = 0; // bytes, or what stride_u is multiplied by
    std::int32_t stride_u = no_operand;
    bool wide = false;     // v is a 64-bit register pair
    bool is_index = false; // part of the index that findings print
    friend bool operator==(const AccessDim&, const AccessDim&) = default;
};

// Where a Load, Store or atomic goes: base + the sum of the terms + offset.
struct Access {
    Space space = Space::Pointer;
    std::int32_t base = no_operand; // Pointer: operand; Shared, Local: row of the function's arrays
    Scalar element{};
    std::uint8_t align = 1; // bytes; more than the element for a part of a vector element
    std::int32_t name = -1; // row of the strings: how findings call the tensor
    std::int64_t offset = 0;
    std::vector<AccessDim> dims{};
    friend bool operator==(const Access&, const Access&) = default;
};

struct SharedArray {
    std::int32_t name = -1;
    std::int64_t bytes = 0;
    Scalar element{};
    friend bool operator==(const SharedArray&, const SharedArray&) = default;
};

// A local array of every thread. Unpacked: each element has its own register(s), nobody takes its address. Packed: the
// bytes lie as in memory, four to a register.
struct LocalArray {
    std::int32_t name = -1;
    std::int32_t first = 0; // v register
    std::int64_t count = 0; // elements
    Scalar element{};
    bool packed = false;
    friend bool operator==(const LocalArray&, const LocalArray&) = default;
};

struct Launch {
    std::int32_t function = -1;
    std::vector<std::int32_t> args{}; // u operands
    std::int32_t grid[3] = {no_operand, no_operand, no_operand};
    std::int32_t block[3] = {no_operand, no_operand, no_operand};
    std::int32_t cluster[3] = {no_operand, no_operand, no_operand};
    std::int32_t dynamic_shared = no_operand;
    friend bool operator==(const Launch&, const Launch&) = default;
};

// Operands of instructions that have many: printf, mma, ldmatrix, shuffles.
struct Operands {
    std::vector<std::int32_t> items{};
    std::vector<Scalar> types{};
    std::int32_t definitions = 0; // the first items that are written
    std::int32_t text = -1;       // row of the strings: format, configuration
    friend bool operator==(const Operands&, const Operands&) = default;
};

enum class FunctionKind : std::uint8_t { Host, Kernel };

struct Parameter {
    std::string name{};
    Scalar type{};
    bool is_pointer = false;
    bool is_tensor_map = false; // by value; where the machine runs, the address of an artifact::TensorMap
    friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct Function {
    std::string name{};
    FunctionKind kind = FunctionKind::Host;
    bool is_public = false;
    std::vector<Parameter> params; // u registers 0, 1, ...
    bool returns_value = false;
    Scalar return_type{};
    std::int32_t u_count = 0;
    std::int32_t v_count = 0;
    std::int32_t first_constant = 0; // u registers from here hold `constants`
    std::vector<std::uint64_t> constants;
    std::vector<Instr> code;
    std::vector<Origin> origins; // one for each instruction
    std::vector<Access> accesses;
    std::vector<LocalArray> locals;
    std::vector<SharedArray> shared;
    std::vector<Launch> launches;
    std::vector<Operands> operands;
    bool overlaps = false;    // it may begin before the kernel before it has ended
    bool needs_order = false; // its blocks see each other's global atomics: they run one after the other
    friend bool operator==(const Function&, const Function&) = default;
};

struct GlobalVariable {
    std::string name{};
    Scalar element{};
    std::int64_t bytes = 0;
    friend bool operator==(const GlobalVariable&, const GlobalVariable&) = default;
};

struct Program {
    std::string name{};
    std::vector<Function> functions;
    std::vector<std::string> strings;
    std::vector<GlobalVariable> globals;
    friend bool operator==(const Program&, const Program&) = default;
};

const Function* find_function(const Program& program, std::string_view name);
int function_index(const Program& program, std::string_view name); // -1: there is none

struct Disassembly {
    std::string text;
    std::vector<Origin> line_origins; // one for each line of the text
};
Disassembly disassemble(const Program& program);
Disassembly disassemble(const Program& program, const Function& function);

} // namespace hidet::artifact
