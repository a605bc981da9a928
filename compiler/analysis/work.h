// SPDX-License-Identifier: Apache-2.0
// How much a launch computes and which of its arguments it touches, read off the IR: operations of the statements times the
// trip counts of the loops around them. What depends on data or on a thread's place is not guessed: the body of a condition
// counts as executed (`upper_bound` says so), and a loop whose count is not known makes the answer unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/func.h"
#include "lang/base/symbol_values.h"

namespace hidet::compiler {

// Values of scalar parameters and symbols, as far as they are known.
using KnownValues = std::unordered_map<const ir::Node*, std::int64_t>;

struct WorkCount {
    double flops = 0;        // additions, subtractions, products, quotients of floats; an fma counts two
    double matrix_flops = 0; // of matrix instructions; two for each multiply-add
    std::string matrix_type; // of their operands: "f16"; empty: there are none
    std::optional<ir::DType>
        sum_type; // what most of its sums are rounded to, mma's by its accumulators; nothing: it adds no floats
    bool is_upper_bound = false;
    std::string unknown; // why nothing is known: "a while loop"; empty: the numbers are right
};

// One call of the function with all the launches and calls in it, or one thread of a kernel.
// `symbols` are values of dynamic dimensions, which host functions ask the runtime for.
WorkCount count_work(const ir::Function& function, const ir::Module& module, const KnownValues& known,
                     const SymbolValues& symbols = {});

// For each parameter whether memory behind it is read and written, by the function and by what it calls or launches; a
// pointer that escapes (into assembly, into memory, to the caller) counts as both.
struct ParameterAccess {
    bool read = false;
    bool written = false;
};
std::vector<ParameterAccess> parameter_accesses(const ir::Function& function, const ir::Module& module);

} // namespace hidet::compiler
