// SPDX-License-Identifier: Apache-2.0
// Runs operators that exchange tensors with other processes.
#pragma once

#include "compiler/graph/core/op.h"
#include "lang/base/result.h"
#include "lang/host/engine.h"

namespace hidet::graph {

// Through the groups of the engine's process; inputs have data. OpError when a shape does not fit. Errors are those of a
// Communication (lang/host/modules/communication.h).
Result<std::vector<lang::TensorRef>> exchange_on(lang::Engine& engine, const OpCall& call,
                                                 const std::vector<lang::TensorRef>& inputs);
// Likewise, into a CUDA graph that is being recorded. It has run before, with these tensors.
Result<void> record_exchange(lang::Engine& engine, const OpCall& call, const lang::TensorRef& input,
                             lang::TensorRef result);

} // namespace hidet::graph
