// SPDX-License-Identifier: Apache-2.0
// The code of one function while it is made: instructions on virtual registers, with labels and the marks of loops and
// scopes between them. optimise() and allocate() work on this list; finish() turns it into a Function.
//
// A virtual register is a temporary, written once and never by threads that need its old value, or a variable.
#pragma once

#include <concepts>
#include <map>
#include <vector>

#include "compiler/artifact/program.h"
#include "compiler/artifact/variable_notes.h"

namespace hidet::compiler::bytecode {

using artifact::Instr;
using artifact::Op;
using artifact::Scalar;

enum class Mark : std::uint8_t { None, Label, LoopStart, LoopStop, ScopeStart, ScopeStop, Touch };

struct Item {
    Instr instr{};
    Origin origin{};
    Mark mark = Mark::None; // Label: instr.x is its number; Touch: instr.a is declared here
    bool dead = false;
    std::int32_t known = -1; // the last variable that is known here, by its row; -1: none is, or nobody looks
    bool is_moved = false;   // away from its statement
};

struct VirtualRegister {
    int words = 1; // v: 1 or 2, or the length of a local array
    bool is_variable = false;
    bool is_fixed = false; // u: parameters and constants
    bool is_array = false;
    bool is_wide = false;                      // v: holds 64 bits for each thread
    bool is_named = false;                     // a name stands for it, so its definition stays as it is
    std::int32_t alias = artifact::no_operand; // register `offset` of this array
    int offset = 0;
};

// What the registers of a local array hold: 32 bits for each thread, or 64.
enum class ArrayKind : std::uint8_t { Narrow, Wide };

class Builder {
public:
    explicit Builder(artifact::Function& function) : m_function(function) {}

    // Registers.
    std::int32_t new_u(bool variable = false);
    std::int32_t new_v(Scalar type, bool variable = false);
    std::int32_t new_array(int words, ArrayKind kind); // v registers of a local array, one after the other
    std::int32_t element(std::int32_t array, int offset, int words); // a register of it
    std::int32_t constant(std::integral auto number) { return constant_of_bits(static_cast<std::uint64_t>(number)); }
    std::int32_t parameter();
    void name(std::int32_t reg);
    void touch(std::int32_t variable);                       // it lives from here on, though nothing is assigned yet
    void undefine(std::int32_t variable, std::int32_t name); // and whoever runs this has no value in it

    // Code.
    void set_origin(Origin origin) { m_origin = origin; }
    Origin origin() const { return m_origin; }
    void emit(Instr instr);
    std::int32_t emit_value(Op op, Scalar type, Scalar result, std::int32_t a, std::int32_t b = artifact::no_operand,
                            std::int32_t c = artifact::no_operand, std::int32_t x = 0);
    std::int32_t emit_value(Op op, Scalar type, std::int32_t a, std::int32_t b = artifact::no_operand,
                            std::int32_t c = artifact::no_operand) { // of the type of its operands
        return emit_value(op, type, type, a, b, c);
    }
    std::int32_t converted(std::int32_t reg, Scalar from, Scalar to) {
        return emit_value(Op::Convert, to, to, reg, artifact::no_operand, artifact::no_operand, static_cast<int>(from));
    }
    int new_label() { return m_labels++; }
    void place(int label) { items.push_back({.instr = {.x = label}, .mark = Mark::Label}); }
    void start_loop();
    void stop_loop();
    void start_scope() { items.push_back({.mark = Mark::ScopeStart}); }
    void stop_scope() { items.push_back({.mark = Mark::ScopeStop}); }
    // The last instruction, when it made the temporary `value`: the caller may give it another destination.
    Instr* last_definition(std::int32_t value);

    // The last steps.
    void optimise();
    void finish();

    std::vector<Item> items;
    std::vector<VirtualRegister> u, v;
    bool keeps_arrays = false; // they have their registers alone

    // Variables that somebody looks at while the code runs. Each item knows the last one that was declared before it, and so all
    // of its scope; whatever is known counts as used by the item.
    void know(artifact::NamedValue value);
    template <class F>
    void for_each_known(std::int32_t row, F&& f) {
        for (; row >= 0; row = notes->values[static_cast<std::size_t>(row)].outer) {
            artifact::NamedValue& value = notes->values[static_cast<std::size_t>(row)];
            for (std::int32_t* reg : {&value.u, &value.v})
                if (*reg >= 0)
                    f(*reg);
        }
    }
    artifact::VariableNotes* notes = nullptr; // null: nobody looks
    std::int32_t known = -1;                  // the last variable of the open scopes
    artifact::Function& function() { return m_function; }

private:
    std::int32_t constant_of_bits(std::uint64_t bits);

    artifact::Function& m_function;
    Origin m_origin;
    int m_labels = 0;
    int m_loops = 0;
    std::vector<int> m_open_loops;
    std::map<std::uint64_t, std::int32_t> m_constants;
    std::map<std::pair<std::int32_t, int>, std::int32_t> m_elements;
};

// Calls f(operand&, is_definition) for each register operand of the instruction, side tables included.
template <class F>
void for_each_operand(artifact::Function& function, Instr& instr, F&& f);
bool is_pure(const Instr& instr); // same operands, same result; cannot fail

void eliminate_common(Builder& builder);
void hoist_invariants(Builder& builder);
void fuse_multiply_add(Builder& builder);
void gather_multiply_add(Builder& builder);
void remove_dead(Builder& builder);
void allocate_registers(Builder& builder);

template <class F>
void for_each_operand(artifact::Function& function, Instr& instr, F&& f) {
    const char* kinds = artifact::info(instr.op).operands;
    auto is_register = [&](int field) {
        return kinds[2 * field] == 'r' || kinds[2 * field] == 'u' || kinds[2 * field] == 'v';
    };
    auto use = [&](std::int32_t& operand) {
        if (operand >= 0)
            f(operand, false);
    };
    if (is_register(1))
        use(instr.a);
    if (is_register(2))
        use(instr.b);
    if (is_register(3))
        use(instr.c);
    auto row = static_cast<std::size_t>(instr.x);
    switch (kinds[8]) {
    case 'A': {
        artifact::Access& access = function.accesses[row];
        if (access.space == artifact::Space::Pointer)
            use(access.base);
        for (artifact::AccessDim& dim : access.dims)
            use(dim.u), use(dim.v), use(dim.extent_u), use(dim.stride_u);
        break;
    }
    case 'O': {
        artifact::Operands& operands = function.operands[row];
        // Items that are written are read as well; they are variables.
        auto definitions = static_cast<std::size_t>(operands.definitions);
        bool sums = instr.op == Op::MulAddAll;
        for (std::size_t i = 0; i < operands.types.size(); ++i)
            f(operands.items[i], sums ? i % 3 == 0 : i < definitions);
        break;
    }
    case 'L': {
        artifact::Launch& launch = function.launches[row];
        for (std::int32_t& arg : launch.args)
            use(arg);
        for (int d = 0; d < 3; ++d)
            use(launch.grid[d]), use(launch.block[d]), use(launch.cluster[d]);
        use(launch.dynamic_shared);
        break;
    }
    default: break;
    }
    if (is_register(0) && instr.dst >= 0)
        f(instr.dst, true);
}

} // namespace hidet::compiler::bytecode
