// SPDX-License-Identifier: Apache-2.0
// The names that every module of host code sees without an import.
#pragma once

#include <span>

#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"

namespace hidet::lang {

void install_builtins(Evaluator::Impl& impl);   // functions
void install_types(Evaluator::Impl& impl);      // int, str, list, ..., object, type
void install_exceptions(Evaluator::Impl& impl); // exceptions.def

std::span<const FunctionRow> iteration_functions(); // zip, map, sorted, ...

std::int64_t length_of(Evaluator& evaluator, const Value& value, Span span);

} // namespace hidet::lang
