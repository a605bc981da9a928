// SPDX-License-Identifier: Apache-2.0
// The text of asm(), read. Generators print what was read, never the text itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/stmt.h"

namespace hidet::ir {

struct AssemblyOperand {
    enum class Kind : std::uint8_t { Operand, Number, Memory, Special };
    Kind kind{};
    std::size_t index = 0;   // Operand, Memory: of the outputs and, behind them, the inputs
    std::int64_t number = 0; // Number; Memory: bytes added to the address
    std::string special{};   // "laneid"
};

struct Assembly {
    std::vector<std::string> words; // "ex2", "approx", "ftz", "f32"
    std::vector<AssemblyOperand> operands;
    std::string complaint; // empty: there is such an instruction (assembly.def), with such operands

    bool has_word(std::string_view word) const;
    // "ex2.approx.ftz.f32 %0, %1;", as the assembly of C++ writes it.
    std::string text() const;
};

Assembly read_assembly(const AsmStmt& stmt);

// "%tid.x", ...: the special registers that `mov` reads.
std::string special_register_list();

} // namespace hidet::ir
