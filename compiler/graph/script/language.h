// SPDX-License-Identifier: Apache-2.0
// Whole models in the script language: give it to the evaluator as EvalOptions::graphs, a new one for each evaluation.
#pragma once

#include <memory>

#include "lang/host/graph_language.h"

namespace hidet::graph {

std::shared_ptr<lang::GraphLanguage> make_graph_language();

} // namespace hidet::graph
