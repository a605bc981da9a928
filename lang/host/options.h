// SPDX-License-Identifier: Apache-2.0
// What hidet.option says (options.def), for those that go by it.
#pragma once

#include <string_view>

#include "compiler/ir/module_options.h"
#include "lang/host/evaluator.h"

namespace hidet::lang {

ir::ModuleOptions module_options(Evaluator& evaluator);

struct Repetitions {
    std::int64_t warm_up = 0; // runs
    std::int64_t number = 1;  // runs of a measurement
    std::int64_t repeat = 1;  // measurements
};
Repetitions bench_repetitions(Evaluator& evaluator);

bool prints_definitions(Evaluator& evaluator); // of the operators of a graph

// A warning: what upstream has, and has no meaning here.
void without_effect(Evaluator& evaluator, Span span, std::string_view name, std::string_view reason);

} // namespace hidet::lang
