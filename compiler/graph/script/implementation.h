// SPDX-License-Identifier: Apache-2.0
// Kernels that a script writes for an operator of its own, as methods of the Operator or of its Task:
//
//   class BlurOp(Operator):
//       def implement_cuda(self, working_dir):
//           return tune.extract_ir_modules(self.schedule)  # or a script module, a list of them, NotImplemented
//
//       @tune.space(1, block=[32, 64, 128])
//       def schedule(self, block=64): ...
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/script/script_graphs.h"
#include "compiler/graph/script/templates.h"
#include "compiler/schedule/implementation.h"

namespace hidet::graph {

// The methods of one operator, and what they returned.
struct WrittenKernels {
    struct Method {
        lang::Value function; // bound to its object
        Span place;           // of its name
        std::size_t parameters = 0;
    };
    struct Returned {
        std::vector<lang::Value> modules;
        std::optional<lang::Value> tuned; // called with parameters of the spaces
        TuningSpaces spaces;
    };
    lang::Evaluator* evaluator = nullptr;
    std::string name; // of the class
    bool is_opaque = false;
    lang::Value inputs, outputs;                     // lists of tensors
    std::array<std::optional<Method>, 2> methods;    // implement_cpu, implement_cuda
    std::array<std::optional<Returned>, 2> returned; // once they were called
};

// Null: neither has such a method. What the operator's outputs are is told to the kernels when they are known.
std::shared_ptr<const Implementation> implementation_of(ScriptGraphs& graphs, lang::Evaluator& evaluator,
                                                        const lang::Value& op, const lang::Value& task, bool is_opaque);
// In a preview nothing is lowered, but kernels can be seen and have mistakes: one operator of each class shows them.
void preview_implementations(lang::Evaluator& evaluator, const Graph& graph);

// A script module, its IR, or what build() made of it. Null: it has mistakes, which are reported.
ir::ModuleRef module_of(lang::Evaluator& evaluator, const lang::Value& value, const char* who, Span span);
lang::Value extract_modules(ScriptGraphs& graphs, lang::Args& args, Span span); // tune.extract_ir_modules()

} // namespace hidet::graph
