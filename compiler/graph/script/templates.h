// SPDX-License-Identifier: Apache-2.0
// Operator templates as scripts declare them, and the spaces of their parameters:
//
//   @hidet.template('Matmul', dtypes=['float16', 'bfloat16'], capability=90)
//   @tune.space(1, block_n=[64, 128], stages=[8, 12])
//   def matmul(task, target, block_n=64, stages=12):
//       tune.check(task.outputs[0].shape[-1] % 8 == 0, 'rows must be multiples of 16 bytes')
//       ...
//       return script_module
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/graph/script/script_graphs.h"
#include "compiler/graph/script/template_provider.h"
#include "lang/host/modules.h"

namespace hidet::graph {

// Values of one or several parameters that are chosen together: ("block_m", "block_n") of (64, 64) or (128, 256).
struct TuningAxis {
    std::vector<std::string> parameters;
    std::vector<std::vector<lang::Value>> choices; // of each, a value for each parameter
};
using TuningSpaces = std::map<std::int64_t, std::vector<TuningAxis>>; // by level, from 1 on
inline constexpr std::size_t most_points = 100'000;                   // of a space
// Its points, as the texts of schedules of that name, after the one that chooses nothing. A level that nobody wrote down is
// the one below it.
std::vector<std::string> schedules_of(const std::string& name, const TuningSpaces& spaces, std::int64_t level);

struct TemplateDeclaration {
    std::string name; // of the function
    TemplateScope scope;
    TuningSpaces spaces;
    lang::Value function;
    Span place;
};

// A function with the spaces that decorators gave it. Scripts see a native function that calls it, so that it is a method
// where it stands in a class.
struct TunedFunction {
    lang::Value function; // of host code
    TuningSpaces spaces;
    lang::Value shown;
};
const TunedFunction* tuned_function(const ScriptGraphs& graphs, const lang::Value& value); // null: it is none
// What a decorator of templates stands above, or what is called with parameters that are tuned: a function, perhaps bound.
TunedFunction decorated(const ScriptGraphs& graphs, const lang::Value& value, const char* wanted_by, Span span);

// What decorates functions, and tune.check().
void add_templates(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_tune(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);

} // namespace hidet::graph
