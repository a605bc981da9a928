// SPDX-License-Identifier: Apache-2.0
// The host evaluator's words as the sources of this folder say them: a Value of its own is one of a graph.
#pragma once

#include "lang/host/arguments.h"
#include "lang/host/evaluator.h"

namespace hidet::graph {

using lang::Args;
using lang::Arguments;
using lang::Evaluator;
using lang::ValueKind;
using HostValue = lang::Value;

} // namespace hidet::graph
