// SPDX-License-Identifier: Apache-2.0
// What a template is told: the operator with its shapes, and the machine.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/artifact/target_spec.h"
#include "compiler/schedule/templates.h"
#include "lang/host/value.h"

namespace hidet::graph {

// By input: the order of axes in which the template takes it, where that is not its own.
using InputOrders = std::shared_ptr<std::vector<std::optional<Ints>>>;

// task.op, task.inputs, task.outputs, task.attrs, task.is_alone; a tensor has name, shape, dtype, is_constant and permuted(order). A
// dynamic extent is an expression over symbols.
lang::Value template_task(lang::Evaluator& evaluator, const AnchorTask& task, const InputOrders& orders, Span span);
// The fields of TargetSpec that a schedule depends on, under their names.
lang::Value template_target(const artifact::TargetSpec& target);

} // namespace hidet::graph
