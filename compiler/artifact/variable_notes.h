// SPDX-License-Identifier: Apache-2.0
// Where the variables of a kernel are while it runs, for who looks at them: they stay in their registers as long as an
// instruction of their scope may be next. Kept beside the bytecode, which does not need it to run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/artifact/program.h"

namespace hidet::artifact {

// constant + the u register + the v register, of which there may be none.
struct NamedValue {
    std::string name{};
    Scalar type{};
    std::int32_t u = no_operand;
    std::int32_t v = no_operand;
    bool is_wide = false;       // the v register is a pair
    std::uint64_t constant = 0; // as a u register holds it
    std::int32_t outer = -1;    // the row of the variable that was known before it; -1: none was
};

struct VariableNotes { // of one function
    std::vector<NamedValue> values;
    std::vector<std::int32_t>
        innermost; // by instruction, the row of the last variable that is known there; -1: none is
};

} // namespace hidet::artifact
