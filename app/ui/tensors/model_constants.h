// SPDX-License-Identifier: GPL-3.0-only
// The constants of a model as tensors to be looked at. Their elements are read when they are shown.
#pragma once

#include "app/ui/tensors/tensor_data.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

// Of the selection: itself, or what the operator reads, the largest first.
QList<TensorEntry> constantsOf(const LiveModel& model);
bool isConstantSelected(const LiveModel& model);

} // namespace hidet::ui
