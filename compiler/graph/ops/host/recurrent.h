// SPDX-License-Identifier: Apache-2.0
// Recurrent layers as loops on the host, in f64: a step needs the one before, so that there is nothing to compute at once
// but its matrix products. Inputs are those of ONNX: X, W, R, and of the optional ones those that the attribute `given`
// (positions in ONNX's list) names, in order. Other attributes are those of ONNX.
#pragma once

#include "compiler/graph/ops/host/host_tensor.h"

namespace hidet::graph {

inline constexpr const char* recurrent_attributes =
    "given: ints = [], hidden_size: int = None, activations: strs = [], activation_alpha: floats = [], "
    "activation_beta: floats = [], clip: float = None, linear_before_reset: int = 0, input_forget: int = 0";

enum class Cell : std::uint8_t { Rnn, Gru, Lstm };

std::vector<TensorSpec> infer_recurrent(const OpCall& call, Cell cell); // Y, Y_h and, of an LSTM, Y_c
std::vector<lang::TensorRef> run_recurrent(const HostCall& host, Cell cell);

} // namespace hidet::graph
