// SPDX-License-Identifier: Apache-2.0
// Recurrent layers as loops on the host, in f64: a step needs the one before, so that there is nothing to compute at once
// but its matrix products. Inputs are those of ONNX: X, W, R, and of the optional ones those that the attribute `given`
// (ints, positions in ONNX's list) names, in order. Attributes: hidden_size, direction ("forward", "reverse",
// "bidirectional"), layout, activations, activation_alpha, activation_beta, clip, linear_before_reset, input_forget.
#pragma once

#include "compiler/graph/ops/host/host_tensor.h"

namespace hidet::graph {

enum class Cell : std::uint8_t { Rnn, Gru, Lstm };

std::vector<TensorSpec> infer_recurrent(const OpCall& call, Cell cell); // Y, Y_h and, of an LSTM, Y_c
std::vector<lang::TensorRef> run_recurrent(const HostCall& host, Cell cell);

} // namespace hidet::graph
