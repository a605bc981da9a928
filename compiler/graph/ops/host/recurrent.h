// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: what their operators share.
#pragma once

#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

inline constexpr const char* recurrent_attributes =
    "given: ints = [], hidden_size: int = None, activations: strs = [], activation_alpha: floats = [], "
    "activation_beta: floats = [], clip: float = None, linear_before_reset: int = 0, input_forget: int = 0";

enum class Cell : std::uint8_t { Rnn, Gru, Lstm };

std::vector<TensorSpec> infer_recurrent(const OpCall& call, Cell cell); // Y, Y_h and, of an LSTM, Y_c

} // namespace hidet::graph
