// SPDX-License-Identifier: Apache-2.0
// The tensors of a kernel in shared memory, as its script declares them: where they lie and where they are in use.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/func.h"
#include "compiler/ir/stmt.h"

namespace hidet::compiler {

// Statements are numbered in program order.
struct SharedUse {
    int statement = 0;
    Span span;
};

struct SharedTensorUse {
    const ir::DeclareStmt* declared = nullptr;
    bool is_dynamic = false; // a pointer to dynamic shared memory
    std::int64_t offset = 0; // there; else behind those that are declared before it
    std::int64_t bytes = 0;
    std::int64_t stages = 1; // it is a ring of so many
    SharedUse first, last;   // of its uses; spans that are not known: there are none
    int begin = 0, end = 0;  // statements, with the loops that it stays in use in
};

struct SharedTensors {
    std::vector<SharedTensorUse> all; // in the order of their declarations
    int statements = 0;
    std::vector<Span> spans; // of the statements
};

// `kernel`: of the script's own module. Tensors whose extents or places are no constants are left out.
SharedTensors shared_tensors(const ir::Function& kernel);

} // namespace hidet::compiler
