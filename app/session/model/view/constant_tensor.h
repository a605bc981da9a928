// SPDX-License-Identifier: Apache-2.0
// The values of a model's constants: its weights, and what passes have folded.
#pragma once

#include "app/session/model/view/model_view.h"
#include "app/session/tensor/stored_tensor.h"

namespace hidet::session {

// Takes no time: elements are read when they are looked at. Errors: "wrong-usage" of what is no constant, has no values in
// the file, or none that are numbers.
Result<StoredTensorPtr> tensor_of_constant(const ModelGraph& graph, std::uint32_t value);

// "model.onnx:encoder.weight": a model's file and the name of a constant in it. Nothing: it is not that.
struct ConstantName {
    std::string model, constant;
};
std::optional<ConstantName> constant_named_by(const std::string& text);
// Reads the model up to its import.
struct ConstantResult : Outcome {
    StoredTensorPtr tensor; // null: `refusal` says why, unless the model cannot be read
    std::string refusal;
};
ConstantResult read_constant(const ModelRequest& request, const std::string& constant);

} // namespace hidet::session
