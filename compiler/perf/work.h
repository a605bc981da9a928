// SPDX-License-Identifier: Apache-2.0
// How much a launch computes, read off the IR: operations of the statements times the trip counts of the loops around them.
// What depends on data or on a thread's place is not guessed: the body of a condition counts as executed (`is_upper_bound` says
// so), and what runs nobody knows how often counts once and is named in `unknown`.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/dtype.h"
#include "compiler/perf/launch_shape.h"

namespace hidet::perf {

// What is counted once, though it may run more often, or not at all.
struct UnknownWork {
    std::string what; // "a while loop"
    Span span;
};

struct WorkCount {
    double flops = 0;        // additions, subtractions, products, quotients of floats; an fma counts two
    double matrix_flops = 0; // of matrix instructions; two for each multiply-add
    double instructions =
        0;               // on floats of up to 32 bits, by estimate: an fma is one; of both sides where a warp diverges
    double doubles = 0;  // likewise, on f64
    double special = 0;  // of those of the units for special functions: exp2, 1 / x
    double barriers = 0; // that threads of a block wait at for each other
    std::string matrix_type; // of their operands: "f16"; empty: there are none
    std::optional<ir::DType>
        sum_type; // what most of its sums are rounded to, mma's by its accumulators; nothing: it adds no floats
    bool is_upper_bound = false;
    bool is_sampled = false;          // the mean of some blocks stands for that of all
    std::vector<UnknownWork> unknown; // empty: the numbers are right; else they are what is known of them

    bool uses_matrix_units() const { return matrix_flops > flops; }
    double main_flops() const { return std::max(matrix_flops, flops); } // of the units that make most of them
    std::string sum_type_name() const { return sum_type ? ir::info(*sum_type).short_name : ""; }
};

// One call of the function with all the launches and calls in it, or one thread of a kernel.
// `symbols` are values of dynamic dimensions, which host functions ask the runtime for.
WorkCount count_work(const ir::Function& function, const ir::Module& module, const KnownValues& known,
                     const SymbolValues& symbols = {});

} // namespace hidet::perf
