// SPDX-License-Identifier: Apache-2.0
// From what was asked for to arguments that a call takes: extents worked out, tensors made and filled.
#pragma once

#include <optional>
#include <vector>

#include "app/session/compare/call_memory.h"
#include "app/session/kernel_bench/filling.h"
#include "app/session/kernel_bench/parameters.h"
#include "app/session/work/work.h"

namespace hidet::session {

// What the script passes in its first call of the function.
struct ScriptArguments {
    Arguments args;
    bool has_data = false; // false: known from a preview, as shapes and scalars
};

struct ArgumentPlan {
    const Callable& callable;
    const std::vector<compiler::ParameterAccess>& accesses;
    const std::vector<ArgumentSpec>& specs;
    std::vector<Dimension> dimensions;
    const ScriptArguments* script = nullptr; // null: it makes no such call
    std::string script_name;
    std::string folder; // of data files
    std::uint64_t seed = 0;
    Fill random = Fill::Random;              // what there is where random numbers are asked for
    double largest_number = largest_special; // among special ones
    // By parameter: of the script's tensor only the elements are taken, each drawn from all of them. Empty: none is.
    std::vector<bool> redrawn = {};
};

// Where the memory of the parameter comes from, the default resolved.
Fill fill_of(const ArgumentPlan& plan, std::size_t parameter);
// Whether another seed gives it other numbers.
bool is_drawn(const ArgumentPlan& plan, std::size_t parameter);
// Null: it is no tensor, or the script makes no such call, or only shapes are known.
lang::TensorRef tensor_of_script(const ArgumentPlan& plan, std::size_t parameter);

// Nothing: the reason is in the work's sink.
std::optional<Arguments> make_arguments(Work& work, const ArgumentPlan& plan);

// "a.0": an axis of a parameter.
struct AxisName {
    std::string parameter;
    std::size_t axis = 0;
};
std::optional<AxisName> axis_of(const std::string& name);

} // namespace hidet::session
